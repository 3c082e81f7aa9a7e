// SPDX-License-Identifier: Apache-2.0
// Blocks that stand for a whole launch: those alone run. Who chose them (core/prove) has proved
// that the others touch memory as these do, each its own part of what the launch writes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/support/symbol.h"

namespace tilelab::sim {

struct Sample {
  /// A block's part of a dimension begins `step` elements behind that of its neighbour.
  struct Step {
    size_t axis = 0;  // of the grid
    int64_t step = 1;
  };
  /// Indices first + sum of step * coordinate + [0, reach]; the longest step first.
  struct Dim {
    int64_t first = 0, reach = 0;
    std::vector<Step> steps;
  };
  /// The part of a written tensor that a block owns.
  struct Part {
    Symbol tensor;
    std::vector<Dim> dims;
  };

  std::array<int64_t, 3> grid{1, 1, 1};
  std::vector<int64_t> blocks;  // by number, in increasing order
  std::vector<Part> parts;

  /// Whether the run can tell if an element is written: a block that runs owns it, or no block.
  bool tells(Symbol tensor, const std::vector<int64_t>& index) const;
};

}  // namespace tilelab::sim
