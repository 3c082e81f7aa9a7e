// SPDX-License-Identifier: Apache-2.0
// How order and proxy fences propagate between actors.
#include <algorithm>

#include "core/sim/machine/race.h"

namespace tilelab::sim {

Knowledge RaceDetector::view_of(const WarpState& warp, int first_thread,
                                const LaneMask& lanes) const {
  Knowledge view = warp.base;
  for (const Extra& extra : warp.extras)
    if ((extra.lanes & lanes).any()) view.join(extra.view);
  lanes.for_each([&](int lane) { view.order.raise(ActorId(first_thread + lane), warp.epoch); });
  if (lanes.contains(warp.all))
    view.order.raise(ActorId(threads_ + first_thread / width_), warp.epoch);
  return view;
}

Knowledge RaceDetector::issue(int warp, const LaneMask& lanes) {
  WarpState& w = warps_[warp];
  Knowledge view = view_of(w, warp * width_, lanes);
  ++w.epoch;
  return view;
}

void RaceDetector::release(int warp, const LaneMask& lanes, Knowledge& to) {
  to.join(issue(warp, lanes));
}

void RaceDetector::acquire(int warp, const LaneMask& lanes, const Knowledge& from) {
  WarpState& w = warps_[warp];
  if (!pasts_.empty())  // separates later accesses from earlier ones
    note_pasts(from.order, ActorId(warp * width_), lanes, ++w.epoch);
  if (lanes.contains(w.all)) return w.base.join(from);
  for (Extra& extra : w.extras)
    if (extra.lanes == lanes) return extra.view.join(from);
  w.extras.push_back({lanes, from});
}

void RaceDetector::acquire_actor(int warp, const LaneMask& lanes, ActorId actor, uint32_t clock) {
  Knowledge view;
  view.order.raise(actor, clock);
  acquire(warp, lanes, view);
}

void RaceDetector::sync(const std::vector<int32_t>& warps) {
  Knowledge all;
  for (int32_t i : warps) all.join(issue(i, warps_[i].all));
  for (int32_t i : warps) {
    warps_[i].base = all;
    warps_[i].extras.clear();
    if (!pasts_.empty()) note_pasts(all.order, ActorId(i * width_), warps_[i].all, warps_[i].epoch);
  }
}

void RaceDetector::sync_lanes(int warp, const LaneMask& lanes) {
  WarpState& w = warps_[warp];
  if (lanes.contains(w.all)) return sync({warp});
  acquire(warp, lanes, issue(warp, lanes));
}

// ---- pasts of other blocks

ActorId RaceDetector::add_past() {
  known_pasts_.emplace_back();
  return pasts_.emplace_back(add_actor());
}

/// Records those that they did not know before.
void RaceDetector::note_pasts(const Clock& known, ActorId first, const LaneMask& lanes,
                              uint32_t since) {
  for (size_t i = 0; i < pasts_.size(); ++i) {
    if (known[pasts_[i]] == 0) continue;
    std::vector<KnownPast>& noted = known_pasts_[i];
    const auto is_theirs = [&](const KnownPast& each) { return each.is_of(first, lanes); };
    if (std::none_of(noted.begin(), noted.end(), is_theirs))
      noted.emplace_back(first, lanes, since);
  }
}

/// The stamp of the last lane, for the whole group.
RaceDetector::Stamp RaceDetector::last_lane(const Reader& r) const {
  int lane = 0;
  r.lanes.for_each([&](int each) { lane = each; });
  return pack(r.base + ActorId(lane), r.clock, r.place, false);
}

void RaceDetector::fence_proxy(int warp, const LaneMask& lanes) {
  WarpState& w = warps_[warp];
  Knowledge fenced;
  lanes.for_each([&](int lane) { fenced.proxy.raise(ActorId(warp * width_ + lane), w.epoch); });
  fenced.crossed = view_of(w, warp * width_, lanes).order;
  ++w.epoch;  // stores after the fence are not covered by it
  acquire(warp, lanes, fenced);
}

bool RaceDetector::is_copy(ActorId actor) const {
  return std::find(plain_actors_.begin(), plain_actors_.end(), actor) != plain_actors_.end();
}

bool RaceDetector::is_plain(ActorId actor) const {
  return actor < ActorId(threads_) + warps_.size() || actor >= first_group || is_copy(actor);
}

/// Whether a fence separates this access from an earlier access through the generic proxy. A store
/// must be fenced by its thread before engines read it; what engines overwrite, by any actor
/// ordered in between.
bool RaceDetector::fenced(const Accessor& by, const Reader& before, AccessKind kind) const {
  if (!proxies_ || !by.async || !by.async->engine || !is_plain(before.base)) return true;
  if (kind == AccessKind::read && by.async->sees_copies && is_copy(before.base)) return true;
  const Knowledge& view = by.async->view;
  const bool of_thread = before.lanes.any();
  const Clock& clock = kind == AccessKind::read && of_thread ? view.proxy : view.crossed;
  if (!of_thread) return clock[before.base] >= before.clock;
  bool all = true;
  before.lanes.for_each(
      [&](int lane) { all = all && clock[before.base + ActorId(lane)] >= before.clock; });
  return all;
}

bool RaceDetector::fenced(const Accessor& by, Stamp before, AccessKind kind) const {
  return !proxies_ || !by.async || !by.async->engine || fenced(by, reader_of(before), kind);
}

}  // namespace tilelab::sim
