// SPDX-License-Identifier: Apache-2.0
// Which elements of a buffer are private to a thread, in per-thread code: access indices are
// decomposed into digits of the thread index and an offset.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/ranges.h"
#include "core/analysis/thread_strides.h"
#include "core/ir/linear.h"

namespace tilelab {

/// One index of an access: a sum of coefficient * digit, a kernel-invariant term, multiples in
/// known ranges, and an unknown multiple of `step`.
struct ThreadIndex {
  /// tid // divisor % modulus, in [0, most].
  struct Digit {
    int64_t coefficient = 0, divisor = 1, modulus = 0, most = 0;
    bool operator==(const Digit&) const = default;
  };
  struct Range {
    int64_t lo = 0, hi = 0;
  };
  std::vector<Digit> digits;        // largest coefficient first
  Linear fixed;                     // includes the constant
  std::map<int64_t, Range> ranges;  // by coefficients, all positive
  int64_t step = 0;
  bool known = false;  // otherwise the index is unanalyzable
};

class ThreadElements {
 public:
  /// `fixed`: names that are invariant in the kernel; `lets`: the values of other names.
  ThreadElements(const Kernel& kernel, const std::unordered_set<Symbol>& fixed,
                 const Substitution& lets);

  /// Sets how many threads there are: of the block, or of a role, which counts them from 0. Returns
  /// how many there were.
  int64_t set_threads(int64_t threads);
  ThreadIndex index(const Expr& index) const;
  /// Empty if no index depends on the thread.
  std::vector<ThreadIndex> indices(const std::vector<Expr>& index) const;

 private:
  using Range = ThreadIndex::Range;
  std::optional<ThreadIndex::Digit> digit(const Expr& atom) const;
  std::optional<Range> range(const Expr& atom) const;
  void expand_stride(const Linear::Term& term, const ThreadStride& stride, Linear& sum,
                     ThreadIndex& out) const;
  static void add(int64_t coefficient, std::optional<Range> range, ThreadIndex& out);

  int64_t threads_;
  const std::unordered_set<Symbol>& fixed_;
  ThreadStrides strides_;
  std::unordered_map<Symbol, Range> loops_;  // the ranges of loop variables
  RangeAnalysis facts_;                      // the same, and the thread index
};

/// Whether two different threads of `threads` access different elements, one with the first access
/// and the other with the second, at any time.
bool threads_disjoint(const std::vector<ThreadIndex>& before, const std::vector<ThreadIndex>& now,
                      int64_t threads);

}  // namespace tilelab
