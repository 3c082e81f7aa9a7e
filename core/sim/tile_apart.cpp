// SPDX-License-Identifier: Apache-2.0
// What the watchers need not look at, because no run can show it: iterations of a T.Parallel that
// touch elements of their own.
#include <algorithm>

#include "core/sim/tile_image.h"

namespace tilelab::sim {
namespace {

bool same_index(const TileAccess& a, const TileAccess& b) {
  if (&a == &b) return true;
  if (a.memory != b.memory) return false;
  for (size_t d = 0; d < a.index.size(); ++d) {
    const TileIndex &i = a.index[d], &k = b.index[d];
    if (i.operand >= 0 || k.operand >= 0 || i.base != k.base || i.factor != k.factor) return false;
  }
  return true;
}

/// Whether the index is of the iteration variables and what no iteration changes.
bool constant_index(const TileAccess& a) {
  return !a.per_lane && !a.step.empty() && std::all_of(a.index.begin(), a.index.end(), [](auto& i) {
    return i.operand < 0 || i.fixed;
  });
}

/// Whether different iterations have different offsets: every step is longer than what the smaller
/// ones reach together.
bool injective(const TileAccess& a, const std::vector<int64_t>& extents) {
  std::vector<std::pair<int64_t, int64_t>> steps;
  for (size_t v = 0; v < extents.size(); ++v) {
    if (extents[v] < 0) return false;
    if (extents[v] > 1) steps.push_back({std::abs(a.step[v]), extents[v]});
  }
  std::sort(steps.begin(), steps.end());
  int64_t reach = 0;
  for (auto [step, extent] : steps) {
    if (step <= reach) return false;
    reach += step * (extent - 1);
  }
  return true;
}

}  // namespace

void mark_apart(TileImage& image, size_t first, const std::vector<int64_t>& extents) {
  auto root = [&](const TileAccess& a) {
    return image.memories[static_cast<size_t>(a.memory)].root;
  };
  const auto begin = image.accesses.begin() + static_cast<std::ptrdiff_t>(first);
  for (auto a = begin; a != image.accesses.end(); ++a) {
    bool written = false, alike = constant_index(*a) && injective(*a, extents);
    for (auto b = begin; b != image.accesses.end(); ++b) {
      if (root(*b) != root(*a)) continue;
      written |= b->writes;
      alike = alike && constant_index(*b) && same_index(*a, *b);
    }
    a->apart = !written || alike;
  }
}

}  // namespace tilelab::sim
