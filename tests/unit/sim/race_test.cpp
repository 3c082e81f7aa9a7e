// SPDX-License-Identifier: Apache-2.0
// Happens-before on schedules made manually: each pair of accesses with its order is silent, and
// is reported, with both places, once the order is taken away.
#include "core/sim/machine/race.h"
#include "tests/unit/test.h"

using namespace tilelab::sim;

namespace {

constexpr int kWarp = 32;

struct Bench {
  RaceDetector d;
  int32_t mem;
  explicit Bench(int threads = 128, bool proxies = false) {
    d.reset(threads, kWarp, proxies);
    mem = d.add_memory(4096, 4);
  }
  /// Every lane of `warp` touches its own word, from `base` on.
  void words(int warp, AccessKind kind, uint32_t place, int64_t base) {
    int64_t address[kWarp];
    for (int l = 0; l < kWarp; ++l) address[l] = base + 4 * l;
    d.access(mem, warp, LaneMask::first(kWarp), place, kind, address, 4);
  }
  void lane(int warp, int lane, AccessKind kind, uint32_t place, int64_t at) {
    int64_t address[kWarp] = {};
    address[lane] = at;
    d.access(mem, warp, LaneMask::one(lane), place, kind, address, 4);
  }
  size_t hits() const { return d.hits().size(); }
};

const LaneMask all = LaneMask::first(kWarp);
constexpr AccessKind R = AccessKind::read, W = AccessKind::write, A = AccessKind::atomic;

}  // namespace

TEST(sim_race_between_warps_needs_a_sync) {
  for (bool synced : {true, false}) {
    Bench b;
    b.words(0, W, 10, 0);
    if (synced) b.d.sync({0, 1, 2, 3});
    b.words(1, R, 11, 0);
    EXPECT_EQ(b.hits(), size_t(synced ? 0 : 1));
    if (synced) continue;
    const RaceHit& h = b.d.hits()[0];
    EXPECT_EQ(h.first.place, 10u);
    EXPECT_EQ(h.second.place, 11u);
    EXPECT_EQ(h.first.actor, 0u);
    EXPECT_EQ(h.second.actor, 32u);
    EXPECT_EQ(h.count, int64_t{32});
  }
}

TEST(sim_race_write_after_read_by_many) {
  for (bool synced : {true, false}) {
    Bench b;
    b.d.sync({0, 1, 2, 3});
    for (int w = 0; w < 4; ++w)
      for (int l = 0; l < kWarp; ++l) b.lane(w, l, R, 20, 64);  // everybody reads one word
    if (synced) b.d.sync({0, 1, 2, 3});
    b.lane(2, 5, W, 21, 64);
    EXPECT_EQ(b.hits(), size_t(synced ? 0 : 1));
    b.lane(2, 5, R, 22, 64);  // its own write
    EXPECT_EQ(b.hits(), size_t(synced ? 0 : 1));
  }
}

TEST(sim_race_within_a_warp_needs_warp_sync) {
  Bench b;
  b.lane(0, 0, W, 30, 0);
  b.lane(0, 0, R, 31, 0);
  EXPECT_EQ(b.hits(), size_t{0});
  b.lane(0, 1, R, 32, 0);
  EXPECT_EQ(b.hits(), size_t{1});
  Bench c;
  c.lane(0, 0, W, 30, 0);
  c.d.sync_lanes(0, all);
  c.lane(0, 1, R, 32, 0);
  c.lane(0, 1, W, 33, 0);
  EXPECT_EQ(c.hits(), size_t{0});
}

TEST(sim_race_barrier_orders_only_who_waits) {
  Bench b;
  Knowledge barrier;
  b.words(0, W, 40, 0);
  b.d.release(0, all, barrier);
  b.words(0, W, 41, 1024);  // after the arrival: not covered
  b.d.acquire(1, all, barrier);
  b.words(1, R, 42, 0);
  EXPECT_EQ(b.hits(), size_t{0});
  b.words(1, R, 43, 1024);
  EXPECT_EQ(b.hits(), size_t{1});
  b.words(2, R, 44, 0);  // never waited
  EXPECT_EQ(b.hits(), size_t{2});
}

TEST(sim_race_a_leader_that_waits_must_synchronize_its_warp) {
  for (bool reconverged : {true, false}) {
    Bench b;
    Knowledge barrier;
    b.words(0, W, 50, 0);
    b.d.release(0, all, barrier);
    b.d.acquire(1, LaneMask::one(0), barrier);
    b.lane(1, 0, R, 51, 0);
    EXPECT_EQ(b.hits(), size_t{0});
    if (reconverged) b.d.sync_lanes(1, all);
    b.lane(1, 7, R, 52, 28);
    EXPECT_EQ(b.hits(), size_t(reconverged ? 0 : 1));
  }
}

TEST(sim_race_lane_arrival_releases_that_lane_only) {
  Bench b;
  Knowledge barrier;
  b.words(0, W, 60, 0);
  b.d.release(0, LaneMask::one(3), barrier);
  b.d.acquire(1, all, barrier);
  b.lane(1, 0, R, 61, 12);  // lane 3's word
  EXPECT_EQ(b.hits(), size_t{0});
  b.lane(1, 0, R, 62, 16);  // lane 4's
  EXPECT_EQ(b.hits(), size_t{1});
}

TEST(sim_race_asynchronous_copy_is_an_actor) {
  for (bool waited : {true, false}) {
    Bench b;
    AsyncActor copy{b.d.issue(0, all), b.d.add_actor(), 1, 0};
    b.d.access(b.mem, copy, 70, W, 0, 128);
    if (waited) b.d.acquire_actor(0, all, copy.self, 1);
    b.words(0, R, 71, 0);  // even the issuer must wait
    EXPECT_EQ(b.hits(), size_t(waited ? 0 : 1));
  }
}

TEST(sim_race_engine_overwrites_what_is_still_read) {
  for (bool released : {true, false}) {
    Bench b;
    Knowledge empty;
    b.words(1, R, 80, 0);
    if (released) b.d.release(1, all, empty);
    b.d.acquire(0, LaneMask::one(0), empty);
    AsyncActor load{b.d.issue(0, LaneMask::one(0)), b.d.add_actor(), 1, 1};
    b.d.access(b.mem, load, 81, W, 0, 128);
    EXPECT_EQ(b.hits(), size_t(released ? 0 : 1));
  }
}

TEST(sim_race_engine_needs_the_writers_fence) {
  for (bool fenced : {true, false}) {
    Bench b(128, true);
    b.words(1, W, 90, 0);
    if (fenced) b.d.fence_proxy(1, all);
    b.d.sync({0, 1, 2, 3});
    AsyncActor store{b.d.issue(0, LaneMask::one(0)), b.d.add_actor(), 1, 1};
    b.d.access(b.mem, store, 91, R, 0, 128);
    EXPECT_EQ(b.hits(), size_t(fenced ? 0 : 1));
    if (!fenced) EXPECT(b.d.hits()[0].proxy);
  }
  Bench late(128, true);  // a fence before the store is none
  late.d.fence_proxy(1, all);
  late.words(1, W, 90, 0);
  late.d.sync({0, 1, 2, 3});
  AsyncActor store{late.d.issue(0, LaneMask::one(0)), late.d.add_actor(), 1, 1};
  late.d.access(late.mem, store, 91, R, 0, 128);
  EXPECT_EQ(late.hits(), size_t{1});
}

TEST(sim_race_engine_overwrites_after_a_fence_on_either_side) {
  enum class Fence { none, of_who_used, of_who_issues, before_the_use, of_another };
  for (const AccessKind kind : {R, W})
    for (const Fence fence : {Fence::none, Fence::of_who_used, Fence::of_who_issues,
                              Fence::before_the_use, Fence::of_another}) {
      Bench b(128, true);
      Knowledge empty;
      if (fence == Fence::before_the_use) b.d.fence_proxy(1, all);
      b.words(1, kind, 92, 0);
      if (fence == Fence::of_who_used) b.d.fence_proxy(1, all);
      if (fence == Fence::of_another) b.d.fence_proxy(2, all);
      b.d.release(1, all, empty);
      b.d.acquire(0, LaneMask::one(0), empty);
      if (fence == Fence::of_who_issues) b.d.fence_proxy(0, LaneMask::one(0));
      AsyncActor load{b.d.issue(0, LaneMask::one(0)), b.d.add_actor(), 1, 1};
      b.d.access(b.mem, load, 93, W, 0, 128);
      const bool fenced = fence == Fence::of_who_used || fence == Fence::of_who_issues;
      EXPECT_EQ(b.hits(), size_t(fenced ? 0 : 1));
      if (!fenced) EXPECT(b.d.hits()[0].proxy && b.d.hits()[0].first.kind == kind);
    }
}

TEST(sim_race_engine_overwrites_what_many_have_read) {
  for (int fences : {3, 2}) {
    Bench b(128, true);
    for (int warp : {0, 1, 2}) b.words(warp, R, 94, 0);
    for (int warp = 0; warp < fences; ++warp) b.d.fence_proxy(warp, all);
    b.d.sync({0, 1, 2, 3});
    AsyncActor load{b.d.issue(3, LaneMask::one(0)), b.d.add_actor(), 1, 1};
    b.d.access(b.mem, load, 95, W, 0, 128);
    EXPECT_EQ(b.hits(), size_t(fences == 3 ? 0 : 1));
  }
}

// A copy engine treats copies by single threads as loads and stores; the thread that waited for
// them fences them. A matrix unit sees what they have written.
TEST(sim_race_copies_of_threads_are_fenced_from_engines) {
  enum class Reader { fenced_engine, engine, matrix_unit };
  for (const Reader reader : {Reader::fenced_engine, Reader::engine, Reader::matrix_unit}) {
    Bench b(128, true);
    AsyncActor copy{b.d.issue(0, all), b.d.add_actor(true), 1, 0, false};
    b.words(0, R, 96, 0);
    b.d.sync({0, 1, 2, 3});
    copy.view = b.d.issue(0, all);
    b.d.access(b.mem, copy, 97, W, 0, 128);  // needs none after loads
    b.d.acquire_actor(0, all, copy.self, 1);
    if (reader == Reader::fenced_engine) b.d.fence_proxy(0, all);
    b.d.sync({0, 1, 2, 3});
    AsyncActor by{b.d.issue(1, all), b.d.add_actor(), 1, 1};
    by.sees_copies = reader == Reader::matrix_unit;
    b.d.access(b.mem, by, 98, R, 0, 128);
    EXPECT_EQ(b.hits(), size_t(reader == Reader::engine));
    b.words(0, W, 99, 0);  // but no store without a fence
    b.d.sync({0, 1, 2, 3});
    by.view = b.d.issue(1, all), by.clock = 2;
    b.d.access(b.mem, by, 98, R, 0, 128);
    EXPECT(b.d.hits().back().proxy);
  }
}

TEST(sim_race_what_all_warps_of_a_product_know) {
  for (bool synchronized : {true, false}) {
    Bench b;
    b.words(0, W, 99, 0);
    if (synchronized) b.d.sync({0, 1, 2, 3});
    AsyncActor product{b.d.issue(0, all), b.d.add_actor(), 1, 1};
    for (int warp : {1, 2, 3}) product.view.intersect(b.d.issue(warp, all));
    b.d.access(b.mem, product, 100, R, 0, 128);
    EXPECT_EQ(b.hits(), size_t(synchronized ? 0 : 1));
  }
}

TEST(sim_race_atomics_race_with_plain_accesses_only) {
  Bench b;
  b.lane(0, 0, A, 100, 0);
  b.lane(1, 0, A, 100, 0);
  EXPECT_EQ(b.hits(), size_t{0});
  b.lane(2, 0, R, 101, 0);
  EXPECT_EQ(b.hits(), size_t{1});
}

TEST(sim_race_equal_stores_of_one_statement_are_harmless) {
  Bench b;
  int64_t zero[kWarp] = {};
  b.d.access(b.mem, 0, LaneMask::one(0), 110, W, zero, 4);
  auto unchanged = [](int, ActorId) { return true; };
  b.d.access(b.mem, 1, LaneMask::one(0), 110, W, zero, 4, unchanged);
  EXPECT_EQ(b.hits(), size_t{0});
  b.d.access(b.mem, 2, LaneMask::one(0), 111, W, zero, 4, unchanged);
  EXPECT_EQ(b.hits(), size_t{1});
}

TEST(sim_race_touched_granules_distinguish_reads_and_writes) {
  Bench b;
  b.lane(0, 0, W, 120, 8);
  b.lane(0, 0, R, 121, 400);
  std::string seen;
  const auto place = [](RaceDetector::Stamp s) {
    return std::to_string(RaceDetector::place_of(s));
  };
  b.d.for_each_touched(b.mem, [&](int64_t i, RaceDetector::Stamp write, RaceDetector::Stamp read) {
    seen += std::to_string(i) + ":" + place(write) + ":" + place(read) + " ";
  });
  EXPECT_EQ(seen, std::string("2:120:0 100:0:121 "));
}

TEST(sim_race_a_whole_warp_that_reads_one_place_is_one_reader) {
  for (bool lane_by_lane : {false, true})
    for (bool released : {true, false}) {
      Bench b;
      int64_t zero[kWarp] = {};
      b.d.access(b.mem, 1, all, 130, R, zero, 4);
      Knowledge barrier;
      if (lane_by_lane) {
        for (int l = released ? 0 : 1; l < kWarp; ++l) b.d.release(1, LaneMask::one(l), barrier);
      } else if (released) {
        b.d.release(1, all, barrier);
      }
      b.d.acquire(0, LaneMask::one(0), barrier);
      b.lane(0, 0, W, 131, 0);
      EXPECT_EQ(b.hits(), size_t(released ? 0 : 1));
    }
  Bench c;  // a lane's own store does not excuse the other lanes' reads
  int64_t zero[kWarp] = {};
  c.lane(0, 0, W, 132, 0);
  c.d.access(c.mem, 0, all, 133, R, zero, 4);
  EXPECT_EQ(c.hits(), size_t{1});
}

/// Lanes 0 to 15 read one place, the others another.
static void halves(Bench& b, int warp, uint32_t place) {
  int64_t address[kWarp];
  for (int l = 0; l < kWarp; ++l) address[l] = l < 16 ? 0 : 4;
  b.d.access(b.mem, warp, all, place, R, address, 4);
}

TEST(sim_race_lanes_that_read_together_are_one_reader) {
  for (int warps : {1, 4, 6})  // more than a cell holds are a list
    for (bool synced : {true, false}) {
      Bench b(192);
      for (int w = 0; w < warps; ++w) halves(b, w, 20 + uint32_t(w));
      if (synced) b.d.sync({0, 1, 2, 3, 4, 5});
      b.lane(0, 20, W, 30, 0);  // none of the lanes that read it
      EXPECT_EQ(b.hits(), size_t(synced ? 0 : warps > 4 ? 1 : warps));  // of a list the first
      if (!synced) {
        EXPECT_EQ(b.d.hits()[0].first.actor, 0u);
        EXPECT_EQ(b.d.hits()[0].first.place, 20u);
      }
    }
}

TEST(sim_race_one_of_the_lanes_that_read_together_writes) {
  for (bool alone : {true, false}) {
    Bench b;
    int64_t address[kWarp];
    for (int l = 0; l < kWarp; ++l) address[l] = alone ? 4 * int64_t(l) : 4 * int64_t(l / 2);
    b.d.access(b.mem, 1, all, 20, R, address, 4);
    b.lane(1, 2, W, 21, address[2]);
    EXPECT_EQ(b.hits(), size_t(alone ? 0 : 1));  // lane 3 has read it as well
    if (!alone) EXPECT_EQ(b.d.hits()[0].first.actor, 35u);
  }
}
