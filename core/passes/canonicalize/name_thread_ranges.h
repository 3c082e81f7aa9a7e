// SPDX-License-Identifier: Apache-2.0
// Part of canonicalize.
#pragma once

#include "core/ir/func.h"

namespace tilelab {

/// Normalizes the condition of a branch around tile operations that a range of threads takes to
/// `tid >= lo and tid < hi`, which all later passes understand. Uniform conjuncts move to a branch
/// around it. `lanes`: per warp.
Stmt name_thread_ranges(const Kernel& kernel, int64_t lanes);

}  // namespace tilelab
