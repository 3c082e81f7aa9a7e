// SPDX-License-Identifier: Apache-2.0
// Propagates padding (padding.h) through element accesses: a stored value is padding if it depends
// on padding.
#include <algorithm>

#include "core/sim/tile/padded_boxes.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {

/// Whether padding may reach the access, or, for a store to a tensor, leave the block.
bool TileRunner::pads(const TileAccess& access) const {
  const TileWatch* watch = block_.watch();
  if (!watch) return false;
  const bool own = block_.memory(access.memory).global < 0;
  return own ? watch->padding.any() || !outside_loads_.empty()
             : access.writes && watch->padding.any();
}

void TileRunner::pad_loaded(const TileAccess& access, int64_t id) {
  std::vector<PaddedElements::Id>& lanes = padded_loads_[id];
  lanes.assign(size_t(chunk_), 0);
  const TileMemory& m = block_.memory(access.memory);
  for (size_t l = 0; l < size_t(chunk_); ++l)
    if (mask()[l] && !outside_[l]) lanes[l] = block_.watch()->padding.at(m, offsets_[l]);
}

/// The padding that an out-of-bounds load gave to the chunk's lanes.
PaddedElements::Id TileRunner::padding_of(const OutsideLoad& load) {
  const TileMemory& m = block_.memory(load.memory);
  PaddedElements::Origin origin{load.span, load.memory, "", load.conditional, {}};
  for (size_t l = 0; l < size_t(chunk_); ++l) {
    if (!load.lanes[l]) continue;
    std::vector<int64_t> index;
    for (size_t d = 0; d < load.index.size(); ++d) {
      const int64_t at = load.index[d][l];
      index.push_back(at);
      origin.guarded &= at >= -1 && at <= m.shape[d];
    }
    if (origin.where.empty())
      origin.where = outside_finding(m, load.span, index, int64_t(l), false).detail;
  }
  return block_.watch()->padding.id(origin);
}

void TileRunner::pad_stored(const TileAccess& access, const uint8_t* value) {
  const TileMemory& m = block_.memory(access.memory);
  const size_t bytes = size_t(elem_bytes(m.elem));
  std::vector<PaddedElements::Id> lanes(size_t(chunk_), 0);
  const WatchedBlocks* warn = block_.options().warn;
  const bool own = m.global < 0;
  for (int32_t use : access.uses) {
    auto outside = outside_loads_.find(use);
    auto padded = padded_loads_.find(use);
    const bool tensor = block_.memory(block_.image().accesses[size_t(use)].memory).global >= 0;
    if (outside != outside_loads_.end()) {
      if (!own) continue;  // outside.cpp reports it
      const PaddedElements::Id id = padding_of(outside->second);
      for (size_t l = 0; l < lanes.size(); ++l)
        if (outside->second.lanes[l]) lanes[l] = id;
    } else if (tensor && own && warn && warn->made_up) {
      lanes.assign(lanes.size(), 0);  // it may be a mask
      break;
    } else if (padded != padded_loads_.end()) {
      for (size_t l = 0; l < lanes.size(); ++l)
        if (padded->second[l]) lanes[l] = padded->second[l];
    }
  }
  PaddedElements& padding = block_.watch()->padding;
  for (size_t l = 0; l < lanes.size(); ++l) {
    if (!mask()[l] || outside_[l]) continue;
    if (!own) {
      const PaddedElements::Origin& origin = padding.origin(lanes[l]);
      if (!origin.guarded || !origin.made.known()) continue;
      return warn_of_guard(block_, origin, {span(), "", "its result is stored in " + m.name.str()});
    }
    const uint8_t* bits = value + l * bytes;
    const bool zero = std::all_of(bits, bits + bytes, [](uint8_t b) { return b == 0; });
    padding.set(m, offsets_[l], zero ? lanes[l] : padding.made(lanes[l], span()));
  }
}

}  // namespace tilelab::sim
