// SPDX-License-Identifier: Apache-2.0
// Privatizes tiles of shared memory that threads need not share (select_instructions).
#pragma once

#include <vector>

#include "core/passes/shared/hardware_units.h"

namespace tilelab {

/// The shared buffers of a kernel that can be fragments: they are filled, copied and iterated over
/// by T.Parallel only as a whole, element by element, so that each element can be in one thread;
/// and no matmul, reduction or pipelined loop constrains which one. Limited to a few registers, in
/// the order of the declarations.
std::vector<const Buffer*> find_private_tiles(const Kernel& kernel, const KernelMemory& memory);

}  // namespace tilelab
