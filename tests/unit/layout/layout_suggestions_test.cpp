// SPDX-License-Identifier: Apache-2.0
#include "core/layout/suggestions.h"

#include "tests/unit/test.h"

using namespace tilelab;

namespace {

/// Lane l of a warp takes element (row(l), col(l)), and `width` of its row.
ElementAccess of_lanes(int64_t cols, int64_t width, auto row, auto col) {
  ElementAccess access;
  for (int64_t l = 0; l < 32; ++l) {
    access.lanes.push_back({l, {}});
    for (int64_t k = 0; k < width; ++k)
      access.lanes.back().elements.push_back(row(l) * cols + col(l) * width + k);
  }
  return access;
}

ConflictCount now_of(const std::vector<ElementAccess>& accesses, int64_t bytes) {
  ConflictCount out;
  for (const ElementAccess& access : accesses) {
    std::vector<LaneAccess> lanes;
    for (const auto& lane : access.lanes)
      lanes.push_back({lane.lane, lane.elements[0] * bytes, bytes * int64_t(lane.elements.size())});
    out.add(counted(count_bank_conflicts(lanes)), access.times);
  }
  return out;
}

const auto kLane = [](int64_t l) { return l; };
const auto kZero = [](int64_t) { return int64_t(0); };

}  // namespace

TEST(layout_suggestions_for_a_column_of_floats) {
  const std::vector<ElementAccess> column{of_lanes(32, 1, kLane, kZero)};
  const ConflictCount now = now_of(column, 4);
  EXPECT_EQ(now.worst, int64_t(32));
  const auto suggestions = layout_suggestions({32, 32}, 4, column, now, {});
  EXPECT_EQ(suggestions.size(), size_t(2));
  EXPECT(suggestions[0].count.free() && suggestions[0].kind == LayoutSuggestion::Kind::exchange);
  EXPECT(suggestions[1].count.free() && suggestions[1].pad == 1 &&
         suggestions[1].more_bytes == 128);
  EXPECT_EQ(
      suggestion_text(suggestions[0], "s", {}, {32, 32}, "float32"),
      std::string("T.annotate_layout({s: T.Layout((32, 32), lambda i, j: (i, j ^ (i % 32)))})"));
  EXPECT_EQ(suggestion_text(suggestions[1], "s", {3}, {32, 32}, "float32"),
            std::string("s = T.alloc_shared((3, 32, 33), \"float32\")"));
}

TEST(layout_suggestions_keep_the_width_of_instructions) {
  // Rows of 64 halves, 16 bytes of each by the lanes of ldmatrix: chunks of 8 elements change
  // places.
  std::vector<ElementAccess> rows{of_lanes(64, 8, kLane, kZero)};
  rows[0].whole = true;
  const auto suggestions = layout_suggestions({64, 64}, 2, rows, now_of(rows, 2), {});
  EXPECT_EQ(suggestions.size(), size_t(2));
  EXPECT(suggestions[0].kind == LayoutSuggestion::Kind::swizzled && suggestions[0].count.free());
  EXPECT(suggestions[1].pad % 8 == 0 && suggestions[1].count.free());
}

TEST(layout_suggestions_for_rows_and_columns_together) {
  // A wide write by rows and many reads by columns: narrower writes, for reads without conflicts.
  const auto row = [](int64_t l) { return l / 16; };
  const auto chunk = [](int64_t l) { return l % 16; };
  std::vector<ElementAccess> both{of_lanes(64, 4, row, chunk), of_lanes(64, 1, kLane, kZero)};
  both[1].times = 8;
  const auto suggestions = layout_suggestions({64, 64}, 4, both, now_of(both, 4), {});
  EXPECT_EQ(suggestions[0].chunk, int64_t(1));
  EXPECT_EQ(suggestions[1].pad, int64_t(1));
  EXPECT(layout_of(suggestions[0], {2, 64, 64}, 4).ok());
}

TEST(no_layout_suggestion_without_conflicts) {
  const std::vector<ElementAccess> row{of_lanes(32, 1, kZero, kLane)};
  EXPECT(now_of(row, 4).free());
  EXPECT(layout_suggestions({32, 32}, 4, row, now_of(row, 4), {}).empty());
}
