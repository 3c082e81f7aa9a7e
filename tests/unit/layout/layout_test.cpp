// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layout.h"

#include <random>

#include "core/layout/recognize.h"
#include "core/layout/text.h"
#include "tests/unit/layout/layout_properties.h"
#include "tests/unit/test.h"

using namespace tilelab;

static Layout parse(const char* text) {
  std::string error;
  std::optional<Layout> layout = parse_layout(text, &error);
  EXPECT_EQ(error, std::string());
  return layout.value_or(Layout{});
}

TEST(layout_properties_on_random_digits) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < test::rounds(1500); ++i) {
    uint8_t data[96];
    for (uint8_t& byte : data) byte = uint8_t(random());
    std::string broken = test::check_layout_properties(data, sizeof data);
    if (!broken.empty()) {
      test::fail(__FILE__, __LINE__, "case " + std::to_string(i) + ": " + broken);
      return;
    }
  }
}

TEST(layout_text_reads_back) {
  const char* text = "frag([128, 128], [[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]])";
  Layout layout = parse(text);
  EXPECT_EQ(to_text(layout), std::string(text));
  EXPECT(place_of(layout, {17, 40}) == (Place{8, 13, 0}));
  EXPECT_EQ(threads_of(layout, {17, 104}).at(0), int64_t(136));
  std::string error;
  EXPECT(!parse_layout("[[r(8 8)]]", &error));
  EXPECT_EQ(error, std::string("expected ',' at column 7"));
  EXPECT(!parse_layout("frag([9], [[r(8, 1)]])", &error));
  EXPECT_EQ(error, std::string("the digits don't cover the shape"));
}

TEST(layout_of_a_tile_that_does_not_fill_its_threads) {
  Layout layout = parse("frag([1000], [[r(2, 4), t(128, 1), r(4, 1)]])");
  EXPECT(padded(layout) && injective(layout) && !bijective(layout));
  EXPECT(elements_at(layout, 127, 7).empty());
  EXPECT_EQ(elements_at(layout, 121, 7).at(0).at(0), int64_t(999));
}

TEST(layout_reduction_makes_threads_replicas) {
  Layout x = parse("frag([2, 512], [[r(2, 4)], [t(128, 1), r(4, 1)]])");
  EXPECT_EQ(to_text(normalized(reduced(x, 1))),
            std::string("frag([2], [[r(2, 4)]], rep=[t(128, 1)])"));
}

TEST(layout_containment_lets_fewer_threads_read) {
  Layout owner = parse("frag([2], [[r(2, 1)]], rep=[t(128, 1)])");
  Layout loop = parse("frag([2], [[t(2, 64)]])");
  EXPECT(owns(owner, loop) && !owns(loop, owner));
  EXPECT(*first_not_owned(loop, owner) == Index{0});
}

TEST(layout_lambda_with_a_swizzle_is_recognized) {
  // 64 rows of 64 halves: column chunks of 8 exchanged by row % 8, as a user writes it.
  LayoutTable table{{64, 64}, {}};
  for (int64_t i = 0; i < 64; ++i)
    for (int64_t j = 0; j < 64; ++j)
      table.places.push_back({0, 0, i * 64 + ((j / 8) ^ (i % 8)) * 8 + j % 8});
  std::optional<SwizzledLayout> found = recognize_swizzled(table, 2);
  EXPECT(found && found->swizzle == (Swizzle{16, 128, 7}));
  EXPECT(found && same_map(found->layout, row_major({64, 64})));
  for (Swizzle swizzle :
       {Swizzle{16, 256, 15}, Swizzle{32, 256, 7}, Swizzle{64, 256, 3}, Swizzle{16, 128, 1}}) {
    Layout chunks = parse("addr([64, 128], [[a(64, 64)], [a(2, 4096), a(64, 1)]])");
    found = recognize_swizzled(tabulate(chunks, swizzle, 2), 2);
    EXPECT(found && found->swizzle == swizzle && same_map(found->layout, chunks));
    AnyLayout any{*found, {}, 2};
    Place place = place_of(any, {13, 77});
    EXPECT(elements_at(any, place).at(0) == (Index{13, 77}));
  }
}

TEST(layout_without_digits_is_a_table) {
  LayoutTable table{{8, 8}, {}};
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < 8; ++j) table.places.push_back({(i * 3 + j * 5) % 8, i, 0});
  EXPECT(!recognize_swizzled(table, 4));
  AnyLayout any{{}, table, 4};
  EXPECT(!any.is_digits());
  EXPECT(place_of(any, {3, 4}) == (Place{(9 + 20) % 8, 3, 0}));
  EXPECT(elements_at(any, {5, 3, 0}).at(0) == (Index{3, 4}));
}

TEST(layout_compose_with_an_access) {
  Layout x = parse("frag([16, 8], [[r(2, 2), t(8, 4)], [t(4, 1), r(2, 1)]])");
  auto transposed = [](const Index& point, Index& element) {
    element[0] = point[1];
    element[1] = point[0];
  };
  std::optional<Layout> loop = compose(x, {8, 16}, transposed);
  EXPECT(loop && same_map(*loop, permute(x, {1, 0})));
  auto outside = [](const Index& point, Index& element) { element = {point[0] + 9, 0}; };
  EXPECT(!compose(x, {8}, outside));
}
