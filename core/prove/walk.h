// SPDX-License-Identifier: Apache-2.0
// Walks a kernel for a class of blocks to prove that all of them behave alike, and collects the
// accesses to global memory.
#pragma once

#include "core/analysis/access.h"
#include "core/analysis/scoped_visitor.h"
#include "core/prove/kernel.h"

namespace tilelab::proving {

/// An access of a tensor, dimension by dimension.
struct GlobalAccess {
  struct Dim {
    AffineIndex index;       // by the coordinates of the block
    int64_t lo = 0, hi = 0;  // of the remaining terms
    bool known = true;       // else these depend on the block as well
  };
  Symbol tensor;
  bool write = false, atomic = false;
  std::vector<Dim> dims;
  Span span;
};

class Walk : ScopedVisitor {
 public:
  Walk(const KernelFacts& kernel, const Blocks& blocks);

  void run();
  /// Differences between blocks of the class; none: they behave alike.
  const std::vector<Unproved>& differences() const { return differences_; }
  const std::vector<GlobalAccess>& accesses() const { return accesses_; }

 private:
  void stmt(const Stmt& s);
  void body(const Stmt& s);
  void branch(const If& n);
  void loop(const For& n);
  void let(const Let& n);
  void record(const Record& n);
  void operation(const Node& n);
  void fills(const Node& n);
  void fills(const Parallel& n);

  void expr(const Expr& e);
  void call(const Call& n);
  void choice(const Expr& condition, const Expr& then, const Expr& otherwise);
  bool can_fail(const Expr& e, const Expr& known) const;
  bool is_safe(const Load& load) const;
  void division(const Bin& n);

  void access(Symbol buffer, const std::vector<RegionDim>& dims, bool write, bool atomic);
  GlobalAccess::Dim index(Symbol tensor, const RegionDim& dim, int64_t extent);

  /// The value as a sum, with known lets substituted.
  Linear linear(const Expr& e) const;
  Dependence depends(const Linear& sum) const;
  bool alike(const Expr& condition) const;
  void same(const Expr& e, const std::string& what);
  /// Adds that the condition holds, or does not.
  void learn(const Expr& condition, bool holds);
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

// Proves that blocks are independent in written memory; finds the part of each block.

/// The parts of all tensors with non-atomic writes; reports conflicts in `unproved`.
std::vector<sim::Sample::Part> parts_of(const KernelFacts& kernel,
                                        const std::vector<GlobalAccess>& accesses,
                                        std::vector<Unproved>& unproved);

}  // namespace tilelab::proving
