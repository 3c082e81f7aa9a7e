// SPDX-License-Identifier: Apache-2.0
// What one warp of a loop touches of shared memory at once, as far as the loop tells.
#pragma once

#include <vector>

#include "core/layout/cures.h"
#include "core/passes/infer_layouts/problem.h"

namespace tilelab {

/// The first warp of a loop whose map is known. Of its rounds some stand for all.
class WarpAccesses {
 public:
  WarpAccesses(const LayoutProblem& problem, const LayoutOp& op);

  /// Elements by lane, round by round; nothing where only a run can tell them. What is outside of
  /// the loop moves all of a warp together, and is taken as 0.
  std::vector<ElementAccess> of(const BufferAccess& access) const;
  /// Rounds of the loop, each of op.vec iterations of every lane.
  int64_t rounds() const { return rounds_; }

 private:
  std::optional<int64_t> element_of(const BufferAccess& access, const Index& iteration) const;

  const LayoutProblem& problem_;
  const LayoutOp& op_;
  int64_t vec_, rounds_, seen_;
  std::vector<std::vector<Index>> held_;  // by lane and register: iterations; empty: none
};

/// What a loop's accesses to shared memory and tensors cost a warp, the buffers lying as they do.
struct LoopCost {
  int64_t cost = 0;           // access_cost
  bool conflict_free = true;  // as far as the loop tells
};
LoopCost cost_of_accesses(const LayoutProblem& solved, const LayoutOp& op);

}  // namespace tilelab
