// SPDX-License-Identifier: Apache-2.0
// Shared memory accesses of one warp of a loop, as far as they are static.
#pragma once

#include <vector>

#include "core/layout/suggestions.h"
#include "core/passes/infer_layouts/problem.h"

namespace tilelab {

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

}  // namespace tilelab
