// SPDX-License-Identifier: Apache-2.0
#include "core/layout/banks.h"

#include "core/layout/text.h"
#include "core/targets/partition.h"
#include "tests/unit/test.h"

using namespace tilelab;

static std::vector<LaneAccess> by_lane(int64_t stride, int64_t bytes) {
  std::vector<LaneAccess> lanes;
  for (int64_t lane = 0; lane < 32; ++lane) lanes.push_back({lane, lane * stride, bytes});
  return lanes;
}

TEST(banks_of_strided_lanes) {
  EXPECT(count_bank_conflicts(by_lane(4, 4)).conflict_free());
  EXPECT(count_bank_conflicts(by_lane(0, 4)).conflict_free());  // one word, broadcast
  EXPECT_EQ(count_bank_conflicts(by_lane(8, 4)).worst, int64_t(2));
  EXPECT_EQ(count_bank_conflicts(by_lane(128, 4)).worst, int64_t(32));
  EXPECT(count_bank_conflicts(by_lane(132, 4)).conflict_free());  // the padded column
  BankReport wide = count_bank_conflicts(by_lane(16, 16));
  EXPECT_EQ(wide.transactions, int64_t(4));
  EXPECT(wide.conflict_free());
  BankReport rows = count_bank_conflicts(by_lane(128, 16));
  EXPECT_EQ(rows.cycles, int64_t(32));
  EXPECT_EQ(rows.worst, int64_t(8));
}

TEST(banks_swizzle_removes_conflicts_of_row_reads) {
  // 8 lanes read 16 bytes each of 8 rows of 64 halves: one bank group without, eight with swizzle.
  Layout tile = row_major({64, 64});
  Layout rows = plan_loop({64, 64}, 64, 8);
  Layout column = *parse_layout("frag([64, 64], [[r(2, 64), t(32, 1)], [r(64, 1)]])");
  EXPECT(count_bank_conflicts(lane_accesses(rows, 0, 32, 0, 8, tile, {}, 2)).conflict_free());
  EXPECT_EQ(count_bank_conflicts(lane_accesses(column, 0, 32, 0, 8, tile, {}, 2)).worst,
            int64_t(8));
  EXPECT(count_bank_conflicts(lane_accesses(column, 0, 32, 0, 8, tile, {16, 128, 7}, 2))
             .conflict_free());
}
