// SPDX-License-Identifier: Apache-2.0
// The blocks of a cluster, and its barrier.
#include <algorithm>
#include <cstring>

#include "core/sim/tile/async.h"
#include "core/sim/tile/provenance.h"
#include "core/sim/trace.h"

namespace tilelab::sim {

TileCluster::TileCluster(const TileImage& image, const Launch& launch, const RunOptions& options,
                         TileWatch* watch, int64_t traced)
    : untraced_(options), watch_(watch), traced_(traced >= 0) {
  const ClusterShape shape(launch.kernel, launch.grid);
  untraced_.trace = nullptr;
  for (int64_t rank = 0; rank < shape.size(); ++rank) {
    blocks_.push_back(
        std::make_unique<TileBlock>(image, launch, rank == traced ? options : untraced_, watch));
    if (shape.size() > 1) blocks_.back()->join(this, rank);
  }
  suspended_.resize(blocks_.size());
  running_.assign(blocks_.size(), 0);
}

void TileCluster::begin(const std::vector<int64_t>& numbers) {
  number_ = numbers[0], completed_ = 0;
  for (size_t rank = 0; rank < blocks_.size(); ++rank) {
    blocks_[rank]->begin(numbers[rank]);
    if (watch_) watch_->suspend(suspended_[rank]);
    running_[rank] = 1;
  }
}

TileBlock::State TileCluster::resume() {
  TileBlock::State all = TileBlock::State::ended;
  const int64_t before = completed_;
  for (size_t rank = 0; rank < blocks_.size(); ++rank) {
    if (!running_[rank]) continue;
    const TileBlock::State state = resume(rank);
    if (state == TileBlock::State::interrupted) return state;
    if (state != TileBlock::State::idle || completed_ != before)
      all = TileBlock::State::waits;
    else if (all == TileBlock::State::ended)
      all = state;
  }
  const bool any = std::any_of(running_.begin(), running_.end(), [](uint8_t on) { return on; });
  return any ? all : TileBlock::State::ended;
}

void TileCluster::give_up() {
  const auto first = std::find(running_.begin(), running_.end(), 1);
  const auto rank = size_t(first - running_.begin());
  if (watch_) watch_->resume(suspended_[rank]);
  blocks_[rank]->give_up();
  if (watch_) watch_->suspend(suspended_[rank]);
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

void TileCluster::report_origins(std::vector<NotFiniteOrigin>& into) const {
  for (const auto& block : blocks_)
    for (NotFiniteOrigin& origin : block->numbers()->origins()) into.push_back(std::move(origin));
}

// ---- clusters that wait for each other

bool TileClusters::run(FunctionRef<std::optional<Numbers>()> next) {
  for (bool more = true;;) {
    bool idle = true;
    for (size_t r = 0; r < running_.size();) {
      const TileBlock::State state = running_[r]->resume();
      if (state == TileBlock::State::interrupted) return false;
      idle &= state == TileBlock::State::idle;
      if (state != TileBlock::State::ended) {
        ++r;
        continue;
      }
      if (!running_[r]->traced()) spare_.push_back(running_[r]);
      running_.erase(running_.begin() + int64_t(r));
    }
    if (!idle) continue;
    if (more && running_.size() < kMostTogether) {
      const std::optional<Numbers> numbers = next();
      more = numbers.has_value();
      if (more) begin(*numbers);
    } else if (!running_.empty()) {
      running_.front()->give_up();
    } else {
      return true;
    }
  }
}

void TileClusters::begin(const Numbers& numbers) {
  int64_t traced = -1;
  if (options_.trace) {
    const auto& [x, y, z] = options_.trace->block;
    const int64_t number = x + launch_.grid[0] * (y + launch_.grid[1] * z);
    const auto at = std::find(numbers.begin(), numbers.end(), number);
    if (at != numbers.end()) traced = at - numbers.begin();
  }
  if (traced >= 0 || spare_.empty()) {
    made_.push_back(std::make_unique<TileCluster>(image_, launch_, options_, watch_, traced));
    running_.push_back(made_.back().get());
  } else {
    running_.push_back(spare_.back());
    spare_.pop_back();
  }
  running_.back()->begin(numbers);
}

void TileClusters::end_launch() {
  for (auto& cluster : made_) cluster->end_launch();
}

void TileClusters::merge_into(TileReport& report) {
  for (auto& cluster : made_) cluster->merge_into(report);
}

void TileClusters::report_origins(std::vector<NotFiniteOrigin>& into) const {
  for (auto& cluster : made_) cluster->report_origins(into);
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
