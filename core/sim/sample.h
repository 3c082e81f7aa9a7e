// SPDX-License-Identifier: Apache-2.0
// Blocks that represent a whole launch; only these run. core/prove, which chose them, has proved
// that the other blocks access memory in the same way and write disjoint parts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/support/symbol.h"

namespace tilelab::sim {

struct Sample {
  /// A block's part of a dimension begins `step` elements after that of its neighbour.
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
  std::vector<int64_t> blocks;  // linear indices, increasing
  std::vector<Part> parts;

  /// A box of elements: indices in [lo, hi).
  struct Box {
    std::vector<int64_t> lo, hi;
  };

  /// The elements of a tensor that the executed blocks own; nullopt if the launch does not write
  /// it.
  std::optional<std::vector<Box>> boxes(Symbol tensor, const std::vector<int64_t>& shape) const;
  /// Whether every element of a written tensor has an owner.
  bool covers(Symbol tensor, const std::vector<int64_t>& shape) const;
  /// Whether the run decides if an element is written: an executed block owns it, or no block does.
  bool decides(Symbol tensor, const std::vector<int64_t>& index) const;

 private:
  const Part* part_of(Symbol tensor) const;
};

/// Calls `visit` with each index of the box.
template <class F> void each_index(const Sample::Box& box, F visit) {
  for (size_t d = 0; d < box.lo.size(); ++d)
    if (box.lo[d] >= box.hi[d]) return;
  std::vector<int64_t> at = box.lo;
  for (;;) {
    visit(at);
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == box.hi[d - 1]) at[d - 1] = box.lo[d - 1], --d;
    if (d == 0) return;
  }
}

}  // namespace tilelab::sim
