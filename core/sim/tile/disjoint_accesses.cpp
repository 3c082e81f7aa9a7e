// SPDX-License-Identifier: Apache-2.0
// Marks accesses that need no race check: iterations of a T.Parallel that access disjoint elements.
#include <algorithm>

#include "core/sim/tile/image.h"
#include "core/support/steps.h"

namespace tilelab::sim {
namespace {

/// Whether both depend on the iteration variables alike, so that their offsets differ by a
/// constant.
bool side_by_side(const TileAccess& a, const TileAccess& b) {
  if (&a == &b) return true;
  if (a.memory != b.memory) return false;
  for (size_t d = 0; d < a.index.size(); ++d) {
    const TileIndex &i = a.index[d], &k = b.index[d];
    if (i.operand >= 0 || k.operand >= 0 || i.factor != k.factor) return false;
  }
  return true;
}

int64_t constant_offset(const TileImage& image, const TileAccess& a) {
  const TileMemory& m = image.memories[size_t(a.memory)];
  int64_t offset = 0;
  for (size_t d = 0; d < a.index.size(); ++d) offset += a.index[d].base * m.strides[d];
  return offset;
}

/// Whether the index consists of iteration variables and loop invariants.
bool constant_index(const TileAccess& a) {
  return !a.per_lane && !a.step.empty() && std::all_of(a.index.begin(), a.index.end(), [](auto& i) {
    return i.operand < 0 || i.fixed;
  });
}

/// Whether different iterations access disjoint ranges of `reach` + 1 elements.
bool injective(const TileAccess& a, const std::vector<int64_t>& extents, int64_t reach) {
  std::vector<std::pair<int64_t, int64_t>> steps;
  for (size_t v = 0; v < extents.size(); ++v) {
    if (extents[v] < 0) return false;
    steps.push_back({a.step[v], extents[v]});
  }
  return steps_disjoint(std::move(steps), reach);
}

}  // namespace

void mark_disjoint(TileImage& image, size_t first, const std::vector<int64_t>& extents) {
  const auto memory = [&](const TileAccess& a) -> const TileMemory& {
    return image.memories[size_t(a.memory)];
  };
  const auto may_overlap = [&](const TileAccess& a, const TileAccess& b) {
    return memory(a).root == memory(b).root ||
           (image.addressed && memory(a).global >= 0 && memory(b).global >= 0);
  };
  const auto begin = image.accesses.begin() + static_cast<std::ptrdiff_t>(first);
  for (auto a = begin; a != image.accesses.end(); ++a) {
    bool written = false, alike = constant_index(*a);
    int64_t least = constant_offset(image, *a), most = least;
    for (auto b = begin; b != image.accesses.end(); ++b) {
      if (!may_overlap(*a, *b)) continue;
      written |= b->writes;
      alike = alike && constant_index(*b) && side_by_side(*a, *b);
      least = std::min(least, constant_offset(image, *b));
      most = std::max(most, constant_offset(image, *b));
    }
    a->disjoint = !written || image.memories[size_t(a->memory)].per_lane ||
                  (alike && injective(*a, extents, most - least));
  }
}

}  // namespace tilelab::sim
