// SPDX-License-Identifier: Apache-2.0
// Happens-before race detection within one block, with vector clocks. Actors are threads and
// asynchronous operations. Order comes from barriers (arrive -> wait), rendezvous, group waits,
// transactions (operation -> barrier -> waiter) and acquire/release atomics. Two unordered accesses
// to one byte, at least one of them a write, are a race, whatever their values.
//
// Clocks: all lanes of a warp share one epoch, which advances at each of its releases; an access is
// stamped (thread, epoch). A warp has one base clock; lanes that acquired alone (a leader that
// waits) keep separate clocks until the warp synchronizes, so a missing warp_sync is found. Shadow
// memory has one cell (last write, readers since) per granule.
//
// Proxies (on targets that have them): an engine sees a plain store only if the writer executes
// fence_proxy after it and the order reaches the engine's issue; a second clock tracks this. Plain
// accesses may still use what an engine overwrites until a thread ordered between the two executes
// fence_proxy; a third clock tracks that. A matrix unit needs no fence for what asynchronous copies
// of threads (cp.async) have written: once they are complete, they are in shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/sim/machine/race_clock.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

using ActorId = uint32_t;
inline constexpr ActorId no_actor = ~0u;
inline constexpr auto never = [](int, ActorId) { return false; };

enum class AccessKind : uint8_t { read, write, atomic };

/// The past of an actor: `order` of everything, `proxy` of plain stores visible to engines,
/// `crossed` of plain accesses fenced against later engine writes.
struct Knowledge {
  Clock order, proxy, crossed;
  void join(const Knowledge& o) {
    order.join(o.order), proxy.join(o.proxy), crossed.join(o.crossed);
  }
  /// The intersection of both.
  void intersect(const Knowledge& o) {
    order.intersect(o.order), proxy.intersect(o.proxy), crossed.intersect(o.crossed);
  }
};

/// An asynchronous operation as an actor: its accesses follow `view` (its issue) and are stamped
/// (self, clock). Accesses of `self` with clock >= `since` count as its own past. `engine`: not
/// through the generic proxy of loads and stores. `sees_copies`: it sees without a fence what
/// asynchronous copies of threads have written, as matrix units do.
struct AsyncActor {
  Knowledge view;
  ActorId self = no_actor;
  uint32_t clock = 0, since = 0;
  bool engine = true, sees_copies = false;
};

class KnownPast;

/// Two unordered accesses. `place`s are the caller's program locations.
struct RaceHit {
  struct Side {
    ActorId actor = no_actor;
    uint32_t place = 0;
    AccessKind kind = AccessKind::read;
  };
  Side first, second;
  int32_t memory = 0;
  int64_t address = 0;
  bool proxy = false;  // ordered, but a fence_proxy is missing
  int64_t count = 1;
};

class RaceDetector {
 public:
  /// A stamp packs atomic flag (1) | actor (19) | clock (24) | place (20); 0 = none.
  using Stamp = uint64_t;
  static Stamp pack(ActorId actor, uint32_t clock, uint32_t place, bool atomic);
  static ActorId actor_of(Stamp s) { return ActorId(s >> 44 & 0x7FFFF); }
  static uint32_t clock_of(Stamp s) { return uint32_t(s >> 20 & 0xFFFFFF); }
  static uint32_t place_of(Stamp s) { return uint32_t(s & 0xFFFFF); }
  static bool is_atomic(Stamp s) { return s >> 63; }

  /// Threads are actors 0 .. threads - 1. After them comes one actor per whole warp, for reads that
  /// all its lanes made alike. Lanes of a warp that read one address together are an actor as well
  /// (from `first_group` on). `proxies`: the target's engines need fence_proxy.
  void reset(int threads, int warp_width, bool proxies);
  /// Memory 0, 1, ...: the shadow has one cell per `granule` bytes (a power of two). An access must
  /// not be smaller than a granule.
  int32_t add_memory(int64_t bytes, int granule);
  /// A new asynchronous actor; `plain`: it accesses memory through the generic proxy.
  ActorId add_actor(bool plain = false);

  // ---- order
  /// All lanes of these warps synchronize.
  void sync(const std::vector<int32_t>& warps);
  /// Some lanes of one warp synchronize (warp_sync under a mask).
  void sync_lanes(int warp, const LaneMask& lanes);
  /// Publishes the lanes' past to later acquires of `to`.
  void release(int warp, const LaneMask& lanes, Knowledge& to);
  void acquire(int warp, const LaneMask& lanes, const Knowledge& from);
  /// The lanes acquire the asynchronous actor's past up to `clock`.
  void acquire_actor(int warp, const LaneMask& lanes, ActorId actor, uint32_t clock);
  void fence_proxy(int warp, const LaneMask& lanes);
  /// The past of an operation that these lanes issue now.
  Knowledge issue(int warp, const LaneMask& lanes);
  /// Adds the past of other blocks as an actor with a single event. Acquires of it, and its further
  /// propagation, are recorded.
  ActorId add_past();
  void learn(int warp, const LaneMask& lanes, ActorId past) { acquire_actor(warp, lanes, past, 1); }
  /// For each past, in the order added, the actors that know it.
  const std::vector<std::vector<KnownPast>>& known_pasts() const { return known_pasts_; }

  // ---- accesses
  /// Each lane of `lanes` accesses `bytes` bytes at address[lane]. `unchanged(lane)` is called for
  /// stores that may not change the value: they do not race with the same store of another lane.
  void access(int32_t memory, int warp, const LaneMask& lanes, uint32_t place, AccessKind kind,
              const int64_t* address, int bytes, FunctionRef<bool(int, ActorId)> unchanged = never);
  /// An asynchronous operation accesses one run of bytes.
  void access(int32_t memory, const AsyncActor& by, uint32_t place, AccessKind kind,
              int64_t address, int64_t bytes);
  /// The same for many runs; caches the result for a cell.
  class Runs;

  const std::vector<RaceHit>& hits() const { return hits_; }
  int threads() const { return threads_; }

  /// The block's accesses of a memory, for races between blocks: calls f(granule index, write or 0,
  /// read or 0) for every accessed granule. The stamp of lanes that read together is that of the
  /// last one: a release by a single one of them does not cover it.
  template <class F> void for_each_touched(int32_t memory, F&& f) const;
  int granule(int32_t memory) const { return 1 << memories_[memory].shift; }

 private:
  /// Mutually unordered readers since the last write, usually at most one per warp. More are stored
  /// in a list, whose index the first entry holds.
  using Readers = std::array<Stamp, 4>;
  struct Cell {
    Stamp write = 0;
    Readers read{};
  };
  static constexpr int page_cells = 512;
  struct Memory {
    int shift = 2;
    std::vector<std::unique_ptr<Cell[]>> pages;
    std::vector<uint32_t> touched;
  };
  struct Reader {
    ActorId base = no_actor;  // the warp's lane 0, or an asynchronous actor
    uint32_t clock = 0, place = 0;
    LaneMask lanes;  // of a warp; empty for an asynchronous actor
  };
  struct Extra {
    LaneMask lanes;
    Knowledge view;
  };
  struct WarpState {
    Knowledge base;
    std::vector<Extra> extras;
    uint32_t epoch = 1;
    LaneMask all;
  };
  /// The actor that accesses a cell: one lane of a warp, or an asynchronous operation.
  struct Accessor {
    const uint32_t* known = nullptr;
    uint32_t size = 0;
    ActorId self = no_actor;
    uint32_t since = 0;
    Stamp stamp = 0;
    int lane = -1;
    const WarpState* warp = nullptr;
    const AsyncActor* async = nullptr;
    FunctionRef<bool(int, ActorId)>* unchanged = nullptr;
    // Contents of the previous cells: equal cells are not checked again.
    Stamp known_write = 0, known_read = 0;
    Readers old_read{}, new_read{};
  };

  static constexpr Stamp list_tag = uint64_t{0x7FFFF} << 44;
  static bool is_list(Stamp s) { return (s & list_tag) == list_tag; }

  Cell* page(Memory& memory, uint32_t index);
  /// The actor whose clock covers that of `actor`: for lanes their warp.
  ActorId whole(ActorId actor) const {
    return actor < first_group ? actor : ActorId(threads_) + warp_of_group(actor);
  }
  bool sees_at_once(const Accessor& by, ActorId actor, uint32_t clock) const {
    actor = whole(actor);
    return actor < by.size && clock <= by.known[actor];
  }
  bool sees_at_once(const Accessor& by, Stamp s) const {
    return sees_at_once(by, actor_of(s), clock_of(s));
  }
  bool sees(const Accessor& by, ActorId actor, uint32_t clock) const {
    return sees_at_once(by, actor, clock) || sees_slowly(by, actor, clock);
  }
  bool sees(const Accessor& by, Stamp s) const { return sees(by, actor_of(s), clock_of(s)); }
  bool sees_slowly(const Accessor& by, ActorId actor, uint32_t clock) const;
  ActorId first_unseen(const Accessor& by, const Reader& reader) const;
  bool fenced(const Accessor& by, const Reader& before, AccessKind kind) const;
  bool fenced(const Accessor& by, Stamp before, AccessKind kind) const;
  bool is_plain(ActorId actor) const;
  bool is_copy(ActorId actor) const;  // an asynchronous copy of threads
  template <AccessKind kind>
  void touch(Memory& memory, int32_t id, int64_t address, int64_t bytes, Accessor& by);
  bool whole_warp_reads(Memory& memory, int32_t id, int warp, uint32_t place, const LaneMask& lanes,
                        const int64_t* address, int bytes);
  bool group_reads(Memory& memory, int32_t id, int warp, uint32_t place, const LaneMask& lanes,
                   const int64_t* address, int bytes);
  bool knows_writes(Memory& memory, int64_t address, int64_t bytes, Accessor& by);
  struct Group {
    LaneMask lanes;
    uint32_t number = no_group;  // for several lanes: index into masks_
  };
  const std::vector<Group>& groups_of(const int64_t* address, const LaneMask& all);
  uint32_t number_of(const LaneMask& lanes);
  static constexpr ActorId first_group = 0x40000;
  static constexpr int warp_bits = 7;
  static constexpr uint32_t most_groups = 2000;  // group actors end before the list's tag
  static constexpr uint32_t no_group = ~0u;
  static ActorId group_actor(uint32_t lanes, int warp) {
    return first_group + (lanes << warp_bits) + ActorId(warp);
  }
  static uint32_t warp_of_group(ActorId actor) { return actor & ((1u << warp_bits) - 1); }
  static uint32_t lanes_of_group(ActorId actor) { return (actor - first_group) >> warp_bits; }
  Stamp last_lane(const Reader& reader) const;
  void note_pasts(const Clock& known, ActorId first, const LaneMask& lanes, uint32_t since);
  Reader reader_of(Stamp stamp) const;
  Reader reader_of(ActorId actor, uint32_t clock, uint32_t place) const;
  std::vector<Reader>& list_of(Cell& cell);
  void check_write(const Cell& cell, Accessor& by, int32_t id, int64_t address, AccessKind kind);
  void on_read(Cell& cell, Accessor& by);
  void add_reader(Cell& cell, const Accessor& by);
  void check_reader(Stamp reader, const Accessor& by, int32_t memory, int64_t address,
                    AccessKind k);
  void drop_list(Stamp read);
  void hit(const RaceHit& hit);
  void hit(Stamp first, AccessKind first_kind, const Accessor& by, AccessKind kind, int32_t memory,
           int64_t address, bool proxy);
  Knowledge view_of(const WarpState& warp, int first_thread, const LaneMask& lanes) const;

  int threads_ = 0, width_ = 32;
  bool proxies_ = false;
  ActorId actors_ = 0;
  std::vector<ActorId> plain_actors_;  // asynchronous ones
  std::vector<ActorId> pasts_;
  std::vector<std::vector<KnownPast>> known_pasts_;
  std::vector<WarpState> warps_;
  std::vector<Memory> memories_;
  std::vector<std::unique_ptr<Cell[]>> spare_pages_;
  std::vector<std::vector<Reader>> lists_;
  std::vector<uint32_t> free_lists_;
  struct Pattern {
    LaneMask lanes;
    std::vector<int64_t> delta;  // of the lanes' addresses to the first one
    std::vector<Group> groups;
  };
  std::vector<LaneMask> masks_;  // lanes that have read together
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> mask_numbers_;
  std::array<Pattern, 2> patterns_;
  size_t next_pattern_ = 0;
  std::vector<RaceHit> hits_;
  std::unordered_map<uint64_t, size_t> hit_of_;
};

/// Lanes of a warp, or an asynchronous operation, that know a past from a clock on.
class KnownPast {
 public:
  KnownPast(ActorId first, const LaneMask& lanes, uint32_t since)
      : first_(first), lanes_(lanes), since_(since) {}
  bool covers(RaceDetector::Stamp access) const {
    const ActorId actor = RaceDetector::actor_of(access);
    if (RaceDetector::clock_of(access) < since_) return false;
    if (!lanes_.any()) return actor == first_;
    return actor >= first_ && actor - first_ < 128 && lanes_.test(int(actor - first_));
  }
  bool is_of(ActorId first, const LaneMask& lanes) const {
    return first == first_ && lanes_.contains(lanes) && lanes_.any() == lanes.any();
  }

 private:
  ActorId first_;
  LaneMask lanes_;
  uint32_t since_;
};

class RaceDetector::Runs {
 public:
  Runs(RaceDetector& detector, int32_t memory, const AsyncActor& by, uint32_t place,
       AccessKind kind);
  void touch(int64_t address, int64_t bytes);

 private:
  RaceDetector& detector_;
  int32_t memory_;
  AccessKind kind_;
  Accessor by_;
};

template <class F> void RaceDetector::for_each_touched(int32_t memory, F&& f) const {
  const Memory& m = memories_[memory];
  for (uint32_t p : m.touched)
    for (int i = 0; i < page_cells; ++i) {
      const Cell& c = m.pages[p][i];
      const Stamp read = c.read[0];
      if (!c.write && !read) continue;
      f(int64_t{p} * page_cells + i, c.write,
        !read           ? 0
        : is_list(read) ? last_lane(lists_[uint32_t(read)].front())
                        : last_lane(reader_of(read)));
    }
}

}  // namespace tilelab::sim
