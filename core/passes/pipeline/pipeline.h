// SPDX-License-Identifier: Apache-2.0
// The pipeline's entry points beside run_passes (core/passes/pass.h).
#pragma once

#include "core/ir/func.h"
#include "core/passes/pass.h"

namespace tilelab {

// Adapts a function to another target.

/// The function for `target`. If a block is one thread (a CPU core), the `threads` of its kernels
/// are dropped as in TileLang: the block runs once, the indices of thread, lane and warp are 0, and
/// explicit layouts of fragments and loops are removed. Kernels with roles keep their threads, and
/// verify_kernel then rejects them.
FuncRef for_target(const FuncRef& func, const Target& target);

// The passes on a function that a person may have written or edited as text.

/// As run_passes, but valid input that a pass does not support is an error of the text, not a bug
/// of tilelab. `snapshots` then holds the passes before it.
PipelineResult run_passes_on_text(const FuncRef& func, Diagnostics& diagnostics,
                                  const PipelineOptions& options = {});

// The configuration `tilelab.require`: errors where the compiler did not take a code path that the
// kernel requires (core/layout/code_paths.def).

/// Reports each statement that lost a required path, with the reasons of the passes. `result` has
/// all snapshots of tile level.
void check_required_paths(const PipelineResult& result, Diagnostics& diagnostics);

}  // namespace tilelab
