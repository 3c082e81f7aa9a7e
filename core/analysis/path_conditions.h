// SPDX-License-Identifier: Apache-2.0
// Path conditions as linear constraints: `i < n` means that the slack n - i - 1 is not negative.
#pragma once

#include <vector>

#include "core/analysis/ranges.h"
#include "core/ir/linear.h"

namespace tilelab {

/// Adds the slacks of all integer comparisons that hold if `condition` is true (false, with
/// `negated`).
void add_slacks(const Expr& condition, bool negated, std::vector<Linear>& out);

/// The facts that hold at one point of a kernel, initially at its entry.
struct FactContext {
  explicit FactContext(const Func& func);

  RangeAnalysis facts;
  std::vector<Linear> slacks;  // of the enclosing conditions
  Substitution lets;           // fully substituted

  /// With lets substituted.
  Linear sum(const Expr& e) const { return linear_of(substitute(e, lets)); }
  void bind(const Let& let);
  void hold(const Expr& condition, bool negated = false) {
    add_slacks(substitute(condition, lets), negated, slacks);
  }
  /// Adds the facts of a kernel, loop or role about its names.
  void enter(const Stmt& stmt);

 private:
  int lanes_;  // of a warp
};

/// a + factor * b, if that is a constant.
std::optional<int64_t> constant_sum(Linear a, const Linear& b, int64_t factor);

}  // namespace tilelab
