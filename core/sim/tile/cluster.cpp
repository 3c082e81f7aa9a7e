// SPDX-License-Identifier: Apache-2.0
// The blocks of a cluster, and its barrier.
#include <algorithm>
#include <cstring>

#include "core/sim/tile/async.h"
#include "core/sim/trace.h"

namespace tilelab::sim {

TileCluster::TileCluster(const TileImage& image, const Launch& launch, const RunOptions& options,
                         TileWatch* watch)
    : untraced_(options), watch_(watch) {
  const ClusterShape shape(launch.kernel, launch.grid);
  untraced_.trace = nullptr;
  const int64_t traced = options.trace ? shape.place(options.trace->block) % shape.size() : 0;
  for (int64_t rank = 0; rank < shape.size(); ++rank) {
    blocks_.push_back(
        std::make_unique<TileBlock>(image, launch, rank == traced ? options : untraced_, watch));
    if (shape.size() > 1) blocks_.back()->join(this, rank);
  }
  suspended_.resize(blocks_.size());
  running_.assign(blocks_.size(), 0);
}

bool TileCluster::run(const std::vector<int64_t>& numbers) {
  if (size() == 1) return blocks_[0]->run(numbers[0]);
  number_ = numbers[0], completed_ = 0;
  for (size_t rank = 0; rank < blocks_.size(); ++rank) {
    blocks_[rank]->begin(numbers[rank]);
    if (watch_) watch_->suspend(suspended_[rank]);
    running_[rank] = 1;
  }
  return run_all();
}

bool TileCluster::run_all() {
  for (bool some = true; some;) {
    some = false;
    const int64_t before = completed_;
    size_t waiting = blocks_.size();
    for (size_t rank = 0; rank < blocks_.size(); ++rank) {
      if (!running_[rank]) continue;
      const TileBlock::State state = resume(rank);
      if (state == TileBlock::State::interrupted) return false;
      if (state == TileBlock::State::ended)
        some = true;
      else
        waiting = std::min(waiting, rank);
    }
    some |= completed_ != before;
    if (some || waiting == blocks_.size()) continue;
    blocks_[waiting]->give_up();
    some = true;
  }
  return true;
}

TileBlock::State TileCluster::resume(size_t rank) {
  TileBlock& block = *blocks_[rank];
  if (watch_) watch_->resume(suspended_[rank]);
  const TileBlock::State state = block.resume();
  if (state == TileBlock::State::ended) {
    block.end();
    running_[rank] = 0;
    advance();
  } else if (watch_) {
    watch_->suspend(suspended_[rank]);
  }
  return state;
}

void TileCluster::advance() {
  bool any = false;
  for (size_t rank = 0; rank < blocks_.size(); ++rank) {
    if (!running_[rank]) continue;
    if (blocks_[rank]->async().cluster_arrivals() <= completed_) return;
    any = true;
  }
  completed_ += any;
}

void TileCluster::mark_written(int64_t rank, int64_t at, int64_t n) {
  std::vector<uint8_t>& written = suspended_[size_t(rank)].written;
  if (!written.empty()) std::memset(written.data() + at, 1, size_t(n));
}

void TileCluster::end_launch() {
  for (auto& block : blocks_) block->end_launch();
}

void TileCluster::merge_into(TileReport& report) {
  for (auto& block : blocks_) report.merge(std::move(block->result));
}

// ---- the barrier, in a block

Step TileAsync::cluster_barrier(Intrinsic what, bool relaxed, const Span& span) {
  TileCluster* cluster = block_.cluster();
  if (!cluster) return Step::next;
  const auto order = [&](int64_t phase, bool acquires) {
    if (TileWatch* watch = block_.watch())
      watch->order(kClusterMemory, cluster->place_of(phase), acquires, !acquires, true);
  };
  if (what != Intrinsic::cluster_wait && cluster_waits_ < 0) {
    if (cluster_arrivals_ > cluster_completed_)
      return misused_cluster(span, "arrives again before its wait");
    ++cluster_arrivals_;
    if (!relaxed) order(cluster_arrivals_, false);
    cluster->advance();
    if (what == Intrinsic::cluster_arrive) return Step::next;
  }
  if (cluster_completed_ == cluster_arrivals_)
    return misused_cluster(span, "waits without an arrival");
  cluster_waits_ = agent();
  if (cluster->completed() < cluster_arrivals_) return Step::again;
  cluster_waits_ = -1;
  order(++cluster_completed_, true);
  return Step::next;
}

Step TileAsync::misused_cluster(const Span& span, const char* verb) {
  Finding f = block_.finding(FindingKind::cluster, span, nullptr, verb);
  f.detail = "each thread arrives once, then waits once";
  block_.report(std::move(f));
  block_.halt();
  return Step::halt;
}

}  // namespace tilelab::sim
