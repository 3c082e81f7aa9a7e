// SPDX-License-Identifier: Apache-2.0
// Selects the blocks of a launch to simulate so that the others cannot show anything new. For a
// tile function with known scalars, it proves that blocks are independent in written memory, and
// that all blocks of a class agree in their conditions and bounds: then one block of each class is
// enough (docs/adr/0019).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/sim/sample.h"
#include "core/sim/sim.h"

namespace tilelab {

/// A reason why a launch is not proved.
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

/// `seed` selects the blocks that represent the middle of the grid.
Proof prove(const sim::Launch& launch, uint64_t seed = 0);
/// For the launch of a call.
Proof prove(const Func& func, std::span<const sim::Argument> arguments, uint64_t seed = 0);

}  // namespace tilelab
