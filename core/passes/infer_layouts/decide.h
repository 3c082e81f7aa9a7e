// SPDX-License-Identifier: Apache-2.0
// The decisions of infer_layouts that need the solved distribution over threads, and the rewrite of
// fragments before it.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/ir/func.h"
#include "core/layout/suggestions.h"
#include "core/passes/infer_layouts/problem.h"

namespace tilelab {

// Shared memory accesses of one warp of a loop, as far as they are static.

/// The first warp of a loop with a known layout. Some of its serial iterations represent all.
class WarpAccesses {
 public:
  WarpAccesses(const LayoutProblem& problem, const LayoutOp& op);

  /// Elements by lane, per serial iteration; empty if they are dynamic. Outer terms shift the whole
  /// warp and are taken as 0.
  std::vector<ElementAccess> of(const BufferAccess& access) const;
  /// Serial iterations of the loop, each of op.vec iterations of every lane.
  int64_t rounds() const { return rounds_; }

 private:
  std::optional<int64_t> element_of(const BufferAccess& access, const Index& iteration) const;

  const LayoutProblem& problem_;
  const LayoutOp& op_;
  int64_t vec_, rounds_, seen_;
  std::vector<std::vector<Index>> held_;  // by lane and register: iterations; empty: none
};

/// Cost of a loop's accesses to shared memory and tensors for a warp, with the current layouts.
struct LoopCost {
  int64_t cost = 0;           // access_cost
  bool conflict_free = true;  // as far as static
};
LoopCost cost_of_accesses(const LayoutProblem& solved, const LayoutOp& op);

// Selects one layout for a shared buffer from all its uses if no unit requires one: a tile that
// threads write by rows and read by columns gets a swizzle of row pieces, so that neither access
// has bank conflicts.

/// The swizzle of a buffer, and why.
struct BufferSwizzle {
  Symbol buffer;
  Swizzle swizzle;
  std::string reason;
};

/// For shared buffers without a layout that only parallel loops access, at indices that depend on
/// the loop variables: the swizzle that makes the accesses of a warp cheapest, if they cost at
/// least twice as much without one. `solved` provides the distribution over threads. In order of
/// declaration.
std::vector<BufferSwizzle> bank_swizzles(const LayoutProblem& solved);

/// The kernel's body with these buffers row-major and swizzled.
Stmt with_swizzles(const Stmt& body, const std::vector<BufferSwizzle>& chosen);

// All layout decisions for a kernel: distribution over threads (solve.cpp), layouts of plain shared
// buffers (bank_swizzles.cpp), and how many elements of a column a lane has.

/// A kernel with the chosen layouts of shared buffers, and all other decisions.
struct Decided {
  Kernel kernel;
  std::vector<BufferSwizzle> swizzles;
  std::unique_ptr<LayoutProblem> problem;  // of that kernel
};

std::unique_ptr<Decided> decide(const Func& func, const Kernel& kernel, PassContext& context);

// Fragments whose layout is a function of a linear index, and not of the separate indices.

/// The kernel's body with each fragment that has a map (`where`) linearized, so that its layout has
/// digits. A T.Parallel over all of one becomes a loop over its linear index, and so do copies and
/// fills; other tile operations use a temporary fragment of the original shape.
///   for i, j in parallel(24, 40): x[i, j] = A[i, j]   with   where=lambda i, j: [i * 40 + j]
///   ->  for n in parallel(960): x[n] = A[n // 40, n % 40]
Stmt as_rows(const Func& func, const Kernel& kernel, std::unordered_map<Symbol, int>& taken);

}  // namespace tilelab
