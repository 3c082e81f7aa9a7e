// SPDX-License-Identifier: Apache-2.0
#include "core/sim/machine/grid_order.h"

#include <algorithm>

namespace tilelab::sim {
namespace {

constexpr auto kByBlock = [](const std::pair<int64_t, Clock>& entry, int64_t block) {
  return entry.first < block;
};

}  // namespace

const Clock* BlocksPast::of(int64_t block) const {
  const auto at = std::lower_bound(blocks.begin(), blocks.end(), block, kByBlock);
  return at != blocks.end() && at->first == block ? &at->second : nullptr;
}

void BlocksPast::join(int64_t block, const Clock& clock) {
  const auto at = std::lower_bound(blocks.begin(), blocks.end(), block, kByBlock);
  if (at != blocks.end() && at->first == block)
    at->second.join(clock);
  else
    blocks.insert(at, {block, clock});
}

void GridOrder::access(int64_t block, RaceDetector& detector, int warp, const LaneMask& lanes,
                       std::pair<int32_t, int64_t> place, Sides sides) {
  Past& here = places_[place];
  if (sides.acquires && here && !full_) {
    Learned& learned = blocks_[block];
    const auto known = std::find_if(learned.pasts.rbegin(), learned.pasts.rend(),
                                    [&](const auto& each) { return each.second == here; });
    ActorId number = no_actor;
    if (known != learned.pasts.rend()) {
      number = known->first;
    } else {
      number = detector.add_past();
      learned.pasts.emplace_back(number, here);
    }
    detector.learn(warp, lanes, number);
  }
  if (!sides.continues) here = nullptr;
  if (!sides.releases || full_) return;
  here = released(block, detector.issue(warp, lanes), here);
  full_ = full_ || (entries_ += int64_t(here->blocks.size())) > kMostEntries;
}

GridOrder::Past GridOrder::released(int64_t block, const Knowledge& view, const Past& before) {
  auto made = before ? std::make_shared<BlocksPast>(*before) : std::make_shared<BlocksPast>();
  made->chain = before ? before->chain : ++chains_;
  ++made->place;
  made->join(block, view.order);
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return made;
  std::map<uint64_t, uint64_t> covered{{made->chain, before ? before->place : 0}};
  const auto& pasts = found->second.pasts;
  for (auto each = pasts.rbegin(); each != pasts.rend(); ++each) {
    const auto& [number, past] = *each;
    uint64_t& place = covered[past->chain];
    if (place >= past->place || view.order[number] == 0) continue;
    place = past->place;
    for (const auto& [other, clock] : past->blocks) made->join(other, clock);
  }
  return made;
}

bool GridOrder::before(const BlockAccess& first, const BlockAccess& second) const {
  if (full_) return true;
  const auto found = blocks_.find(second.block);
  if (found == blocks_.end()) return false;
  const Learned& learned = found->second;
  const auto known = [&](size_t past) {
    const auto& by = learned.known_by[past];
    return std::any_of(by.begin(), by.end(),
                       [&](const KnownPast& each) { return each.covers(second.stamp); });
  };
  const ActorId actor = RaceDetector::actor_of(first.stamp);
  const uint32_t clock = RaceDetector::clock_of(first.stamp);
  for (size_t past = 0; past < learned.known_by.size(); ++past) {
    const Clock* of = learned.pasts[past].second->of(first.block);
    if (of && (*of)[actor] >= clock && known(past)) return true;
  }
  return false;
}

void GridOrder::end(int64_t block, const RaceDetector& detector) {
  if (const auto found = blocks_.find(block); found != blocks_.end())
    found->second.known_by = detector.known_pasts();
}

}  // namespace tilelab::sim
