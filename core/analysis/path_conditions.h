// SPDX-License-Identifier: Apache-2.0
// What conditions say of indices: `i < n` is that the sum n - i - 1, its slack, is not negative.
#pragma once

#include <vector>

#include "core/analysis/ranges.h"
#include "core/ir/linear.h"

namespace tilelab {

/// Adds the slacks of all comparisons of integers that hold where `condition` does (is false, with
/// `negated`).
void add_slacks(const Expr& condition, bool negated, std::vector<Linear>& out);

/// What is known of indices at one place of a kernel; first of all at its beginning.
struct FactContext {
  explicit FactContext(const Func& func);

  RangeAnalysis facts;
  std::vector<Linear> slacks;  // of the conditions around
  Substitution lets;           // in terms of what is no let

  /// With lets written out.
  Linear sum(const Expr& e) const { return linear_of(substitute(e, lets)); }
  void bind(const Let& let);
  void hold(const Expr& condition, bool negated = false) {
    add_slacks(substitute(condition, lets), negated, slacks);
  }
  /// What a kernel, loop or role says of its names.
  void enter(const Stmt& stmt);

 private:
  int lanes_;  // of a warp
};

/// a + factor * b, if that is a constant.
std::optional<int64_t> constant_sum(Linear a, const Linear& b, int64_t factor);

}  // namespace tilelab
