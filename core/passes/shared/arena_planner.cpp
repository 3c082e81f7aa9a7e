// SPDX-License-Identifier: Apache-2.0
#include "core/passes/shared/arena_planner.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/support/extents.h"

namespace tilelab {

int64_t slot_alignment(const Buffer& buffer) {
  const Swizzle& s = buffer.swizzle;
  return s.known() ? int64_t{s.line} * (s.mask + 1) : 128;
}

int64_t slot_bytes(const Buffer& buffer) {
  return round_up(allocated_bytes(buffer), slot_alignment(buffer));
}

ArenaPlanner::ArenaPlanner(const Kernel& kernel, int64_t unshared_bytes,
                           const std::map<Symbol, int64_t>* stages)
    : kernel_(kernel),
      views_(views_of(*kernel.body)),
      stages_(stages),
      unshared_bytes_(unshared_bytes) {}

void ArenaPlanner::plan(int64_t limit) {
  visit(kernel_.body);
  std::stable_sort(places_.begin(), places_.end(),
                   [](const auto& a, const auto& b) { return a.align > b.align; });
  place_all(false);
  reused_ = total_ > unshared_bytes_ && any_can_share();
  if (reused_) place_all(true);
  // A loop that ends early leaves slots that are still being filled.
  if (total_ <= unshared_bytes_ || contains<Break, While>(*kernel_.body)) return;
  const int64_t separate = total_;
  share_rings_ = true;
  place_all(true);
  const bool more_blocks = !contains<Role>(*kernel_.body) && limit / total_ > limit / separate;
  share_rings_ = separate > limit || more_blocks;
  if (share_rings_)
    reused_ = true;
  else
    place_all(reused_);
}

int64_t ArenaPlanner::sum() const {
  int64_t bytes = 0;
  for (const auto& place : places_) bytes += place.bytes;
  return bytes;
}

void ArenaPlanner::declare(const Buffer& buffer) {
  ArenaPlace place;
  place.buffer = &buffer;
  place.bytes = allocated_bytes(buffer);
  if (buffer.swizzle.known()) place.align = buffer.swizzle.line * (buffer.swizzle.mask + 1);
  place.depth = int(loops_.size());
  while (place.depth > 0 && branches_.count(loops_[size_t(place.depth) - 1])) --place.depth;
  place.alone = place.ring = bool(buffer.ring);
  if (auto it = rings_.find(buffer.ring); buffer.ring && it != rings_.end()) {
    const Ring& ring = *it->second;
    if (ring.producer != ring.consumer) place.consumer = ring.consumer;
    place.ring = ring.fill != RingFill::store;  // the engine still reads slots that it stores
  }
  if (stages_ && stages_->count(buffer.name)) {
    place.alone = place.ring = true, place.bytes = stages_->at(buffer.name) * slot_bytes(buffer);
    place.align = slot_alignment(buffer);
  }
  index_[buffer.name] = places_.size();
  places_.push_back(std::move(place));
}

void ArenaPlanner::use(Symbol name, bool late) {
  auto it = index_.find(views_.base_of(name));
  if (it == index_.end()) return;
  ArenaPlace& place = places_[it->second];
  // The contents live through all iterations of loops that began after the declaration.
  int64_t from = now_;
  if (int(loops_.size()) > place.depth) from = loops_[place.depth];
  if (place.first < 0 || from < place.first) place.first = from;
  place.last = std::max(place.last, now_);
  if (int(loops_.size()) > place.depth) open_.insert(it->second);
  place.roles.insert(role_);
  if (late) {
    place.alone = true;
    place.align = std::max<int64_t>(place.align, 128);
  }
}

void ArenaPlanner::use_workspace(Symbol name) {
  auto it = index_.find(name);
  if (it == index_.end()) return;
  ArenaPlace& place = places_[it->second];
  if (place.first < 0) place.first = now_;
  place.last = std::max(place.last, now_);
  place.roles.insert(role_);
}

void ArenaPlanner::uses_of(const Stmt& stmt) {
  for (const Effect& effect : effects(*stmt))
    effect.scratch ? use_workspace(effect.buffer) : use(effect.buffer, effect.late());
  if (const ClusterCopy* copy = as<ClusterCopy>(stmt)) {
    const Symbol received = to<Region>(copy->dst).buffer;
    use(received, true);
    places_[index_.at(views_.base_of(received))].remote = true;
  }
}

void ArenaPlanner::visit(const Stmt& stmt) {
  if (!stmt) return;
  ++now_;
  if (const Buffer* buffer = as<Buffer>(stmt)) {
    if (buffer->scope == Scope::shared) declare(*buffer);
    return;
  }
  if (as<View>(stmt)) return;
  if (const Ring* ring = as<Ring>(stmt)) rings_[ring->name] = ring;
  uses_of(stmt);
  Symbol outer_role = role_;
  if (const Role* role = as<Role>(stmt)) role_ = role->name;
  // Thread ranges progress independently: buffers used in a branch for some threads live through
  // it, as through a loop. So do those of T.Parallel iterations, which have no barrier between
  // them.
  bool range = as<If>(stmt) && varying_(*stmt) && has_tile_operation(stmt);
  bool loop = as<For>(stmt) || as<While>(stmt) || as<TileLoop>(stmt) || as<Parallel>(stmt) || range;
  if (range) branches_.insert(now_);
  if (loop) loops_.push_back(now_);
  for_each_stmt(*stmt, [&](const Stmt& s) { visit(s); });
  if (loop) close_loop();
  role_ = outer_role;
}

void ArenaPlanner::close_loop() {
  loops_.pop_back();
  ++now_;
  for (auto it = open_.begin(); it != open_.end();) {
    ArenaPlace& place = places_[*it];
    place.last = now_;
    it = place.depth >= int(loops_.size()) ? open_.erase(it) : std::next(it);
  }
}

/// Whether the buffer is used only after the ring's last use, by the role that has waited for all
/// of its slots: nothing fills them any more.
static bool follows(const ArenaPlace& buffer, const ArenaPlace& ring) {
  return ring.ring && !buffer.ring && !buffer.remote && buffer.first > ring.last &&
         ring.last >= 0 && buffer.roles.size() == 1 && *buffer.roles.begin() == ring.consumer;
}

bool ArenaPlanner::may_share(const ArenaPlace& a, const ArenaPlace& b) const {
  if (share_rings_ && (follows(a, b) || follows(b, a))) return true;
  if (a.alone || b.alone) return false;
  if (a.roles.size() > 1 || a.roles != b.roles) return false;
  return a.last < b.first || b.last < a.first;
}

bool ArenaPlanner::any_can_share() const {
  std::map<std::set<Symbol>, std::pair<const ArenaPlace*, const ArenaPlace*>> ends;
  for (const ArenaPlace& place : places_) {
    if (place.alone) continue;
    auto& [early, late] = ends.emplace(place.roles, std::pair(&place, &place)).first->second;
    if (place.last < early->last) early = &place;
    if (place.first > late->first) late = &place;
  }
  return std::any_of(ends.begin(), ends.end(), [&](const auto& each) {
    return may_share(*each.second.first, *each.second.second);
  });
}

void ArenaPlanner::place_all(bool share) {
  total_ = 0;
  std::vector<const ArenaPlace*> placed;  // by offset
  for (ArenaPlace& place : places_) {
    place.at = 0;
    for (const ArenaPlace* other : placed) {
      if (place.at + place.bytes <= other->at) break;
      if (other->at + other->bytes <= place.at || (share && may_share(place, *other))) continue;
      place.at = round_up(other->at + other->bytes, place.align);
    }
    auto position = std::upper_bound(placed.begin(), placed.end(), place.at,
                                     [](int64_t at, const auto* p) { return at < p->at; });
    placed.insert(position, &place);
    total_ = std::max(total_, place.at + place.bytes);
  }
}

}  // namespace tilelab
