// SPDX-License-Identifier: Apache-2.0
// The passes on a function that a person may have written or edited as text.
#pragma once

#include "core/passes/pass.h"

namespace tilelab {

/// As run_passes; what the rules of the levels do not say and a pass can't take is an error of the
/// text, not a bug of tilelab: a diagnostic. `snapshots` then holds what came before.
PipelineResult run_passes_on_text(const FuncRef& func, Diagnostics& diagnostics,
                                  const PipelineOptions& options = {});

}  // namespace tilelab
