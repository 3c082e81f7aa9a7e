// SPDX-License-Identifier: Apache-2.0
// Races between blocks that atomic accesses put in order, and what does not.
#include "core/sim/machine/race_grid.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::sim;

namespace {

constexpr AccessKind kRead = AccessKind::read, kWrite = AccessKind::write;
constexpr int kLanes = 4, kWarps = 2;
const LaneMask kAll = LaneMask::first(kLanes);

/// Blocks that run one after the other, each of two warps of four lanes.
struct Grid {
  GridOrder order;
  GridRaces races{1024, 4};
  RaceDetector d;
  int32_t memory = 0;
  int64_t block = -1;

  Grid() { begin(0); }
  void begin(int64_t number) {
    if (block >= 0) end();
    block = number;
    d.reset(kLanes * kWarps, kLanes, false);
    memory = d.add_memory(1024, 4);
  }
  void end() {
    order.end(block, d);
    races.merge(block, d, memory, order);
    block = -1;
  }
  void touch(int warp, const LaneMask& lanes, AccessKind kind, int64_t at) {
    int64_t address[kLanes];
    for (int64_t& a : address) a = at;
    d.access(memory, warp, lanes, 10, kind, address, 4);
  }
  void release(int warp, int lane, int64_t at, bool continues = true) {
    order.access(block, d, warp, LaneMask::one(lane), {0, at}, {false, true, continues});
  }
  void acquire(int warp, int lane, int64_t at) {
    order.access(block, d, warp, LaneMask::one(lane), {0, at}, {true, false, true});
  }
  void synchronize() { d.sync({0, 1}); }
  size_t hits() {
    end();
    return races.hits().size();
  }
};

}  // namespace

TEST(grid_order_release_and_acquire) {
  for (bool released : {false, true})
    for (bool acquired : {false, true}) {
      Grid g;
      g.touch(0, LaneMask::one(0), kWrite, 8);
      if (released) g.release(0, 0, 100);
      g.begin(1);
      if (acquired) g.acquire(1, 2, 100);
      g.touch(1, LaneMask::one(2), kRead, 8);
      EXPECT_EQ(g.hits(), size_t(released && acquired ? 0 : 1));
    }
}

TEST(grid_order_is_of_threads) {
  // The write is another thread's: it must synchronize with the releasing thread.
  for (bool synchronized : {false, true}) {
    Grid g;
    g.touch(1, LaneMask::one(3), kWrite, 8);
    if (synchronized) g.synchronize();
    g.release(0, 0, 100);
    g.begin(1);
    g.acquire(0, 0, 100);
    g.touch(0, LaneMask::one(0), kRead, 8);
    EXPECT_EQ(g.hits(), size_t(synchronized ? 0 : 1));
  }
  // Likewise the reading thread with the acquiring one.
  for (bool synchronized : {false, true}) {
    Grid g;
    g.touch(0, LaneMask::one(0), kWrite, 8);
    g.release(0, 0, 100);
    g.begin(1);
    g.acquire(0, 0, 100);
    if (synchronized) g.synchronize();
    g.touch(1, LaneMask::one(1), kRead, 8);
    EXPECT_EQ(g.hits(), size_t(synchronized ? 0 : 1));
  }
  // A read of a warp belongs to all lanes until they synchronize.
  for (bool synchronized : {false, true}) {
    Grid g;
    g.touch(0, kAll, kRead, 8);
    if (synchronized) g.d.sync({0});
    g.release(0, 0, 100);
    g.begin(1);
    g.acquire(0, 0, 100);
    g.touch(0, LaneMask::one(0), kWrite, 8);
    EXPECT_EQ(g.hits(), size_t(synchronized ? 0 : 1));
  }
}

TEST(grid_order_accesses_after_the_release_are_not_covered) {
  Grid g;
  g.release(0, 0, 100);
  g.touch(0, LaneMask::one(0), kWrite, 8);
  g.begin(1);
  g.acquire(0, 0, 100);
  g.touch(0, LaneMask::one(0), kRead, 8);
  EXPECT_EQ(g.hits(), size_t{1});
  Grid h;
  h.touch(0, LaneMask::one(0), kWrite, 8);
  h.release(0, 0, 100);
  h.begin(1);
  h.touch(0, LaneMask::one(0), kRead, 8);  // before it acquires
  h.acquire(0, 0, 100);
  EXPECT_EQ(h.hits(), size_t{1});
}

TEST(grid_order_goes_through_blocks_between) {
  for (bool on : {false, true}) {
    Grid g;
    g.touch(0, LaneMask::one(0), kWrite, 8);
    g.release(0, 0, 100);
    g.begin(1);
    g.acquire(0, 0, 100);
    if (on) g.synchronize();
    g.release(1, 0, 200);  // another thread
    g.begin(2);
    g.acquire(0, 0, 200);
    g.touch(0, LaneMask::one(0), kRead, 8);
    EXPECT_EQ(g.hits(), size_t(on ? 0 : 1));
  }
}

TEST(grid_order_updates_carry_on_what_a_store_ends) {
  for (bool stores : {false, true}) {
    Grid g;
    g.touch(0, LaneMask::one(0), kWrite, 8);
    g.release(0, 0, 100);
    g.begin(1);
    g.release(0, 0, 100, !stores);  // without having acquired
    g.begin(2);
    g.acquire(0, 0, 100);
    g.touch(0, LaneMask::one(0), kRead, 8);
    EXPECT_EQ(g.hits(), size_t(stores ? 1 : 0));
  }
}
