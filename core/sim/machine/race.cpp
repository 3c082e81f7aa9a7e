// SPDX-License-Identifier: Apache-2.0
#include "core/sim/machine/race.h"

#include <algorithm>

#include "core/support/check.h"

namespace tilelab::sim {

void RaceDetector::reset(int threads, int warp_width, bool proxies) {
  threads_ = threads;
  width_ = warp_width;
  proxies_ = proxies;
  warps_.assign(size_t((threads + warp_width - 1) / warp_width), {});
  for (size_t w = 0; w < warps_.size(); ++w)
    warps_[w].all = LaneMask::first(std::min(warp_width, threads - int(w) * warp_width));
  actors_ = ActorId(threads) + ActorId(warps_.size());
  CHECK(warps_.size() <= size_t{1} << warp_bits, "too many warps for the race detector");
  plain_actors_.clear();
  pasts_.clear();
  known_pasts_.clear();
  masks_.clear();
  mask_numbers_.clear();
  patterns_ = {};
  for (Memory& m : memories_)
    for (uint32_t p : m.touched) spare_pages_.push_back(std::move(m.pages[p]));
  memories_.clear();
  lists_.clear();
  free_lists_.clear();
  hits_.clear();
  hit_of_.clear();
}

int32_t RaceDetector::add_memory(int64_t bytes, int granule) {
  CHECK(granule > 0 && (granule & (granule - 1)) == 0);
  Memory m;
  m.shift = std::countr_zero(static_cast<unsigned>(granule));
  m.pages.resize(size_t((bytes >> m.shift) / page_cells + 1));
  memories_.push_back(std::move(m));
  return int32_t(memories_.size()) - 1;
}

ActorId RaceDetector::add_actor(bool plain) {
  CHECK(actors_ < first_group, "too many actors for the race detector");
  if (plain) plain_actors_.push_back(actors_);
  return actors_++;
}

RaceDetector::Cell* RaceDetector::page(Memory& memory, uint32_t index) {
  if (index >= memory.pages.size()) memory.pages.resize(index + size_t{1});
  if (!memory.pages[index]) {
    if (spare_pages_.empty()) {
      memory.pages[index] = std::make_unique<Cell[]>(page_cells);
    } else {
      memory.pages[index] = std::move(spare_pages_.back());
      spare_pages_.pop_back();
      std::fill_n(memory.pages[index].get(), page_cells, Cell{});
    }
    memory.touched.push_back(index);
  }
  return memory.pages[index].get();
}

bool RaceDetector::sees_slowly(const Accessor& by, ActorId actor, uint32_t clock) const {
  if (actor == by.self && clock >= by.since) return true;
  if (actor >= ActorId(threads_) && actor < ActorId(threads_) + warps_.size()) {
    size_t w = actor - ActorId(threads_);  // a whole warp: known if each lane is
    bool all = true;
    warps_[w].all.for_each(
        [&](int lane) { all = all && sees(by, ActorId(int(w) * width_ + lane), clock); });
    return all;
  }
  if (actor >= first_group) return first_unseen(by, reader_of(actor, clock, 0)) == no_actor;
  if (!by.warp) return false;
  for (const Extra& extra : by.warp->extras)
    if (extra.lanes.test(by.lane) && clock <= extra.view.order[actor]) return true;
  return false;
}

// ---- cells

RaceDetector::Stamp RaceDetector::pack(ActorId actor, uint32_t clock, uint32_t place, bool atomic) {
  CHECK(actor < 0x7FFFF && clock < (1u << 24) && place < (1u << 20), "race stamp overflows");
  return uint64_t{atomic} << 63 | uint64_t{actor} << 44 | uint64_t{clock} << 20 | place;
}

ActorId RaceDetector::first_unseen(const Accessor& by, const Reader& reader) const {
  if (!reader.lanes.any()) return sees(by, reader.base, reader.clock) ? no_actor : reader.base;
  const ActorId warp = ActorId(threads_) + reader.base / ActorId(width_);
  if (sees_at_once(by, warp, reader.clock)) return no_actor;
  ActorId unseen = no_actor;
  reader.lanes.for_each([&](int lane) {
    ActorId a = reader.base + ActorId(lane);
    if (unseen == no_actor && !sees(by, a, reader.clock)) unseen = a;
  });
  return unseen;
}

void RaceDetector::drop_list(Stamp read) {
  if (is_list(read)) free_lists_.push_back(uint32_t(read));
}

/// Replaces the readers that happen before this one.
void RaceDetector::on_read(Cell& cell, Accessor& by) {
  if (by.new_read[0] && cell.read == by.old_read) {
    cell.read = by.new_read;
    return;
  }
  if (is_list(cell.read[0])) return add_reader(cell, by);
  Readers now{};
  size_t n = 0;
  for (Stamp s : cell.read)
    if (s && s != by.stamp && !sees(by, s)) now[n++] = s;
  if (n == now.size()) return add_reader(cell, by);
  now[n] = by.stamp;
  by.old_read = cell.read;
  by.new_read = cell.read = now;
}

RaceDetector::Reader RaceDetector::reader_of(ActorId actor, uint32_t clock, uint32_t place) const {
  Reader r{actor, clock, place, {}};
  size_t warp = warps_.size();
  if (actor < ActorId(threads_)) {
    warp = actor / ActorId(width_);
    r.lanes = LaneMask::one(int(actor) % width_);
  } else if (actor >= first_group) {
    warp = warp_of_group(actor);
    r.lanes = masks_[lanes_of_group(actor)];
  } else if (actor < ActorId(threads_) + warps_.size()) {
    warp = actor - ActorId(threads_);
    r.lanes = warps_[warp].all;
  }
  if (warp < warps_.size()) r.base = ActorId(warp) * ActorId(width_);
  return r;
}

RaceDetector::Reader RaceDetector::reader_of(Stamp s) const {
  return reader_of(actor_of(s), clock_of(s), place_of(s));
}

/// The cell's readers as a list.
std::vector<RaceDetector::Reader>& RaceDetector::list_of(Cell& cell) {
  if (is_list(cell.read[0])) return lists_[uint32_t(cell.read[0])];
  uint32_t index = uint32_t(lists_.size());
  if (free_lists_.empty()) {
    lists_.emplace_back();
  } else {
    index = free_lists_.back();
    free_lists_.pop_back();
    lists_[index].clear();
  }
  for (Stamp s : cell.read)
    if (s) lists_[index].push_back(reader_of(s));
  cell.read = {list_tag | index};
  return lists_[index];
}

void RaceDetector::add_reader(Cell& cell, const Accessor& by) {
  std::vector<Reader>& list = list_of(cell);
  Reader mine = reader_of(by.stamp);
  for (Reader& r : list)
    if (r.base == mine.base && r.clock == mine.clock) {
      r.lanes = r.lanes | mine.lanes;
      return;
    }
  std::erase_if(list, [&](const Reader& r) { return first_unseen(by, r) == no_actor; });
  list.push_back(mine);
}

/// Whether the last write there happens before the access in every lane.
bool RaceDetector::knows_writes(Memory& memory, int64_t address, int64_t bytes, Accessor& by) {
  const int64_t first = address >> memory.shift, end = (address + bytes - 1) >> memory.shift;
  for (int64_t i = first; i <= end; ++i) {
    const Stamp write = page(memory, uint32_t(i / page_cells))[i % page_cells].write;
    if (!write || write == by.known_write) continue;
    if (!sees_at_once(by, write)) return false;
    by.known_write = write;
  }
  return true;
}

void RaceDetector::check_reader(Stamp reader, const Accessor& by, int32_t memory, int64_t address,
                                AccessKind kind) {
  auto wrong = [&](const Reader& r) {
    const ActorId unseen = first_unseen(by, r);
    if (unseen == no_actor && fenced(by, r, kind)) return false;
    const ActorId who =
        unseen == no_actor ? r.base + ActorId(r.lanes.any() ? r.lanes.lowest() : 0) : unseen;
    hit(pack(who, r.clock, r.place, false), AccessKind::read, by, kind, memory, address,
        unseen == no_actor);
    return true;
  };
  if (is_list(reader)) {
    for (const Reader& r : lists_[uint32_t(reader)])
      if (wrong(r)) return;
  } else if (actor_of(reader) >= first_group || sees(by, reader)) {
    wrong(reader_of(reader));
  } else {
    hit(reader, AccessKind::read, by, kind, memory, address, false);
  }
}

/// Checks this access against the last write.
void RaceDetector::check_write(const Cell& cell, Accessor& by, int32_t id, int64_t address,
                               AccessKind kind) {
  const ActorId writer = actor_of(cell.write);
  const bool crossed = fenced(by, cell.write, kind);
  if (sees_at_once(by, cell.write) && crossed) {
    by.known_write = cell.write;
    return;
  }
  if (kind == AccessKind::atomic && is_atomic(cell.write)) return;
  if (!sees(by, cell.write)) {
    bool harmless = kind == AccessKind::write && by.unchanged &&
                    place_of(cell.write) == place_of(by.stamp) && (*by.unchanged)(by.lane, writer);
    if (!harmless)
      hit(cell.write, is_atomic(cell.write) ? AccessKind::atomic : AccessKind::write, by, kind, id,
          address, false);
  } else if (!crossed) {
    hit(cell.write, AccessKind::write, by, kind, id, address, true);
  }
}

template <AccessKind kind>
void RaceDetector::touch(Memory& memory, int32_t id, int64_t address, int64_t bytes, Accessor& by) {
  const int shift = memory.shift;
  int64_t i = address >> shift, end = (address + bytes - 1) >> shift;
  while (i <= end) {
    Cell* cells = page(memory, uint32_t(i / page_cells));
    for (int64_t stop = std::min(end, i | (page_cells - 1)); i <= stop; ++i) {
      Cell& cell = cells[i & (page_cells - 1)];
      if (cell.write && cell.write != by.known_write) check_write(cell, by, id, i << shift, kind);
      if constexpr (kind == AccessKind::read) {
        on_read(cell, by);
      } else {
        for (Stamp reader : cell.read) {
          if (!reader) break;
          if (reader == by.known_read) continue;
          if (!is_list(reader) && sees_at_once(by, reader) && fenced(by, reader, kind)) {
            by.known_read = reader;
          } else {
            check_reader(reader, by, id, i << shift, kind);
          }
        }
        drop_list(cell.read[0]);
        cell.read = {};
        cell.write = by.stamp;
      }
    }
  }
}

/// Records a read of one address by all lanes of a warp as one read.
bool RaceDetector::whole_warp_reads(Memory& m, int32_t id, int warp, uint32_t place,
                                    const LaneMask& lanes, const int64_t* address, int bytes) {
  WarpState& w = warps_[warp];
  if (!w.extras.empty() || !(lanes == w.all) || lanes.count() < 2) return false;
  for (int l = 1, n = lanes.count(); l < n; ++l)
    if (address[l] != address[0]) return false;
  Accessor by;
  by.known = w.base.order.data();
  by.size = w.base.order.size();
  by.self = ActorId(threads_ + warp);
  by.warp = &w;
  by.lane = 0;
  by.stamp = pack(by.self, w.epoch, place, false);
  touch<AccessKind::read>(m, id, address[0], bytes, by);
  return true;
}

/// The groups of lanes of a whole warp that read the same address. Caches the last two patterns,
/// since the statements of a loop repeat theirs.
const std::vector<RaceDetector::Group>& RaceDetector::groups_of(const int64_t* address,
                                                                const LaneMask& all) {
  const int n = width_;
  for (Pattern& p : patterns_) {
    if (!(p.lanes == all)) continue;
    int64_t differs = 0;
    for (int l = 0; l < n; ++l) differs |= (address[l] - address[0]) ^ p.delta[size_t(l)];
    if (!differs) return p.groups;
  }
  Pattern& p = patterns_[next_pattern_ ^= 1];
  p.lanes = all;
  p.delta.resize(size_t(n));
  for (int l = 0; l < n; ++l) p.delta[size_t(l)] = address[l] - address[0];
  p.groups.clear();
  for (LaneMask left = all; left.any();) {
    const int64_t at = address[left.lowest()];
    LaneMask group;
    left.for_each([&](int l) {
      if (address[l] == at) group.set(l);
    });
    left = left & ~group;
    p.groups.push_back({group, number_of(group)});
  }
  return p.groups;
}

uint32_t RaceDetector::number_of(const LaneMask& lanes) {
  if (!lanes.several() || masks_.size() == most_groups) return no_group;
  const auto [at, fresh] =
      mask_numbers_.try_emplace({lanes.word[0], lanes.word[1]}, uint32_t(masks_.size()));
  if (fresh) masks_.push_back(lanes);
  return at->second;
}

/// Records lanes that read the same address as one reader. False, without effect, if all addresses
/// differ.
bool RaceDetector::group_reads(Memory& m, int32_t id, int warp, uint32_t place,
                               const LaneMask& lanes, const int64_t* address, int bytes) {
  WarpState& w = warps_[warp];
  if (!w.extras.empty() || lanes.count() != width_) return false;
  bool distinct = true;
  for (int l = 1; l < width_; ++l) distinct &= address[l] > address[l - 1];
  if (distinct) return false;
  Accessor by{.known = w.base.order.data(), .size = w.base.order.size(), .warp = &w};
  auto be = [&](ActorId self, int l) {
    by.self = self;
    by.lane = l;
    by.stamp = pack(by.self, w.epoch, place, false);
    by.new_read = {};
  };
  for (const Group& group : groups_of(address, lanes)) {
    const int lane = group.lanes.lowest();
    if (group.number != no_group) {
      be(group_actor(group.number, warp), lane);
      if (knows_writes(m, address[lane], bytes, by)) {
        touch<AccessKind::read>(m, id, address[lane], bytes, by);
        continue;
      }
    }
    group.lanes.for_each([&](int l) {
      be(ActorId(warp * width_ + l), l);
      touch<AccessKind::read>(m, id, address[l], bytes, by);
    });
  }
  return true;
}

void RaceDetector::access(int32_t memory, int warp, const LaneMask& lanes, uint32_t place,
                          AccessKind kind, const int64_t* address, int bytes,
                          FunctionRef<bool(int, ActorId)> unchanged) {
  WarpState& w = warps_[warp];
  Memory& m = memories_[memory];
  if (kind == AccessKind::read &&
      (whole_warp_reads(m, memory, warp, place, lanes, address, bytes) ||
       group_reads(m, memory, warp, place, lanes, address, bytes)))
    return;
  Accessor by;
  by.known = w.base.order.data();
  by.size = w.base.order.size();
  by.warp = &w;
  by.unchanged = &unchanged;
  lanes.for_each([&](int lane) {
    by.self = ActorId(warp * width_ + lane);
    by.lane = lane;
    by.stamp = pack(by.self, w.epoch, place, kind == AccessKind::atomic);
    by.new_read = {};
    switch (kind) {
      case AccessKind::read: touch<AccessKind::read>(m, memory, address[lane], bytes, by); break;
      case AccessKind::write: touch<AccessKind::write>(m, memory, address[lane], bytes, by); break;
      case AccessKind::atomic:
        touch<AccessKind::atomic>(m, memory, address[lane], bytes, by);
        break;
    }
  });
}

RaceDetector::Runs::Runs(RaceDetector& detector, int32_t memory, const AsyncActor& op,
                         uint32_t place, AccessKind kind)
    : detector_(detector), memory_(memory), kind_(kind) {
  by_.known = op.view.order.data();
  by_.size = op.view.order.size();
  by_.self = op.self;
  by_.since = op.since;
  by_.async = &op;
  by_.stamp = pack(op.self, op.clock, place, kind == AccessKind::atomic);
  if (!detector.pasts_.empty()) detector.note_pasts(op.view.order, op.self, {}, op.clock);
}

void RaceDetector::Runs::touch(int64_t address, int64_t bytes) {
  if (bytes <= 0) return;
  Memory& m = detector_.memories_[memory_];
  switch (kind_) {
    case AccessKind::read:
      return detector_.touch<AccessKind::read>(m, memory_, address, bytes, by_);
    case AccessKind::write:
      return detector_.touch<AccessKind::write>(m, memory_, address, bytes, by_);
    case AccessKind::atomic:
      return detector_.touch<AccessKind::atomic>(m, memory_, address, bytes, by_);
  }
}

void RaceDetector::access(int32_t memory, const AsyncActor& op, uint32_t place, AccessKind kind,
                          int64_t address, int64_t bytes) {
  Runs(*this, memory, op, place, kind).touch(address, bytes);
}

// ---- reports

void RaceDetector::hit(const RaceHit& h) {
  uint64_t key = uint64_t{h.first.place} << 40 | uint64_t{h.second.place} << 20 |
                 uint64_t(h.memory & 0xFF) << 8 | uint64_t(h.proxy) << 4 |
                 uint64_t(h.first.kind) << 2 | uint64_t(h.second.kind);
  auto [it, fresh] = hit_of_.try_emplace(key, hits_.size());
  if (fresh) {
    hits_.push_back(h);
  } else {
    ++hits_[it->second].count;
  }
}

void RaceDetector::hit(Stamp first, AccessKind first_kind, const Accessor& by, AccessKind kind,
                       int32_t memory, int64_t address, bool proxy) {
  hit({.first = {actor_of(first), place_of(first), first_kind},
       .second = {actor_of(by.stamp), place_of(by.stamp), kind},
       .memory = memory,
       .address = address,
       .proxy = proxy});
}

}  // namespace tilelab::sim
