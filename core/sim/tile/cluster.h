// SPDX-License-Identifier: Apache-2.0
// Runs the blocks of one cluster, each up to the barrier of the cluster in turn. A launch without
// clusters has clusters of one block.
#pragma once

#include <span>

#include "core/sim/tile/run.h"

namespace tilelab::sim {

class TileCluster {
 public:
  TileCluster(const TileImage& image, const Launch& launch, const RunOptions& options,
              TileWatch* watch);
  int64_t size() const { return int64_t(blocks_.size()); }
  /// Runs the cluster of these blocks, by rank, to its end; false: interrupted.
  bool run(const std::vector<int64_t>& numbers);
  /// Null: the block has ended.
  TileBlock* member(int64_t rank) const {
    return running_[size_t(rank)] ? blocks_[size_t(rank)].get() : nullptr;
  }
  /// The number of completed phases of the barrier.
  int64_t completed() const { return completed_; }
  /// Completes the phase if every block that has not ended has arrived.
  void advance();
  /// What the blocks release by their arrivals in a phase is acquired here.
  int64_t place_of(int64_t phase) const { return number_ << 24 | phase; }
  void end_launch();
  void merge_into(TileReport& report);
  const NaNProvenance* numbers(int64_t rank) const { return blocks_[size_t(rank)]->numbers(); }

 private:
  bool run_all();
  TileBlock::State resume(size_t rank);

  RunOptions untraced_;  // of blocks beside the traced one
  TileWatch* watch_;
  std::vector<std::unique_ptr<TileBlock>> blocks_;
  std::vector<TileWatch::Suspended> suspended_;
  std::vector<uint8_t> running_;  // by rank
  int64_t number_ = 0, completed_ = 0;
};

}  // namespace tilelab::sim
