// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/outside.h"

#include <algorithm>

#include "core/sim/indices.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {

const OutsideWatch::Load* OutsideWatch::load(const TileRunner& who, int64_t access) const {
  const auto it = loads_.find(access);
  return it != loads_.end() && it->second.who == &who ? &it->second : nullptr;
}

void OutsideWatch::begin_chunk(TileRunner& lanes) {
  std::erase_if(loads_, [&](const auto& load) { return load.second.who == &lanes; });
}

void OutsideWatch::before(const BoxOperation& op) {
  if (op.rule == BoxRule::copy) padded_ |= !all_inside(*op.sources[0].box);
}

/// Whether a condition around the access depends, in this lane, on an out-of-bounds load, or may
/// depend on padding.
bool OutsideWatch::selected_by_padding(const LaneAccess& a, int64_t lane) const {
  return std::any_of(a.access.conditions.begin(), a.access.conditions.end(), [&](int32_t number) {
    const TileAccess& read = block_.image().accesses[size_t(number)];
    if (block_.memory(read.memory).global < 0) return padded_;
    const Load* known = load(a.runner, number);
    return known && known->lanes[size_t(lane)];
  });
}

void OutsideWatch::accessed(const LaneAccess& a) {
  if (a.own() || !a.memory.guarded || block_.guessed(a.access)) return;
  const bool write = a.access.writes;
  if (!write) loads_.erase(a.id);
  // Under a condition perhaps only a tail's lanes are active, so addresses of inactive ones count
  // too.
  if (!a.any_outside || std::find(a.outside, a.outside + a.lanes, 0) != a.outside + a.lanes)
    inside_[size_t(a.id)] = 1;
  if (write) check_used(a);
  if (!a.any_outside || a.memory.elements == 0 || (!write && a.memory.declared)) return;
  outside(a);
  if (write) return;
  padded_ = true;
  const bool conditional = std::find(a.mask, a.mask + a.lanes, 0) != a.mask + a.lanes;
  Load& load = loads_[a.id];
  load = {&a.runner, a.runner.span(), a.access.memory, {}, conditional, true, "", {}};
  load.lanes.assign(size_t(a.runner.lane_count()), 0);
  for (int64_t l = 0; l < a.lanes; ++l) load.lanes[size_t(l)] = a.mask[l] & a.outside[l];
  bool beyond = false;  // along a dimension whose index all iterations share
  for (const TileIndex& index : a.access.index) {
    const std::vector<int64_t>& lanes = a.runner.index_lanes(index, a.site);
    const bool uniform = !index.per_lane && std::count(index.factor.begin(), index.factor.end(),
                                                       0) == std::ptrdiff_t(index.factor.size());
    const int64_t extent = a.memory.shape[load.index.size()];
    load.single &=
        uniform || (a.lanes > 1 && std::all_of(lanes.begin(), lanes.begin() + a.lanes,
                                               [&](int64_t i) { return i == lanes[0]; }));
    beyond |= uniform && (lanes[0] < 0 || lanes[0] >= extent);
    load.index.emplace_back(lanes.begin(), lanes.begin() + a.lanes);
  }
  if (beyond || load.single) load.corner = index_text(a.runner.indices_of(a, 0));
}

/// Some lanes of the access were out of bounds.
void OutsideWatch::outside(const LaneAccess& a) {
  int64_t first = -1, active = 0;
  for (int64_t l = 0; l < a.lanes; ++l) {
    active += a.mask[l];
    if (first < 0 && a.mask[l] && a.outside[l] && !selected_by_padding(a, l)) first = l;
  }
  if (first < 0) return;
  const auto [seen, fresh] = outside_.try_emplace(a.id);
  if (fresh) {
    seen->second.block = block_.number();
    seen->second.outside = a.runner.outside_finding(
        a.memory, a.runner.span(), a.runner.indices_of(a, first), first, a.access.writes);
  }
  ++seen->second.steps;
  seen->second.all |= active == a.lanes;
}

/// Whether a value stored to global memory depends on an out-of-bounds load.
void OutsideWatch::check_used(const LaneAccess& a) {
  if (loads_.empty()) return;
  for (int32_t use : a.access.uses) {
    const Load* load = this->load(a.runner, use);
    if (!load) continue;
    int64_t count = 0, first = 0;
    for (int64_t l = 0; l < a.lanes; ++l) {
      if (!load->lanes[size_t(l)] || !a.mask[l] || (a.any_outside && a.outside[l])) continue;
      if (count++ == 0) first = l;
    }
    if (count > 0) {
      std::vector<int64_t> index;
      for (const auto& lanes : load->index) index.push_back(lanes[size_t(first)]);
      Finding f =
          a.runner.outside_finding(block_.memory(load->memory), load->span, index, first, false);
      f.where.push_back({a.runner.span(), "", "stores a result of it in " + a.memory.name.str()});
      f.count = count;
      block_.warn(std::move(f));
    }
    loads_.erase(use);
  }
}

void OutsideWatch::end_launch() {
  for (size_t a = 0; a < inside_.size(); ++a) {
    TileReport::Guarded seen;
    auto it = outside_.find(int64_t(a));
    if (it != outside_.end()) seen = it->second;
    seen.inside = inside_[a] != 0;
    if (seen.inside || seen.block >= 0) block_.result.add(block_.image().accesses[a], seen);
  }
}

void TileReport::add(const TileAccess& access, const Guarded& seen) {
  const Span& s = access.span;
  merge(guarded[{s.file, s.line, s.col, access.memory, access.writes}], seen);
}

void TileReport::merge(Guarded& into, const Guarded& from) {
  into.inside |= from.inside;
  into.steps += from.steps;
  into.all |= from.all;
  if (from.block < 0 || (into.block >= 0 && into.block <= from.block)) return;
  into.block = from.block;
  into.outside = from.outside;
}

void TileReport::report_never_inside(Findings& into) {
  constexpr int64_t kFew = 4;  // steps that a condition on values may have selected from a tail
  for (auto& [key, seen] : guarded) {
    if (seen.inside || seen.block < 0 || (!seen.all && seen.steps < kFew)) continue;
    bool reported = false;  // reported as a used value
    for (auto& [known, entry] : into)
      reported |= entry.second.kind == seen.outside.kind &&
                  entry.second.buffer == seen.outside.buffer &&
                  entry.second.where[0].span == seen.outside.where[0].span;
    if (reported) continue;
    seen.outside.detail += ", like all other accesses of this line";
    add(into, seen.block, seen.outside);
  }
}

}  // namespace tilelab::sim
