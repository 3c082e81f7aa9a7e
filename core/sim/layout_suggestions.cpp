// SPDX-License-Identifier: Apache-2.0
// Maps addresses in the arena back to elements, on which other layouts are tried.
#include <algorithm>
#include <unordered_map>

#include "core/layout/layout.h"
#include "core/sim/machine/map.h"
#include "core/sim/meter.h"

namespace tilelab::sim {
namespace {

constexpr size_t most_tried = 128;  // patterns per site

/// The row-major index of the element at each element slot of the buffer's range in the arena.
std::unordered_map<int64_t, int64_t> elements_of(const MeteredBuffer& b) {
  std::unordered_map<int64_t, int64_t> out;
  if (b.shape.empty()) return out;
  std::vector<int64_t> at(b.shape.size(), 0);
  int64_t linear = 0;
  do {
    const int64_t offset = b.layout.known() ? place_of(b.layout, at).address : linear;
    out[swizzled(uint32_t(b.at + offset * elem_bytes(b.dtype)), b.swizzle)] = linear++;
  } while (advance(at, b.shape));
  return out;
}

}  // namespace

LayoutSuggestions suggest_layouts(const Meter& meter, const MeteredBuffer& buffer) {
  LayoutSuggestions out;
  std::vector<ElementAccess> accesses;
  const auto element_at = elements_of(buffer);
  const int64_t size = elem_bytes(buffer.dtype);
  for (const MeteredSite& site : meter.sites) {
    if (site.memory != buffer.memory || site.launch != buffer.launch) continue;
    out.units = out.units || site.bytes == 0;
    const size_t count = site.patterns.size(), step = std::max<size_t>(1, count / most_tried);
    out.whole = out.whole && site.all_kept && step == 1;
    for (size_t i = 0; i < count; i += step) {
      const WarpPattern& pattern = site.patterns[i];
      ElementAccess access;
      access.times = pattern.times;
      access.whole = site.mover == Mover::async || site.mover == Mover::row_loads ||
                     site.mover == Mover::row_stores;
      for (const LaneAccess& lane : pattern.lanes) {
        ElementAccess::Lane one{lane.lane, {}};
        for (int64_t byte = 0; byte < lane.bytes; byte += size) {
          const auto found = element_at.find(lane.byte_address + byte);
          if (found == element_at.end()) return out;  // bytes of another buffer: nothing to try
          one.elements.push_back(found->second);
        }
        access.lanes.push_back(std::move(one));
      }
      out.now.add(counted(count_bank_conflicts(pattern.lanes, meter.banks)), pattern.times);
      accesses.push_back(std::move(access));
    }
  }
  if (!out.units && !out.now.free())
    out.suggestions = layout_suggestions(buffer.shape, size, accesses, out.now, meter.banks);
  return out;
}

}  // namespace tilelab::sim
