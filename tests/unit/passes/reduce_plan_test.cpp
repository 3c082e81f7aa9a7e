// SPDX-License-Identifier: Apache-2.0
#include "core/passes/shared/reduce_plan.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

// Two rows of 512 over 128 threads, 4 columns a thread: a row crosses 4 warps of 32.
const Layout kRows{{2, 512}, {{{'r', 2, 4}}, {{'t', 128, 1}, {'r', 4, 1}}}, {}, 0};

}  // namespace

TEST(reduction_across_four_warps) {
  ReducePlan plan = plan_reduce(kRows, {1}, 32, 256);
  EXPECT(plan.shuffles == std::vector<int64_t>({16, 8, 4, 2, 1}));
  EXPECT_EQ(plan.cross_extent, int64_t{4});
  EXPECT(plan.workspace_shape({2}) == std::vector<int64_t>({2, 4}));
  EXPECT(plan.order() == std::vector<std::string>({"regs", "shfl 16 8 4 2 1", "warps"}));
}

TEST(reduction_in_one_wide_warp) {
  ReducePlan plan = plan_reduce(kRows, {1}, 128, 256);
  EXPECT_EQ(plan.shuffles.size(), size_t{7});
  EXPECT(!plan.needs_workspace());
}

TEST(reduction_over_three_threads_goes_through_the_workspace) {
  Layout layout{{4, 6}, {{{'t', 4, 3}}, {{'t', 3, 1}, {'r', 2, 1}}}, {}, 0};
  ReducePlan plan = plan_reduce(layout, {1}, 32, 256);
  EXPECT(plan.shuffles.empty());
  EXPECT_EQ(plan.cross_extent, int64_t{3});
}

TEST(warps_that_the_block_does_not_fill_are_split) {
  const Layout columns{{8, 8}, {{{'t', 8, 8}}, {{'t', 8, 1}}}, {}, 0};
  EXPECT(plan_reduce(columns, {0}, 128, 128).shuffles == std::vector<int64_t>({32, 16, 8}));
  const ReducePlan part = plan_reduce(columns, {0}, 128, 96);  // lane 96 is not there
  EXPECT(part.shuffles == std::vector<int64_t>({16, 8}));
  EXPECT_EQ(part.cross_extent, int64_t{2});
}
