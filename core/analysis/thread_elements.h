// SPDX-License-Identifier: Apache-2.0
// Which elements of a buffer are a thread's own, in code of single threads: the indices of its
// accesses as digits of the thread's number, and what is added to them.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/thread_strides.h"
#include "core/ir/linear.h"

namespace tilelab {

/// One index of an access: sum of coefficient * digit, of what is the same throughout the kernel,
/// of multiples in known ranges, and of some multiple of `step`.
struct ThreadIndex {
  /// tid // divisor % modulus, in [0, most].
  struct Digit {
    int64_t coefficient = 0, divisor = 1, modulus = 0, most = 0;
    bool operator==(const Digit&) const = default;
  };
  struct Range {
    int64_t lo = 0, hi = 0;
  };
  std::vector<Digit> digits;        // the largest coefficient first
  Linear fixed;                     // with the constant
  std::map<int64_t, Range> ranges;  // by coefficients, all positive
  int64_t step = 0;
  bool known = false;  // else nothing can be said of it
};

class ThreadElements {
 public:
  /// `fixed`: the names that have one value throughout the kernel; `lets`: what other names stand
  /// for.
  ThreadElements(const Kernel& kernel, const std::unordered_set<Symbol>& fixed,
                 const Substitution& lets);

  ThreadIndex index(const Expr& index) const;
  /// Empty if none of them says anything of threads.
  std::vector<ThreadIndex> indices(const std::vector<Expr>& index) const;

 private:
  using Range = ThreadIndex::Range;
  std::optional<ThreadIndex::Digit> digit(const Expr& atom) const;
  std::optional<Range> range(const Expr& atom) const;
  void run_through(const Linear::Term& term, const ThreadStride& stride, Linear& sum,
                   ThreadIndex& out) const;
  static void add(int64_t coefficient, std::optional<Range> range, ThreadIndex& out);

  int64_t threads_;
  const std::unordered_set<Symbol>& fixed_;
  ThreadStrides strides_;
  std::unordered_map<Symbol, Range> loops_;  // what loops of known bounds give their variables
};

/// Whether two different threads of `threads` touch different elements, whenever the one makes the
/// first access and the other the second.
bool threads_disjoint(const std::vector<ThreadIndex>& before, const std::vector<ThreadIndex>& now,
                      int64_t threads);

}  // namespace tilelab
