// SPDX-License-Identifier: Apache-2.0
// T.sync_grid() in a loop or a branch: a barrier of blocks that all run at once. At the top level
// of a kernel it is a second launch (split_launches.h), which needs no such promise.
#pragma once

#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// The marker of such a barrier in a body, until its kernel is complete.
Stmt resident_barrier();
bool has_resident_barrier(const Node& body);

/// Replaces the markers by a sense-reversing barrier (Mellor-Crummey and Scott, 1991): thread 0 of
/// each block adds 1 to a counter, and the first block so much that its top bit changes when all
/// have arrived; each waits for that. A block that ends counts as well, and the last one restores
/// the zeros. `counters`: two u32 in a zeroed workspace; `sync`: a barrier of the block's threads.
/// Reports barriers that not all blocks and threads surely reach.
Stmt with_resident_barriers(const Kernel& kernel, Symbol counters, const Stmt& sync,
                            FunctionRef<Symbol(const char*)> fresh, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
