// SPDX-License-Identifier: Apache-2.0
// Queries about a single statement for passes that place barriers.
#pragma once

#include "core/ir/expr.h"
#include "core/ir/thread_range.h"

namespace tilelab {

/// Whether it is a barrier of all threads of the block or role.
bool is_barrier(const Stmt& stmt);
/// Whether it is a barrier of the threads of one group.
bool is_group_barrier(const Stmt& stmt);
/// Whether it is a barrier of this range of threads.
bool is_range_barrier(const Stmt& stmt, const ThreadRange& threads);
/// Whether it is a barrier with an explicit ID.
bool is_named_sync(const Stmt& stmt);
/// A loop that runs at least once.
bool surely_runs(const Stmt& stmt);
/// A loop that contains operations only: no role, ring or barrier, and no loop but of vectors
/// or of explicit matrix instructions.
bool is_plain_loop(const Stmt& stmt);

}  // namespace tilelab
