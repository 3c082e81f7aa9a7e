// SPDX-License-Identifier: Apache-2.0
#include "core/layout/forward.h"

#include <set>

#include "core/layout/banks.h"
#include "core/layout/recognize.h"
#include "core/layout/text.h"
#include "tests/unit/test.h"

using namespace tilelab;

/// Digits and swizzle of a map give, for every element, the address that its coordinates say.
static void expect_addresses(const ForwardMap& map, int64_t element_bytes) {
  ForwardLayout made = layout_of(map, element_bytes);
  EXPECT(made.ok());
  if (!made.ok()) return;
  Index extents = output_shape(map);
  for (int64_t e = 0; e < map.elements(); ++e) {
    int64_t expected = 0;
    for (size_t d = 0; d < extents.size(); ++d)
      expected = expected * extents[d] + map.coordinates[size_t(e)][d];
    int64_t byte = place_of(made.layout, map.element(e)).address * element_bytes;
    if (swizzled(made.swizzle, byte) == expected * element_bytes) continue;
    test::fail(__FILE__, __LINE__, to_text(made.layout) + ": element " + std::to_string(e));
    return;
  }
}

TEST(forward_bank_swizzles_are_digits_and_an_exclusive_or) {
  for (int64_t bytes : {1, 2, 4, 8})
    for (int64_t panel : {128, 64, 32})
      for (Index shape : {Index{8, 128}, Index{64, 32}, Index{3, 16, 64}, Index{24, 96}}) {
        auto map = bank_swizzled(shape, bytes, panel);
        EXPECT_EQ(map.has_value(), shape.back() * bytes % panel == 0);
        if (map) expect_addresses(*map, bytes);
      }
  EXPECT(!bank_swizzled({4, 128}, 4, 128));  // rows come in groups of 8
  EXPECT(!bank_swizzled({128}, 4, 128));
}

/// The purpose of the swizzles: 8 lanes that read 16 bytes of one column from 8 rows, or of one
/// row.
TEST(forward_bank_swizzles_have_no_conflicts) {
  for (int64_t panel : {128, 64, 32}) {
    auto map = bank_swizzled({8, 64}, 2, panel);
    EXPECT(map.has_value());
    ForwardLayout made = layout_of(*map, 2);
    std::vector<LaneAccess> column;
    for (int64_t lane = 0; lane < 8; ++lane) {
      int64_t byte = place_of(made.layout, {lane, 8}).address * 2;
      column.push_back({lane, swizzled(made.swizzle, byte), 16});
    }
    EXPECT(count_bank_conflicts(column).conflict_free());
  }
  ForwardLayout plain = layout_of(linear_map({8, 64}), 2);
  std::vector<LaneAccess> column;
  for (int64_t lane = 0; lane < 8; ++lane)
    column.push_back({lane, place_of(plain.layout, {lane, 8}).address * 2, 16});
  EXPECT_EQ(count_bank_conflicts(column).worst, int64_t(8));
}

TEST(forward_widest_swizzle_falls_back) {
  EXPECT(layout_of(widest_bank_swizzle({16, 64}, 2, true), 2).swizzle == (Swizzle{16, 128, 7}));
  EXPECT(layout_of(widest_bank_swizzle({16, 32}, 2, true), 2).swizzle == (Swizzle{16, 128, 3}));
  EXPECT(layout_of(widest_bank_swizzle({16, 16}, 2, true), 2).swizzle == (Swizzle{16, 128, 1}));
  ForwardLayout padded = layout_of(widest_bank_swizzle({12, 64}, 2, true), 2);
  EXPECT_EQ(to_text(padded.layout), std::string("addr([12, 64], [[a(12, 72)], [a(64, 1)]])"));
  ForwardLayout linear = layout_of(widest_bank_swizzle({12, 64}, 2, false), 2);
  EXPECT(same_map(linear.layout, row_major({12, 64})));
}

TEST(forward_fragments) {
  ForwardMap map{{4, 6}, {}, 2, {}};  // 4 threads hold a row each, twice; registers are counted
  for (int64_t r = 0; r < 2; ++r)
    for (int64_t e = 0; e < 24; ++e) map.threads.push_back(e / 6 + 4 * r);
  ForwardLayout made = layout_of(map, 4);
  EXPECT(made.ok());
  EXPECT_EQ(to_text(made.layout),
            std::string("frag([4, 6], [[t(4, 1)], [r(6, 1)]], rep=[t(2, 4)])"));
  EXPECT(layout_of(replicated_map({3, 5}, 32), 4).ok());
  EXPECT(same_map(layout_of(replicated_map({3, 5}, 32), 4).layout, fully_replicated({3, 5}, 32)));

  map.coordinates.assign(24, Index{0});  // 6 elements of a row in one register
  ForwardLayout clash = layout_of(map, 4);
  EXPECT(clash.fault.what == ForwardFault::What::clash);
  EXPECT(clash.fault.first == (Index{0, 0}) && clash.fault.second == (Index{0, 1}));
  EXPECT(clash.fault.place == (Index{0, 0}));
  map.threads[5] = -1;
  EXPECT(layout_of(map, 4).fault.what == ForwardFault::What::negative);
}

TEST(forward_addresses_count_from_the_smallest) {
  ForwardMap map{{4}, {{10}, {12}, {14}, {16}}, 0, {}};
  EXPECT_EQ(to_text(layout_of(map, 4).layout), std::string("addr([4], [[a(4, 2)]])"));
  map.coordinates[3] = {12};
  EXPECT(layout_of(map, 4).fault.what == ForwardFault::What::clash);
  map.coordinates = {{0}, {1}, {3}, {2}};
  EXPECT(layout_of(map, 1).fault.what == ForwardFault::What::no_digits);
}

TEST(forward_leading_dimensions_stay_in_front) {
  ForwardMap matrix = *bank_swizzled({8, 32}, 4, 128);
  ForwardMap stages = with_leading(matrix, {3});
  EXPECT(stages.shape == (Index{3, 8, 32}));
  EXPECT_EQ(extent(layout_of(stages, 4).layout, 'a'), int64_t(3 * 8 * 32));
  expect_addresses(stages, 4);
}
