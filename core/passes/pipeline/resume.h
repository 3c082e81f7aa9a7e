// SPDX-License-Identifier: Apache-2.0
// The passes on a function that a person may have written or edited as text.
#pragma once

#include "core/passes/pass.h"

namespace tilelab {

/// As run_passes, but valid input that a pass does not support is an error of the text, not a bug
/// of tilelab. `snapshots` then holds the passes before it.
PipelineResult run_passes_on_text(const FuncRef& func, Diagnostics& diagnostics,
                                  const PipelineOptions& options = {});

}  // namespace tilelab
