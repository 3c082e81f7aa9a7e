// SPDX-License-Identifier: Apache-2.0
// Races between blocks of one launch. Only atomic accesses order blocks, so two accesses of one
// location by different blocks, at least one a plain write, race; atomics do not race with atomics.
// Footprints are merged when blocks have ended, in the order of blocks, so the report does not
// depend on timing.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/sim/machine/grid_order.h"

namespace tilelab::sim {

struct GridHit {
  struct Side {
    int64_t block = 0;
    uint32_t place = 0;
    AccessKind kind = AccessKind::read;
  };
  Side first, second;
  int64_t offset = 0;  // bytes into the memory
  int64_t count = 1;
};

/// One memory.
class GridRaces {
 public:
  GridRaces(int64_t bytes, int granule);
  void merge(int64_t block, const RaceDetector& detector, int32_t memory, const GridOrder& order);
  const std::vector<GridHit>& hits() const { return hits_; }

 private:
  struct Cell {
    uint32_t writer = 0, reader = 0;  // blocks
    RaceDetector::Stamp write = 0, read = 0;
  };
  static constexpr int64_t page_cells = 512;
  void hit(const GridHit& h);
  int granule_;
  std::vector<std::unique_ptr<Cell[]>> pages_;
  std::vector<GridHit> hits_;
};

}  // namespace tilelab::sim
