// SPDX-License-Identifier: Apache-2.0
#include "core/sim/machine/race_grid.h"

namespace tilelab::sim {

GridRaces::GridRaces(int64_t bytes, int granule)
    : granule_(granule), pages_(size_t(bytes / granule / page_cells + 1)) {}

void GridRaces::hit(const GridHit& h) {
  for (GridHit& known : hits_)
    if (known.first.place == h.first.place && known.second.place == h.second.place &&
        known.first.kind == h.first.kind && known.second.kind == h.second.kind) {
      ++known.count;
      return;
    }
  hits_.push_back(h);
}

void GridRaces::merge(int64_t block, const RaceDetector& detector, int32_t memory,
                      const GridOrder& order) {
  using Stamp = RaceDetector::Stamp;
  const auto kind = [](Stamp write) {
    return RaceDetector::is_atomic(write) ? AccessKind::atomic : AccessKind::write;
  };
  detector.for_each_touched(memory, [&](int64_t index, Stamp write, Stamp read) {
    const auto number = size_t(index / page_cells);
    if (number >= pages_.size()) pages_.resize(number + 1);
    auto& page = pages_[number];
    if (!page) page = std::make_unique<Cell[]>(page_cells);
    Cell& c = page[size_t(index % page_cells)];
    const auto check = [&](int64_t other, Stamp theirs, AccessKind their_kind, Stamp mine,
                           AccessKind my_kind) {
      if (!theirs || !mine || order.ordered({other, theirs}, {block, mine})) return;
      hit({{other, RaceDetector::place_of(theirs), their_kind},
           {block, RaceDetector::place_of(mine), my_kind},
           index * granule_,
           1});
    };
    if (!RaceDetector::is_atomic(write) || !RaceDetector::is_atomic(c.write))
      check(c.writer, c.write, kind(c.write), write, kind(write));
    check(c.reader, c.read, AccessKind::read, write, kind(write));
    check(c.writer, c.write, kind(c.write), read, AccessKind::read);
    if (write) c.writer = uint32_t(block), c.write = write;
    if (read && !c.read) c.reader = uint32_t(block), c.read = read;
  });
}

}  // namespace tilelab::sim
