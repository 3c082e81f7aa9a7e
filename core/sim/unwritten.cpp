// SPDX-License-Identifier: Apache-2.0
#include "core/sim/unwritten.h"

#include <algorithm>
#include <cstdlib>

namespace tilelab::sim {
namespace {

using Index = std::vector<int64_t>;

/// Calls `visit` with each index of [lo, hi).
template <class F> void each_index(const Index& lo, const Index& hi, F visit) {
  for (size_t d = 0; d < lo.size(); ++d)
    if (lo[d] >= hi[d]) return;
  Index at = lo;
  for (;;) {
    visit(at);
    size_t d = at.size();
    while (d > 0 && ++at[d - 1] == hi[d - 1]) at[d - 1] = lo[d - 1], --d;
    if (d == 0) return;
  }
}

/// Whether every index of the dimension is some block's.
bool covered(const Sample::Dim& dim, const std::array<int64_t, 3>& grid, int64_t extent) {
  std::vector<int64_t> begins{dim.first};
  for (const Sample::Step& s : dim.steps) {
    std::vector<int64_t> next;
    for (int64_t begin : begins)
      for (int64_t b = 0; b < grid[s.axis]; ++b) next.push_back(begin + b * s.step);
    begins = std::move(next);
  }
  std::sort(begins.begin(), begins.end());
  int64_t reached = 0;  // all before it are
  for (int64_t begin : begins)
    if (begin <= reached) reached = std::max(reached, begin + dim.reach + 1);
  return reached >= extent;
}

const Sample::Part* part_of(const Sample* sample, const GlobalMemory& memory) {
  if (!sample) return nullptr;
  for (const Sample::Part& part : sample->parts) {
    if (part.tensor != memory.name) continue;
    for (size_t d = 0; d < part.dims.size(); ++d)
      if (!covered(part.dims[d], sample->grid, memory.shape[d])) return nullptr;
    return &part;
  }
  return nullptr;
}

}  // namespace

Unwritten unwritten_of(const GlobalMemory& memory, const Sample* sample) {
  Unwritten out{memory.name.str(), 0, 1, {}};
  for (int64_t extent : memory.shape) out.elements *= extent;
  auto look = [&](const Index& index) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * memory.strides[d];
    if (memory.written[offset * bytes(memory.dtype)]) return;
    if (sample && !sample->tells(memory.name, index)) return;
    if (out.count++ == 0 || index < out.first) out.first = index;
  };
  Index lo(memory.shape.size()), hi = memory.shape;
  const Sample::Part* part = part_of(sample, memory);
  if (!part) {
    each_index(lo, hi, look);
    return out;
  }
  for (int64_t number : sample->blocks) {  // there is nothing outside of the blocks' parts
    const auto& grid = sample->grid;
    const std::array<int64_t, 3> block{number % grid[0], number / grid[0] % grid[1],
                                       number / grid[0] / grid[1]};
    for (size_t d = 0; d < part->dims.size(); ++d) {
      int64_t begin = part->dims[d].first;
      for (const Sample::Step& s : part->dims[d].steps) begin += s.step * block[s.axis];
      lo[d] = std::max<int64_t>(begin, 0);
      hi[d] = std::min(begin + part->dims[d].reach + 1, memory.shape[d]);
    }
    each_index(lo, hi, look);
  }
  return out;
}

}  // namespace tilelab::sim
