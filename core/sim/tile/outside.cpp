// SPDX-License-Identifier: Apache-2.0
// Guarded accesses out of bounds of a tensor: the tail of a grid, or a wrong index?
//
// A tail reads beyond the edge and drops the results, and other iterations of the line are in
// bounds. So two cases are findings: an out-of-bounds value whose result is stored in a tensor, and
// a line whose accesses are never in bounds. A guarded zero stored to memory of the block is
// padding, as T.copy makes it; so are the few lanes of a tail selected by a condition on values. A
// lane proves nothing about the line if its condition was itself read out of bounds, or from a
// block's memory that holds padding.
// nor does one whose condition was read from memory of a block that holds padding.
#include <algorithm>

#include "core/sim/tile/run.h"

namespace tilelab::sim {

bool TileRunner::noted(const TileAccess& access) const {
  return block_.options().notes_outside() && block_.memory(access.memory).global >= 0 &&
         !guessed(access);
}

/// Whether a condition around `access` depends, in this lane, on an out-of-bounds load, or may
/// depend on padding.
bool TileRunner::selected_by_padding(const TileAccess& access, size_t lane) const {
  return std::any_of(access.conditions.begin(), access.conditions.end(), [&](int32_t load) {
    const TileAccess& read = block_.image().accesses[size_t(load)];
    if (block_.memory(read.memory).global < 0) return block_.padded();
    auto it = outside_loads_.find(load);
    return it != outside_loads_.end() && it->second.lanes[lane];
  });
}

/// After an access of global memory; `outside_` marks lanes out of bounds if `any_outside_`.
void TileRunner::note_guarded(const TileAccess& access, const CallSite& site, bool write) {
  const int64_t id = site.numbers[0];
  if (!write) outside_loads_.erase(id);
  // Under a condition perhaps only a tail's lanes are active, so addresses of inactive ones count
  // too.
  bool inside = !any_outside_;
  for (int l = 0; l < chunk_ && !inside; ++l) inside = !outside_[size_t(l)];
  if (inside) block_.saw_inside(id);
  if (write) check_used(access);
  if (!any_outside_ || block_.memory(access.memory).elements == 0) return;
  note_outside(access, site, write);
  if (write) return;
  block_.saw_padding();
  OutsideLoad& load = outside_loads_[id];
  load.span = span();
  load.memory = access.memory;
  load.lanes.assign(size_t(lanes_), 0);
  for (size_t l = 0; l < size_t(chunk_); ++l) load.lanes[l] = mask()[l] & outside_[l];
  load.conditional = std::find(mask(), mask() + chunk_, 0) != mask() + chunk_;
  for (const TileIndex& index : access.index) {
    add_index(index, site);
    load.index.emplace_back(index_.begin(), index_.begin() + chunk_);
  }
}

/// Some lanes of the access were out of bounds.
void TileRunner::note_outside(const TileAccess& access, const CallSite& site, bool write) {
  const int64_t id = site.numbers[0];
  int first = -1;
  for (int l = 0; l < chunk_ && first < 0; ++l)
    if (mask()[l] && outside_[size_t(l)] && !selected_by_padding(access, size_t(l))) first = l;
  if (first < 0) return;
  if (block_.wants_outside(id)) {
    const TileMemory& m = block_.memory(access.memory);
    block_.saw_outside(id,
                       outside_finding(m, span(), indices_of(access, site, first), first, write));
  }
  int64_t active = 0;
  for (int l = 0; l < chunk_; ++l) active += mask()[l];
  block_.saw_step_outside(id, active == chunk_);
}

/// Whether a value stored to global memory depends on an out-of-bounds load.
void TileRunner::check_used(const TileAccess& access) {
  if (outside_loads_.empty()) return;
  for (int32_t use : access.uses) {
    auto it = outside_loads_.find(use);
    if (it == outside_loads_.end()) continue;
    const OutsideLoad& load = it->second;
    int64_t count = 0;
    size_t first = 0;
    for (size_t l = 0; l < size_t(chunk_); ++l) {
      if (!load.lanes[l] || !mask()[l] || (any_outside_ && outside_[l])) continue;
      if (count++ == 0) first = l;
    }
    if (count > 0) {
      std::vector<int64_t> index;
      for (const auto& lanes : load.index) index.push_back(lanes[first]);
      Finding f =
          outside_finding(block_.memory(load.memory), load.span, index, int64_t(first), false);
      const std::string& name = block_.memory(access.memory).name.str();
      f.where.push_back({span(), "", "stores a result of it in " + name});
      f.count = count;
      block_.warn(std::move(f));
    }
    outside_loads_.erase(it);
  }
}

void TileBlock::end_launch() {
  if (watch_) end_watch();
  for (size_t a = 0; a < inside_.size(); ++a) {
    TileReport::Guarded seen;
    auto it = outside_.find(int64_t(a));
    if (it != outside_.end()) seen = it->second;
    seen.inside = inside_[a] != 0;
    if (seen.inside || seen.block >= 0) result.add(image_.accesses[a], seen);
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
