// SPDX-License-Identifier: Apache-2.0
// Tiles of shared memory that threads need not share (select_instructions).
#pragma once

#include <vector>

#include "core/passes/shared/hardware_units.h"

namespace tilelab {

/// The shared buffers of a kernel that may as well be fragments: they are filled, copied and walked
/// over by T.Parallel as a whole, element by element, so that each element can stay with one
/// thread; and no product, reduction or pipelined loop has a say in which one that is. Only what
/// fits into few registers, in the order of the declarations.
std::vector<const Buffer*> private_tiles(const Kernel& kernel, const KernelMemory& memory);

}  // namespace tilelab
