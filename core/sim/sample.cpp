// SPDX-License-Identifier: Apache-2.0
#include "core/sim/sample.h"

#include <algorithm>
#include <cstdlib>

namespace tilelab::sim {
namespace {

/// The coordinates of the block whose part of the dimension has `index`; false if there is none.
bool find_block(const Sample::Dim& dim, const std::array<int64_t, 3>& grid, int64_t index,
                std::array<int64_t, 3>& block) {
  int64_t rest = index - dim.first;
  for (const Sample::Step& s : dim.steps)  // from the other end where the steps go down
    if (s.step < 0) rest -= s.step * (grid[s.axis] - 1);
  for (const Sample::Step& s : dim.steps) {
    if (rest < 0) return false;
    const int64_t length = std::abs(s.step), last = grid[s.axis] - 1;
    const int64_t count = std::min(rest / length, last);
    rest -= count * length;
    block[s.axis] = s.step < 0 ? last - count : count;
  }
  return rest >= 0 && rest <= dim.reach;
}

}  // namespace

bool Sample::tells(Symbol tensor, const std::vector<int64_t>& index) const {
  for (const Part& part : parts) {
    if (part.tensor != tensor) continue;
    std::array<int64_t, 3> block{};
    for (size_t d = 0; d < index.size(); ++d)
      if (!find_block(part.dims[d], grid, index[d], block)) return true;
    const int64_t number = (block[2] * grid[1] + block[1]) * grid[0] + block[0];
    return std::binary_search(blocks.begin(), blocks.end(), number);
  }
  return true;
}

}  // namespace tilelab::sim
