// SPDX-License-Identifier: Apache-2.0
// Conditions that select a range of a block's threads: `if tx < 128:`, `if warp == 2:`. Only these
// threads execute tile operations under such a condition.
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

/// The threads of `all` for which `condition` holds, if it depends only on the thread index and the
/// threads are contiguous; nullopt otherwise, or if there is none. Names of `lets` are replaced by
/// their values; `lanes` of a warp (0: `lane` and `warp` are unsupported).
std::optional<ThreadRange> threads_where(const Expr& condition, const ThreadRange& all,
                                         const Substitution& lets = {}, int64_t lanes = 0);

/// The thread range of a branch of `branch`; `else_`: of the threads for which the condition is
/// false.
std::optional<ThreadRange> threads_of(const If& branch, bool else_, const ThreadRange& all);

/// The operands of a conjunction, in order.
void conjuncts(const Expr& condition, std::vector<Expr>& out);

/// `tid >= lo and tid < hi`, without comparisons that hold for all threads of `all`.
Expr thread_condition(const ThreadRange& range, const ThreadRange& all);

/// Whether `stmt` contains a tile operation or a T.Parallel.
bool has_tile_operation(const Stmt& stmt);

}  // namespace tilelab
