// SPDX-License-Identifier: Apache-2.0
// The configuration `tilelab.require`: errors where the compiler did not take a code path that the
// kernel requires (core/layout/code_paths.def).
#pragma once

#include "core/passes/pass.h"

namespace tilelab {

/// Reports each statement that lost a required path, with the reasons of the passes. `result` has
/// all snapshots of tile level.
void check_required_paths(const PipelineResult& result, Diagnostics& diagnostics);

}  // namespace tilelab
