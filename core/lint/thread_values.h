// SPDX-License-Identifier: Apache-2.0
// Values and memory of single threads, next to operations that the threads of a block execute
// together (docs/ir.md, section 5).
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// Reports values that differ between the threads which execute a T.Parallel or a tile operation,
/// exchanges of values inside a T.Parallel, operations that combine memory of threads with that of
/// the block, atomic accesses to memory of single threads, and registers that are selected at run
/// time (register_indices.h).
void verify_thread_values(const Kernel& kernel, const BufferTable& buffers, Diagnostics& sink);

}  // namespace tilelab
