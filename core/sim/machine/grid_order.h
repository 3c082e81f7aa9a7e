// SPDX-License-Identifier: Apache-2.0
// Happens-before between the blocks of one launch, from atomic accesses: a block that acquires what
// another has released is ordered after everything that precedes the release, in that block and in
// those ordered before it. Launches with atomics, or with watched clusters, run their blocks in one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/sim/machine/race.h"

namespace tilelab::sim {

/// The accesses that precede a release: clocks of the blocks' own detectors, sorted by block.
struct BlocksPast {
  std::vector<std::pair<int64_t, Clock>> blocks;
  uint64_t chain = 0, place = 0;  // it includes the earlier ones of its chain

  const Clock* of(int64_t block) const;
  void join(int64_t block, const Clock& clock);
};

/// An access of a block that has ended or is running, as in the race detector's stamps.
struct BlockAccess {
  int64_t block = 0;
  RaceDetector::Stamp stamp = 0;
};

class GridOrder {
 public:
  /// These lanes of the block acquire the element and then release it, as `order` says.
  /// `continues`: they read it before they write it, so earlier releases stay in effect.
  struct Sides {
    bool acquires = false, releases = false, continues = true;
  };
  void access(int64_t block, RaceDetector& detector, int warp, const LaneMask& lanes,
              std::pair<int32_t, int64_t> place, Sides sides);
  /// Whether the first happens before the second.
  bool before(const BlockAccess& first, const BlockAccess& second) const;
  bool ordered(const BlockAccess& a, const BlockAccess& b) const {
    return before(a, b) || before(b, a);
  }
  /// The block has ended; its detector is reused.
  void end(int64_t block, const RaceDetector& detector);

 private:
  using Past = std::shared_ptr<const BlocksPast>;
  struct Learned {
    std::vector<std::pair<ActorId, Past>> pasts;   // as actors of the block's detector
    std::vector<std::vector<KnownPast>> known_by;  // of each, once the block has ended
  };
  Past released(int64_t block, const Knowledge& view, const Past& before);
  static constexpr int64_t kMostEntries = 8 << 20;

  std::map<std::pair<int32_t, int64_t>, Past> places_;  // the last release at each location
  std::map<int64_t, Learned> blocks_;
  uint64_t chains_ = 0;
  int64_t entries_ = 0;
  bool full_ = false;  // the limit is reached: further synchronization counts as ordered
};

}  // namespace tilelab::sim
