// SPDX-License-Identifier: Apache-2.0
// One walk over a kernel for a class of blocks: is what one of them does what all of them do? It
// collects the accesses of global memory on its way.
#pragma once

#include "core/analysis/ranges.h"
#include "core/prove/kernel.h"

namespace tilelab::proving {

/// An access of a tensor, dimension by dimension: steps * coordinates of the block + [lo, hi].
struct GlobalAccess {
  struct Dim {
    bool linear = true;  // else nothing is known of it
    std::array<int64_t, 3> steps{};
    int64_t lo = 0, hi = 0;
  };
  Symbol tensor;
  bool write = false, atomic = false;
  std::vector<Dim> dims;
  Span span;
};

class Walk {
 public:
  Walk(const KernelFacts& kernel, const Blocks& blocks);

  void run();
  /// What differs between blocks of the class; none: they are alike.
  const std::vector<Unproved>& differences() const { return differences_; }
  const std::vector<GlobalAccess>& accesses() const { return accesses_; }

 private:
  void stmt(const Stmt& s, RangeAnalysis& facts);
  void body(const Stmt& s, RangeAnalysis facts);
  void branch(const If& n, const RangeAnalysis& facts);
  void loop(const For& n, RangeAnalysis facts);
  void let(const Let& n, RangeAnalysis& facts);
  void record(const Record& n, const RangeAnalysis& facts);
  void operation(const Node& n, const RangeAnalysis& facts);
  void fills(const Node& n);
  void fills(const Parallel& n);

  void expr(const Expr& e, const RangeAnalysis& facts);
  void call(const Call& n, const RangeAnalysis& facts);
  void choice(const Expr& condition, const Expr& then, const Expr& otherwise,
              const RangeAnalysis& facts);
  bool can_fail(const Expr& e, const Expr& known, const RangeAnalysis& facts) const;
  bool is_safe(const Load& load, const RangeAnalysis& facts) const;
  void division(const Bin& n, const RangeAnalysis& facts);

  void access(Symbol buffer, const std::vector<RegionDim>& dims, bool write, bool atomic,
              const RangeAnalysis& facts);
  GlobalAccess::Dim index(Symbol tensor, const RegionDim& dim, int64_t extent,
                          const RangeAnalysis& facts);

  /// The value as a sum, with the lets that are known written out.
  Linear linear(const Expr& e) const;
  Dependence depends(const Linear& sum) const;
  bool alike(const Expr& condition, const RangeAnalysis& facts) const;
  void same(const Expr& e, const RangeAnalysis& facts, const std::string& what);
  /// `facts` where the condition holds, or does not.
  RangeAnalysis where(const Expr& condition, bool holds, RangeAnalysis facts) const;
  bool constant_meaning(const Expr& e) const;
  void differ(std::string why);
  std::string text(Dependence what) const;

  const KernelFacts& kernel_;
  Blocks blocks_;
  Stmt body_;
  Dependences depends_;
  std::unordered_map<Symbol, Expr> lets_;
  std::unordered_map<Symbol, std::vector<int64_t>>
      filled_;          // shapes of buffers that were written as a whole
  int conditions_ = 0;  // around the statement
  std::vector<Unproved> differences_;
  std::vector<GlobalAccess> accesses_;
  Span at_;
};

}  // namespace tilelab::proving
