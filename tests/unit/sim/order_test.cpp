// SPDX-License-Identifier: Apache-2.0
// The order in which tile-level blocks run: every block once, whatever the grid.
#include <algorithm>
#include <array>
#include <vector>

#include "core/sim/tile/run.h"
#include "tests/unit/test.h"

using namespace tilelab::sim;

TEST(tile_strips_visit_every_block_once) {
  for (int64_t x : {1, 2, 7, 32})
    for (int64_t y : {1, 3, 8, 9, 17, 32})
      for (int64_t z : {1, 2}) {
        const std::array<int64_t, 3> grid{x, y, z};
        std::vector<int64_t> seen, want;
        for (int64_t i = 0; i < x * y * z; ++i) {
          want.push_back(i);
          seen.push_back(in_strips(i, grid));
        }
        std::sort(seen.begin(), seen.end());
        EXPECT(seen == want);
      }
}

TEST(tile_strips_go_down_eight_blocks_first) {
  const std::array<int64_t, 3> grid{4, 10, 2};
  EXPECT_EQ(in_strips(0, grid), int64_t{0});
  EXPECT_EQ(in_strips(1, grid), int64_t{4});    // x 0, y 1
  EXPECT_EQ(in_strips(8, grid), int64_t{1});    // x 1, y 0
  EXPECT_EQ(in_strips(32, grid), int64_t{32});  // the strip of two that is left: x 0, y 8
  EXPECT_EQ(in_strips(33, grid), int64_t{36});
  EXPECT_EQ(in_strips(41, grid), int64_t{44});  // the next plane
}
