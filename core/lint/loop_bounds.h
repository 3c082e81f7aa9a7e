// SPDX-License-Identifier: Apache-2.0
// Indices of fragments that are out of bounds in some iterations of loops, not in all.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// Reports elements of fragments that are out of bounds, which no thread holds, and are accessed
/// whenever the kernel runs. Of a tile function.
void verify_reached_indices(const Func& func, Diagnostics& sink);

}  // namespace tilelab
