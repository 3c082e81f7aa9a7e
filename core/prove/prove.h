// SPDX-License-Identifier: Apache-2.0
// Which blocks of a launch have to be simulated so that the others can show nothing new. Of a tile
// function whose scalars are known it is proved that blocks do not meet in memory that one of them
// writes, and that all blocks of a class decide their conditions alike and stay inside the tensors
// alike: then one of each class is enough (docs/adr/0019).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/sim/sample.h"
#include "core/sim/sim.h"

namespace tilelab {

/// What kept a launch from being proved.
struct Unproved {
  Span span;
  std::string why;
};

struct Proof {
  int64_t blocks = 0;              // of the launch
  sim::Sample sample;              // if proved: those that have to run
  std::vector<Unproved> unproved;  // the first reasons; empty and no sample: too few blocks
  bool proved() const { return !sample.blocks.empty(); }
};

/// `seed` chooses the blocks that stand for those in the middle of the grid.
Proof prove(const sim::Launch& launch, uint64_t seed = 0);
/// Of the launch of a call.
Proof prove(const Func& func, std::span<const sim::Argument> arguments, uint64_t seed = 0);

}  // namespace tilelab
