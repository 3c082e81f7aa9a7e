// SPDX-License-Identifier: Apache-2.0
// The clusters of a launch: a grid of clusters, each a box of adjacent blocks that run together.
#pragma once

#include <array>
#include <cstdint>

#include "core/ir/stmt.h"

namespace tilelab::sim {

struct ClusterShape {
  std::array<int64_t, 3> dims{1, 1, 1};  // blocks along x, y, z
  std::array<int64_t, 3> grid{1, 1, 1};  // blocks

  ClusterShape(const Kernel& kernel, const std::array<int64_t, 3>& blocks) : grid(blocks) {
    if (const Attr* cluster = find_attr(kernel.attrs, "cluster"))
      for (size_t d = 0; d < 3 && d < cluster->list.size(); ++d) dims[d] = cluster->list[d];
  }
  /// The number of blocks in a cluster.
  int64_t size() const { return dims[0] * dims[1] * dims[2]; }
  bool fits() const {
    return grid[0] % dims[0] == 0 && grid[1] % dims[1] == 0 && grid[2] % dims[2] == 0;
  }
  /// The place of a block in that order.
  int64_t place(const std::array<int64_t, 3>& block) const {
    int64_t cluster = 0, rank = 0;
    for (size_t d = 3; d-- > 0;) {
      cluster = cluster * (grid[d] / dims[d]) + block[d] / dims[d];
      rank = rank * dims[d] + block[d] % dims[d];
    }
    return cluster * size() + rank;
  }
  /// The block with place `i` in an order in which the blocks of a cluster are adjacent, by rank.
  int64_t block(int64_t i) const {
    if (size() == 1) return i;
    int64_t cluster = i / size(), rank = i % size(), number = 0, below = 1;
    for (size_t d = 0; d < 3; ++d) {
      const int64_t clusters = grid[d] / dims[d];
      number += below * (cluster % clusters * dims[d] + rank % dims[d]);
      below *= grid[d], cluster /= clusters, rank /= dims[d];
    }
    return number;
  }
};

}  // namespace tilelab::sim
