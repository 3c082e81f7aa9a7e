// SPDX-License-Identifier: Apache-2.0
// The blocks of a cluster, which run interleaved: the barrier of all their threads, and what the
// race detectors of the blocks know of each other.
//
// A phase of the barrier ends when every warp that has not ended has arrived. To the detector of a
// block, each other block is one actor: the accesses that it makes of this block's shared memory
// before its n-th arrival have clock n. A thread that has waited for phase n is ordered after them.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/sim/machine/race.h"

namespace tilelab::sim {

class Block;

class Cluster {
 public:
  explicit Cluster(int64_t number) : number_(number) {}
  void add(Block* block) { members_.push_back(block); }
  int64_t number() const { return number_; }
  int64_t size() const { return int64_t(members_.size()); }
  /// Null: the block has ended.
  Block* member(int64_t rank) const { return members_[size_t(rank)]; }
  void leave(const Block* block);
  /// Where GridOrder finds what the blocks publish in a phase.
  std::pair<int32_t, int64_t> place_of(int64_t phase) const { return {-2, number_ << 24 | phase}; }
  /// The number of completed phases.
  int64_t completed() const { return completed_; }
  /// Completes the phase if all warps have arrived.
  void advance();

 private:
  int64_t number_;
  std::vector<Block*> members_;
  int64_t completed_ = 0;
};

/// A block's part in its cluster.
struct ClusterPart {
  Cluster* cluster = nullptr;
  int64_t rank = 0;
  /// What the threads of this block release by arriving in the running phase, and what they have
  /// released in the last two completed ones.
  Knowledge released, known, before;
  std::vector<int64_t> published;  // by rank: the arrivals that order the accesses before them
  std::vector<ActorId> actors;     // of the blocks, in this block's detector
};

/// The clusters of the running blocks.
class Clusters {
 public:
  /// `size`: the number of blocks in each; 1: none exist.
  explicit Clusters(int64_t size) : size_(size) {}
  /// Block `number`, which is about to begin, is the `i`-th in an order in which the blocks of a
  /// cluster are adjacent, by rank.
  void join(Block& block, int64_t i, int64_t number);
  /// A round of these blocks has ended. If all of them only wait for others, the first gives up.
  void check(const std::vector<Block*>& going);

 private:
  int64_t size_;
  std::deque<Cluster> all_;
  int idle_ = 0;
};

}  // namespace tilelab::sim
