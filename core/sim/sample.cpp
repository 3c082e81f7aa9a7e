// SPDX-License-Identifier: Apache-2.0
#include "core/sim/sample.h"

#include <algorithm>
#include <cstdlib>

namespace tilelab::sim {
namespace {

/// The coordinates of the block that owns `index` in the dimension; false if there is none.
bool find_block(const Sample::Dim& dim, const std::array<int64_t, 3>& grid, int64_t index,
                std::array<int64_t, 3>& block) {
  int64_t rest = index - dim.first;
  for (const Sample::Step& s : dim.steps)  // from the other end if the steps are negative
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

/// Whether blocks own every index of the dimension.
bool covered(const Sample::Dim& dim, const std::array<int64_t, 3>& grid, int64_t extent) {
  std::vector<int64_t> begins{dim.first};
  for (const Sample::Step& s : dim.steps) {
    std::vector<int64_t> next;
    for (int64_t begin : begins)
      for (int64_t b = 0; b < grid[s.axis]; ++b) next.push_back(begin + b * s.step);
    begins = std::move(next);
  }
  std::sort(begins.begin(), begins.end());
  int64_t reached = 0;  // every smaller index is covered
  for (int64_t begin : begins)
    if (begin <= reached) reached = std::max(reached, begin + dim.reach + 1);
  return reached >= extent;
}

}  // namespace

const Sample::Part* Sample::part_of(Symbol tensor) const {
  for (const Part& part : parts)
    if (part.tensor == tensor) return &part;
  return nullptr;
}

bool Sample::covers(Symbol tensor, const std::vector<int64_t>& shape) const {
  const Part* part = part_of(tensor);
  for (size_t d = 0; part && d < part->dims.size(); ++d)
    if (!covered(part->dims[d], grid, shape[d])) return false;
  return part != nullptr;
}

std::optional<std::vector<Sample::Box>> Sample::boxes(Symbol tensor,
                                                      const std::vector<int64_t>& shape) const {
  const Part* part = part_of(tensor);
  if (!part) return std::nullopt;
  std::vector<Box> out;
  for (int64_t number : blocks) {
    const std::array<int64_t, 3> block{number % grid[0], number / grid[0] % grid[1],
                                       number / grid[0] / grid[1]};
    Box box;
    for (size_t d = 0; d < part->dims.size(); ++d) {
      int64_t begin = part->dims[d].first;
      for (const Step& s : part->dims[d].steps) begin += s.step * block[s.axis];
      box.lo.push_back(std::max<int64_t>(begin, 0));
      box.hi.push_back(std::min(begin + part->dims[d].reach + 1, shape[d]));
    }
    out.push_back(std::move(box));
  }
  return out;
}

bool Sample::decides(Symbol tensor, const std::vector<int64_t>& index) const {
  const Part* part = part_of(tensor);
  std::array<int64_t, 3> block{};
  for (size_t d = 0; d < index.size(); ++d)
    if (!part || !find_block(part->dims[d], grid, index[d], block)) return true;
  const int64_t number = (block[2] * grid[1] + block[1]) * grid[0] + block[0];
  return !part || std::binary_search(blocks.begin(), blocks.end(), number);
}

}  // namespace tilelab::sim
