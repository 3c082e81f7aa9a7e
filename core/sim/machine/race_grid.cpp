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
                      bool synchronised) {
  detector.for_each_touched(memory, [&](int64_t index, uint32_t write, bool atomic, uint32_t read) {
    auto& page = pages_[size_t(index / page_cells)];
    if (!page) page = std::make_unique<Cell[]>(page_cells);
    Cell& c = page[size_t(index % page_cells)];
    const AccessKind writes = atomic ? AccessKind::atomic : AccessKind::write;
    const AccessKind wrote = c.atomic ? AccessKind::atomic : AccessKind::write;
    const bool ordered = synchronised && c.synchronised;
    auto report = [&](uint32_t other, uint32_t place, AccessKind kind, uint32_t mine,
                      AccessKind my_kind) {
      hit({{int64_t{other} - 1, place, kind}, {block, mine, my_kind}, index * granule_, 1});
    };
    if (write && c.writer && !(atomic && c.atomic) && !(ordered && (atomic || c.atomic)))
      report(c.writer, c.write_place, wrote, write, writes);
    if (write && c.reader) report(c.reader, c.read_place, AccessKind::read, write, writes);
    if (read && c.writer && !(ordered && c.atomic))
      report(c.writer, c.write_place, wrote, read, AccessKind::read);
    uint32_t me = uint32_t(block) + 1;
    if (write) c.writer = me, c.write_place = write, c.atomic = atomic;
    if (read && !c.reader) c.reader = me, c.read_place = read;
    c.synchronised = synchronised;
  });
}

}  // namespace tilelab::sim
