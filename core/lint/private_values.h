// SPDX-License-Identifier: Apache-2.0
// Whose value a variable of the block holds that iterations of a T.Parallel assign.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// Iterations run in any order and any thread, so what one of them assigns to a variable (a
/// T.alloc_var or T.alloc_local from outside of the loop) is its own: reports reads that would see
/// what another iteration has left, in the loop in front of the assignment and behind the loop.
void verify_parallel_values(const Kernel& kernel, Diagnostics& sink);

}  // namespace tilelab
