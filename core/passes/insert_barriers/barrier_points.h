// SPDX-License-Identifier: Apache-2.0
// Queries about a single statement for passes that place barriers.
#pragma once

#include "core/ir/stmt.h"
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
/// A barrier of all threads of a block or role; `all`: also of accesses of tensors.
Stmt barrier_of_all(Intrinsic scope, bool all);
/// A barrier of a range of threads; `group`: the threads of a group, if the range is one.
Stmt barrier_of(const ThreadRange& threads, int64_t group);
/// The statement after one of a list, but for waits for slots of rings; null if there is none.
Stmt statement_after(const Seq& list, size_t at);
/// A loop that runs at least once.
bool surely_runs(const Stmt& stmt);
/// A loop that contains operations only: no role, ring or barrier, and no loop but of vectors
/// or of explicit matrix instructions.
bool is_plain_loop(const Stmt& stmt);

}  // namespace tilelab
