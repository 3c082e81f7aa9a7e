// SPDX-License-Identifier: Apache-2.0
// Conditions that pick a range of a block's threads: `if tx < 128:`, `if warp == 2:`. Tile
// operations under such a condition are done by those threads alone.
#pragma once

#include <optional>

#include "core/ir/traverse.h"

namespace tilelab {

/// Threads [lo, hi) of a block, or of a role.
struct ThreadRange {
  int64_t lo = 0, hi = 0;
  int64_t count() const { return hi - lo; }
  bool contains(const ThreadRange& other) const { return lo <= other.lo && other.hi <= hi; }
  bool operator==(const ThreadRange&) const = default;
};

/// The threads out of `all` for which `condition` holds, if it depends on the thread's index alone
/// and they are neighbours; nothing if they are not, or there is none. Names of `lets` stand for
/// their values; `lanes` of a warp (0: conditions on `lane` and `warp` are not understood).
std::optional<ThreadRange> threads_where(const Expr& condition, const ThreadRange& all,
                                         const Substitution& lets = {}, int64_t lanes = 0);

/// The range of a branch of `branch`; `else_`: of the threads for which the condition is false.
std::optional<ThreadRange> threads_of(const If& branch, bool else_, const ThreadRange& all);

/// The parts of a conjunction, in order.
void conjuncts(const Expr& condition, std::vector<Expr>& out);

/// `tid >= lo and tid < hi`, without what holds for all threads of `all`.
Expr thread_condition(const ThreadRange& range, const ThreadRange& all);

/// Whether a tile operation or a T.Parallel stands in `stmt`.
bool has_tile_operation(const Stmt& stmt);

}  // namespace tilelab
