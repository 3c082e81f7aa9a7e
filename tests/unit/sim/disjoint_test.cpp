// SPDX-License-Identifier: Apache-2.0
// Accesses that tile-level watchers skip: only those that can't have findings.
#include <vector>

#include "core/sim/tile/image.h"
#include "core/sim/tile/watch.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::sim;

namespace {

/// An access of memory 0, one-dimensional: base + sum of steps * variables.
TileAccess access(const std::vector<int64_t>& steps, int64_t base, bool writes) {
  TileAccess a;
  a.index.resize(1);
  a.index[0].base = base;
  a.index[0].factor = steps;
  a.step = steps;
  a.writes = writes;
  return a;
}

/// Whether every access is found to be apart from those of other iterations.
bool disjoint(std::vector<TileAccess> accesses, const std::vector<int64_t>& extents) {
  TileImage image;
  image.memories.resize(1);
  image.memories[0].strides = {1};
  image.accesses = std::move(accesses);
  mark_disjoint(image, 0, extents);
  bool all = true;
  for (const TileAccess& a : image.accesses) all &= a.disjoint;
  return all;
}

}  // namespace

TEST(tile_elements_private_to_iterations_are_disjoint) {
  EXPECT(disjoint({access({8, 1}, 0, true)}, {4, 8}));
  EXPECT(disjoint({access({1, 4}, 3, true)}, {4, 8}));
  EXPECT(disjoint({access({8, 2}, 0, true)}, {4, 4}));
  EXPECT(disjoint({access({8, 1}, 0, true), access({8, 1}, 0, false)}, {4, 8}));
  EXPECT(disjoint({access({0, 1}, 0, false), access({1, 1}, 2, false)}, {4, 8}));  // no writes
  EXPECT(disjoint({access({0, 1}, 0, true)}, {1, 8}));
  EXPECT(disjoint({access({16, 2}, 0, true), access({16, 2}, 1, true)}, {4, 8}));  // pairs
}

TEST(tile_elements_that_iterations_share_are_not_disjoint) {
  EXPECT(!disjoint({access({1, 1}, 0, true)}, {4, 8}));                   // c[i + j]
  EXPECT(!disjoint({access({0, 1}, 0, true)}, {4, 8}));                   // c[j]
  EXPECT(!disjoint({access({7, 1}, 0, true)}, {4, 8}));                   // rows overlap by one
  EXPECT(!disjoint({access({1}, 0, true), access({1}, 1, false)}, {8}));  // c[i] = c[i + 1]
  EXPECT(!disjoint({access({16, 2}, 0, true), access({16, 2}, 2, true)}, {4, 8}));
  EXPECT(!disjoint({access({14, 2}, 0, true), access({14, 2}, 1, false)}, {4, 8}));
  EXPECT(!disjoint({access({-1}, 7, true), access({1}, 0, false)}, {8}));  // reversed in place
  EXPECT(!disjoint({access({8, 1}, 0, true)}, {-1, 8}));                   // extent not known
  TileAccess gathered = access({1}, 0, true);
  gathered.per_lane = true;
  EXPECT(!disjoint({gathered}, {8}));
  TileAccess shifting = access({1}, 0, true);  // c[i + k] with k of a loop inside
  shifting.index[0].operand = 0;
  EXPECT(!disjoint({shifting}, {8}));
  shifting.index[0].fixed = true;
  EXPECT(disjoint({shifting}, {8}));
  EXPECT(!disjoint({shifting, access({1}, 0, false)}, {8}));
}

TEST(tile_watch_of_a_run_is_that_of_its_cells) {
  const Span here{}, there{};
  TileWatch w(true, true);
  w.begin_block(0, 16);
  EXPECT(w.touch_run(0, 4000, 200, TouchKind::write, here));  // across pages
  EXPECT(w.touch_run(0, 4000, 200, TouchKind::read, here));
  w.begin_block(1, 16);
  EXPECT(w.touch_run(0, 3900, 100, TouchKind::write, there));
  EXPECT(!w.touch_run(0, 4199, 1, TouchKind::read, there));
  EXPECT(!w.touch_run(0, 3990, 11, TouchKind::write, there));
  EXPECT(w.touch_run(0, 4200, 50, TouchKind::read, there));
  auto hit = w.touch(0, true, 4000, TouchKind::read, -1, there, false);
  EXPECT(hit && hit->who == 0 && hit->other_block);
  EXPECT(!w.touch(0, true, 3999, TouchKind::read, -1, there, false));
  w.begin_block(2, 16);
  EXPECT(w.touch_run(1, 0, 8, TouchKind::atomic, here));
  w.begin_block(3, 16);
  EXPECT(w.touch_run(1, 0, 8, TouchKind::atomic, here));
  w.begin_block(4, 16);
  EXPECT(!w.touch_run(1, 7, 2, TouchKind::write, here));
}

TEST(tile_watch_finds_the_first_byte_that_nothing_wrote) {
  TileWatch w(true, false);
  w.begin_block(0, 64);
  w.mark_written(8, 16);
  EXPECT_EQ(w.first_unwritten(8, 16), int64_t{16});
  EXPECT_EQ(w.first_unwritten(8, 17), int64_t{16});
  EXPECT_EQ(w.first_unwritten(0, 16), int64_t{0});
  EXPECT(w.written(10, 4) && !w.written(22, 4));
}
