// SPDX-License-Identifier: Apache-2.0
// Indices of fragments that are out of bounds in some iterations of loops, not in all.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// Reports accesses to out-of-bounds elements of fragments, which no thread holds, in every
/// execution of the kernel. For a tile function.
void verify_reached_indices(const Func& func, Diagnostics& sink);

}  // namespace tilelab
