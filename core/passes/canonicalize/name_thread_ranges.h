// SPDX-License-Identifier: Apache-2.0
// Part of canonicalize.
#pragma once

#include "core/ir/func.h"

namespace tilelab {

/// Branches around tile operations, of which a range of threads takes one: their condition becomes
/// `tid >= lo and tid < hi`, which every later pass understands; what all threads agree on stands
/// in a branch around it. `lanes` of a warp.
Stmt name_thread_ranges(const Kernel& kernel, int64_t lanes);

}  // namespace tilelab
