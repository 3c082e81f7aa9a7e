// SPDX-License-Identifier: Apache-2.0
// The fragment table against closed forms (t: thread in the group, r: register), which are written
// here a second time, as (row, column) of what register r of thread t holds.
#include "core/layout/fragments.h"

#include <tuple>

#include "core/layout/text.h"
#include "core/targets/partition.h"
#include "tests/unit/test.h"

using namespace tilelab;

template <class F> static void expect_map(const std::optional<Layout>& layout, F row_col) {
  EXPECT(layout.has_value());
  if (!layout) return;
  EXPECT(bijective(*layout));
  for (int64_t t = 0; t < extent(*layout, 't'); ++t)
    for (int64_t r = 0; r < extent(*layout, 'r'); ++r) {
      auto [row, col] = row_col(t, r);
      Index expected{row, col};
      std::vector<Index> held = elements_at(*layout, t, r);
      if (held.size() == 1 && held[0] == expected) continue;
      test::fail(
          __FILE__, __LINE__,
          to_text(*layout) + " at thread " + std::to_string(t) + " register " + std::to_string(r));
      return;
    }
}
using At = std::pair<int64_t, int64_t>;
using enum MatrixOperand;

TEST(fragments_of_mma_and_wgmma) {
  expect_map(fragment_map("mma", c, 16, 8, 16), [](int64_t t, int64_t r) {
    return At{8 * (r / 2) + t / 4, t % 4 * 2 + r % 2};
  });
  for (int64_t bits : {8, 16, 32}) {
    int64_t e = 32 / bits, k = 8 * e;
    expect_map(fragment_map("mma", a, 16, 8, k, bits), [e](int64_t t, int64_t r) {
      return At{8 * (r / e % 2) + t / 4, 4 * e * (r / e / 2) + t % 4 * e + r % e};
    });
    expect_map(fragment_map("mma", b, 16, 8, k, bits), [e](int64_t t, int64_t r) {
      return At{4 * e * (r / e) + t % 4 * e + r % e, t / 4};
    });
    expect_map(fragment_map("wgmma", a, 64, 64, k, bits), [e](int64_t t, int64_t r) {
      return At{16 * (t / 32) + 8 * (r / e % 2) + t % 32 / 4,
                4 * e * (r / e / 2) + t % 4 * e + r % e};
    });
  }
  for (MatrixOperand operand : {a, b, c})  // of 8-bit floats, as of integers
    EXPECT_EQ(to_text(*fragment_map("mma_f8", operand, 16, 8, 32, 8)),
              to_text(*fragment_map("mma", operand, 16, 8, 32, 8)));
  for (int64_t n = 8; n <= 256; n += 8 * test::every)
    expect_map(fragment_map("wgmma", c, 64, n, 16), [](int64_t t, int64_t r) {
      return At{16 * (t / 32) + 8 * (r / 2 % 2) + t % 32 / 4, 8 * (r / 4) + t % 4 * 2 + r % 2};
    });
}

TEST(fragments_of_sqmma_and_wmma) {
  for (auto [m, n] : {At{128, 128},
                      {128, 64},
                      {128, 32},
                      {64, 128},
                      {64, 64},
                      {64, 32},
                      {64, 16},
                      {32, 128},
                      {32, 64},
                      {32, 32},
                      {16, 64}})
    expect_map(fragment_map("sqmma", c, m, n, 64), [n = n](int64_t t, int64_t r) {
      return At{t / 8 + 16 * (r / (n / 8)), t % 8 + 8 * (r % (n / 8))};
    });
  for (auto [m, n] : {At{16, 8}, {8, 16}, {16, 16}})
    expect_map(fragment_map("wmma", c, m, n, 16), [n = n](int64_t t, int64_t r) {
      return At{t / 8 + 4 * (r / (n / 8)), t % 8 + 8 * (r % (n / 8))};
    });
  for (int64_t bits : {8, 16, 32})
    for (auto [m, k] : {At{16, 4}, {16, 8}, {8, 16}, {16, 16}, {16, 32}, {16, 64}}) {
      int64_t e = 32 / bits, kb = k * bits / 128, bits_ = bits, m_ = m;
      if (kb < 1) continue;
      auto k_major = [e, kb](int64_t t, int64_t r) {
        return At{t / 4 + 8 * (r / (e * kb)), e * (t % 4) + r % e + 4 * e * (r / e % kb)};
      };
      auto mn_major = [=](int64_t t, int64_t r) {
        return At{e * (t % (bits_ / 4)) + r % e + 8 * (r / e % (m_ / 8)),
                  t / (bits_ / 4) + 128 / bits_ * (r / (e * m_ / 8))};
      };
      auto swap = [](auto f) {
        return [f](int64_t t, int64_t r) { return At{f(t, r).second, f(t, r).first}; };
      };
      expect_map(fragment_map("wmma", a, m, 8, k, bits), k_major);
      expect_map(fragment_map("wmma", a_mn, m, 8, k, bits), mn_major);
      expect_map(fragment_map("wmma", b, 8, m, k, bits), swap(k_major));
      expect_map(fragment_map("wmma", b_mn, 8, m, k, bits), swap(mn_major));
    }
}

TEST(fragments_of_mp22) {
  auto swap = [](auto f) {
    return [f](int64_t t, int64_t r) { return At{f(t, r).second, f(t, r).first}; };
  };
  expect_map(fragment_map("mma_mp22", c, 32, 32, 16), [](int64_t t, int64_t r) {
    return At{t / 8 % 4 + 4 * (t / 64) + 8 * (r / 2), t % 8 + 8 * (t / 32 % 2) + 16 * (r % 2)};
  });
  auto half_k = [](int64_t t, int64_t r) {
    return At{t / 4 % 16 + 16 * (r / 2), 2 * (t % 4) + 8 * (t / 64) + r % 2};
  };
  auto half_mn = [](int64_t t, int64_t r) { return At{2 * (t % 8) + r % 2 + 16 * (r / 2), t / 8}; };
  auto tf32_k = [](int64_t t, int64_t r) { return At{t / 4 % 16 + 16 * r, t % 4 + 4 * (t / 64)}; };
  auto tf32_mn = [](int64_t t, int64_t r) { return At{t % 16 + 16 * r, t / 16}; };
  auto s8_k = [](int64_t t, int64_t r) {
    return At{t / 4 % 16 + 16 * (r / 4), 4 * (t % 4) + 16 * (t / 64) + r % 4};
  };
  auto s8_mn = [](int64_t t, int64_t r) { return At{4 * (t % 4) + r % 4 + 16 * (r / 4), t / 4}; };
  expect_map(fragment_map("mma_mp22", a, 32, 32, 16, 16), half_k);
  expect_map(fragment_map("mma_mp22", a_mn, 32, 32, 16, 16), half_mn);
  expect_map(fragment_map("mma_mp22", b, 32, 32, 16, 16), swap(half_k));
  expect_map(fragment_map("mma_mp22", b_mn, 32, 32, 16, 16), swap(half_mn));
  expect_map(fragment_map("mma_mp22", a, 32, 32, 8, 32), tf32_k);
  expect_map(fragment_map("mma_mp22", a_mn, 32, 32, 8, 32), tf32_mn);
  expect_map(fragment_map("mma_mp22", a, 32, 32, 32, 8), s8_k);
  expect_map(fragment_map("mma_mp22", a_mn, 32, 32, 32, 8), s8_mn);
}

// PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f64": one element of A and B a lane.
TEST(fragments_of_doubles) {
  expect_map(fragment_map("dmma", MatrixOperand::a, 8, 8, 4, 64), [](int64_t t, int64_t) {
    return At{t / 4, t % 4};
  });
  expect_map(fragment_map("dmma", MatrixOperand::b, 8, 8, 4, 64), [](int64_t t, int64_t) {
    return At{t % 4, t / 4};
  });
  expect_map(fragment_map("dmma", MatrixOperand::c, 8, 8, 4, 64), [](int64_t t, int64_t r) {
    return At{t / 4, 2 * (t % 4) + r};
  });
}

TEST(fragments_every_row_is_checked_above) {
  int rows = 0;
#define FRAGMENT(...) ++rows;
#include "core/layout/fragments.def"
#undef FRAGMENT
  EXPECT_EQ(rows, 22);  // a new row needs a closed form in this file
}

static std::string text_of(const std::optional<Layout>& layout) {
  return layout ? to_text(*layout) : "none";
}

TEST(fragments_of_block_tiles) {
  GemmTiling sq{"sqmma", 128, 128, 64, 128, 64, 64, 4, 2};
  EXPECT_EQ(text_of(accumulator_layout(sq)),
            std::string("frag([128, 128], [[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]])"));
  GemmTiling mma{"mma", 128, 128, 16, 16, 8, 16, 2, 2};
  EXPECT_EQ(text_of(accumulator_layout(mma)),
            std::string("frag([128, 128], [[t(2, 32), r(4, 32), r(2, 2), t(8, 4)], [t(2, 64), r(8, "
                        "4), t(4, 1), r(2, 1)]])"));
  EXPECT_EQ(text_of(operand_layout(mma, a)),
            std::string("frag([128, 16], [[t(2, 32), r(4, 8), r(2, 2), t(8, 4)], [r(2, 4), t(4, "
                        "1), r(2, 1)]], rep=[t(2, 64)])"));
  EXPECT_EQ(text_of(operand_layout(mma, b)),
            std::string("frag([16, 128], [[r(2, 2), t(4, 1), r(2, 1)], [t(2, 64), r(8, 4), t(8, "
                        "4)]], rep=[t(2, 32)])"));
  GemmTiling wg{"wgmma", 128, 128, 128, 64, 128, 16, 8, 1};
  EXPECT_EQ(text_of(accumulator_layout(wg)),
            std::string(
                "frag([128, 128], [[t(8, 32), r(2, 2), t(8, 4)], [r(16, 4), t(4, 1), r(2, 1)]])"));
  EXPECT_EQ(text_of(operand_layout(wg, a)),
            text_of(accumulator_layout(wg)));  // P of attention feeds PV
  GemmTiling uneven{"mma", 120, 128, 16, 16, 8, 16, 2, 2};
  EXPECT(!accumulator_layout(uneven));
}

TEST(fragments_block_tiles_are_bijective) {
  using Row = std::tuple<std::string, int64_t, int64_t>;
  for (auto [instruction, im, in] : {Row{"mma", 16, 8},
                                     {"mma_mp22", 32, 32},
                                     {"wmma", 16, 16},
                                     {"wgmma", 64, 32},
                                     {"sqmma", 32, 64}})
    for (int64_t wm : {1, 2, 4, 8})
      for (int64_t wn : {1, 2})
        for (int64_t m : {64, 128, 192})
          for (int64_t n : {64, 96, 256}) {
            int64_t lanes = instruction == "mma_mp22" ? 128 : 32;
            GemmTiling g{instruction, m, n, 64, im, in, 16, wm, wn, lanes};
            std::optional<Layout> layout = accumulator_layout(g);
            if (!layout) continue;
            EXPECT(bijective(*layout));
            EXPECT_EQ(extent(*layout, 't'), wm * wn * lanes);
            EXPECT_EQ(extent(*layout, 'r') * extent(*layout, 't'), m * n);
          }
}

TEST(partition_of_loops) {
  EXPECT_EQ(to_text(plan_loop({2, 512}, 128, 4)),
            std::string("frag([2, 512], [[r(2, 4)], [t(128, 1), r(4, 1)]])"));
  EXPECT_EQ(to_text(plan_loop({1024}, 256, 4)),
            std::string("frag([1024], [[t(256, 1), r(4, 1)]])"));
  EXPECT_EQ(to_text(plan_loop({1000}, 128, 4)),
            std::string("frag([1000], [[r(2, 4), t(128, 1), r(4, 1)]])"));
  EXPECT_EQ(to_text(plan_fragment({8}, 128, 1)),
            std::string("frag([8], [[t(8, 1)]], rep=[t(16, 8)])"));
  EXPECT_EQ(to_text(plan_loop({32, 128}, 128, 8)),
            std::string("frag([32, 128], [[r(4, 8), t(8, 16)], [t(16, 1), r(8, 1)]])"));
  EXPECT_EQ(to_text(plan_loop({16, 96}, 128, 4)),
            std::string("frag([16, 96], [[r(4, 4), t(4, 24)], [t(24, 1), r(4, 1)]])"));
  for (int64_t i : {1, 2, 3, 5, 7, 24, 64})
    for (int64_t j : {1, 3, 8, 24, 100, 256})
      for (int64_t threads : {1, 32, 96, 128})
        for (int64_t vec : {1, 2, 4}) {
          if (j % vec) continue;
          Layout loop = plan_loop({i, j}, threads, vec);
          EXPECT(well_formed(loop) && injective(loop) && extent(loop, 't') <= threads);
          EXPECT(elements_at(loop, 0, 0).size() == 1);
        }
}

TEST(partition_of_fragments) {
  EXPECT_EQ(to_text(plan_fragment({2, 512}, 128, 4)),
            std::string("frag([2, 512], [[r(2, 4)], [t(128, 1), r(4, 1)]])"));
  EXPECT_EQ(to_text(plan_fragment({3, 24}, 128, 1)),
            std::string("frag([3, 24], [[t(4, 32)], [t(32, 1)]])"));
  EXPECT_EQ(to_text(plan_fragment({384}, 96, 4)),
            std::string("frag([384], [[t(96, 1), r(4, 1)]])"));
  EXPECT_EQ(to_text(plan_accumulator(128, 128, 256, 4)),
            std::string("frag([128, 128], [[r(8, 8), t(16, 16)], [r(2, 4), t(16, 1), r(4, 1)]])"));
  for (int64_t m : {1, 7, 16, 64, 128})
    for (int64_t n : {1, 12, 32, 100, 128, 256})
      for (int64_t threads : {32, 96, 128, 256}) {
        for (const Layout& layout :
             {plan_accumulator(m, n, threads, 4), plan_fragment({m, n}, threads, 1)}) {
          EXPECT(well_formed(layout) && injective(layout) && extent(layout, 't') <= threads);
          EXPECT(same_map(compacted(layout), layout));
          EXPECT(same_map(trimmed(layout), layout));
        }
      }
}
