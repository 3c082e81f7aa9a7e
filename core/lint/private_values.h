// SPDX-License-Identifier: Apache-2.0
// Reads of variables of the block that iterations of a T.Parallel assign.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// Iterations run in any order and any thread, so a variable (a T.alloc_var or T.alloc_local from
/// outside of the loop) that one of them assigns is private to it. Reports reads that would see
/// another iteration's value: in the loop before the assignment, and after the loop.
void verify_parallel_values(const Kernel& kernel, Diagnostics& sink);

}  // namespace tilelab
