// SPDX-License-Identifier: Apache-2.0
// Range analysis of integer expressions: an interval and a divisor. Facts come from constants,
// dims, loop bounds, block and thread indices; they prove or refute conditions.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "core/ir/func.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// Every value is in [lo, hi] and a multiple of `multiple` (0 for the constant 0).
struct Range {
  int64_t lo, hi;
  int64_t multiple = 1;
  static Range exactly(int64_t value) { return {value, value, value < 0 ? -value : value}; }
  static Range of(DType dtype);
  bool within(int64_t a, int64_t b) const { return a <= lo && hi <= b; }
};
/// The union of two ranges.
Range join_ranges(const Range& a, const Range& b);

/// The facts at one point. Cheap to copy: copies share existing facts and add their own.
class RangeAnalysis {
 public:
  /// Facts about the dims of a function.
  static RangeAnalysis of(const Func& func);

  void set(Symbol name, Range range);
  /// Adds block indices, tid, lane and warp of a kernel.
  void enter(const Kernel& kernel, int lanes_per_warp);
  void enter(const Role& role);
  void enter(const For& loop);
  void enter(const Parallel& loop);
  void enter(const TileLoop& loop);
  /// Records the range of the let's value, and the bounds by names that it has.
  void bind(const Let& let);
  /// Facts of any statement in `root`, of what its lets and tile loops bind: a name that several
  /// scopes bind has the range of all its values.
  void bind_all(const Node& root);

  /// Records a condition that holds: constant bounds of a name or a sum, `name % 4 == 0`.
  void learn(const Expr& condition);

  Range range(const Expr& expr) const;
  Range range(const Linear& linear) const;
  /// Whether `linear`, in unbounded integers, equals the result of `dtype` arithmetic. Index
  /// arithmetic (i32 and i64 on names with known bounds) is assumed not to overflow; data may wrap.
  bool exact(const Linear& linear, DType dtype) const;
  /// Whether the condition always (true) or never (false) holds; nullopt if unknown.
  std::optional<bool> decide(const Expr& condition) const;

 private:
  /// Each index is in [0, extent).
  void set_below(const std::vector<Symbol>& names, const std::vector<Expr>& extents);
  /// A dynamic extent is a bound by its name: a block of `n` blocks is in bounds of `n` rows.
  void learn_below(Symbol name, const Expr& extent);
  Range range_of_bin(const Bin& bin) const;
  Range range_of_quotient(const Linear& linear) const;
  bool is_index(const Expr& atom) const;
  const Range* find(Symbol name) const;

  struct Layer {
    std::unordered_map<Symbol, Range> ranges;
    std::shared_ptr<const Layer> below;
  };
  std::shared_ptr<Layer> top_;

  /// A sum without its constant, and the sum's range.
  struct KnownSum {
    std::vector<Linear::Term> terms;
    Range range;
    std::shared_ptr<const KnownSum> before;
    int count;  // including earlier facts
  };
  void learn_sum(Linear sum, BinOp op);
  void forget_sums_of(Symbol name);
  std::shared_ptr<const KnownSum> sums_;
};

/// The expression with `//`, `%`, comparisons, `and`, `or` and selects resolved as far as the
/// facts allow. Exact: never changes a value.
Expr simplify_index(const Expr& expr, const RangeAnalysis& facts);

}  // namespace tilelab
