// SPDX-License-Identifier: Apache-2.0
// Indices that leave a block's memory in some turns of loops, not in all.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// Reports elements of shared and local buffers (a warning: the simulator stops such an access, and
/// a GPU has other memory there) and of fragments (an error: no thread holds them) that lie outside
/// and are accessed whenever the kernel runs. Of a tile function.
void verify_reached_indices(const Func& func, Diagnostics& sink);

}  // namespace tilelab
