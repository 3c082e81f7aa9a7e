// SPDX-License-Identifier: Apache-2.0
// What is known of integer expressions: an interval and a divisor. Facts come from constants,
// dims, loop bounds, block and thread indices; conditions are proven with them, or stay.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "core/ir/func.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// Every value lies in [lo, hi] and is a multiple of `multiple` (0 for the constant 0).
struct Range {
  int64_t lo, hi;
  int64_t multiple = 1;
  static Range exactly(int64_t value) { return {value, value, value < 0 ? -value : value}; }
  static Range of(DType dtype);
  bool within(int64_t a, int64_t b) const { return a <= lo && hi <= b; }
};
/// What a value of either can be.
Range join_ranges(const Range& a, const Range& b);

/// A value, cheap to copy: a copy shares what it was made of and keeps apart what it learns.
class RangeAnalysis {
 public:
  /// Facts about the dims of a function.
  static RangeAnalysis of(const Func& func);

  void set(Symbol name, Range range);
  /// Adds block indices, tid, lane, warp of a kernel.
  void enter(const Kernel& kernel, int lanes_per_warp);
  void enter(const Role& role);
  void enter(const For& loop);
  void enter(const Parallel& loop);
  void enter(const TileLoop& loop);
  /// Remembers what the let's value can be.
  void bind(const Let& let) { set(let.name, range(let.value)); }

  /// Remembers a condition that holds: bounds of a name or of a sum by constants, `name % 4 == 0`.
  void learn(const Expr& condition);

  Range range(const Expr& expr) const;
  Range range(const Linear& linear) const;
  /// Whether `linear`, in numbers without bounds, is what arithmetic of `dtype` gives. Index
  /// arithmetic (i32 and i64 on names with known bounds) is taken not to overflow; data may wrap.
  bool exact(const Linear& linear, DType dtype) const;
  /// Whether the condition always (true) or never (false) holds; nothing if that is unknown.
  std::optional<bool> decide(const Expr& condition) const;

 private:
  /// Indices from 0 to their extents.
  void set_below(const std::vector<Symbol>& names, const std::vector<Expr>& extents);
  Range range_of_bin(const Bin& bin) const;
  bool is_index(const Expr& atom) const;
  const Range* find(Symbol name) const;

  struct Layer {
    std::unordered_map<Symbol, Range> ranges;
    std::shared_ptr<const Layer> below;
  };
  std::shared_ptr<Layer> top_;

  /// A sum without its constant, and where it lies.
  struct KnownSum {
    std::vector<Linear::Term> terms;
    Range range;
    std::shared_ptr<const KnownSum> before;
    int count;  // with those before
  };
  void learn_sum(Linear sum, BinOp op);
  std::shared_ptr<const KnownSum> sums_;
};

/// The expression with `//`, `%`, comparisons, `and`, `or` and selects resolved as far as the
/// facts allow. Exact: never changes a value.
Expr simplify_index(const Expr& expr, const RangeAnalysis& facts);

}  // namespace tilelab
