// SPDX-License-Identifier: Apache-2.0
// Expressions that are found from their values, held against them.
#include "core/ir/fitted.h"

#include <random>

#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/text/print.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

/// The result for f over [a, b], as text; "none" or "wrong" where that is so.
template <class F> std::string found(int64_t a, int64_t b, const Index& radices, F f) {
  Index values;
  for (int64_t i = 0; i < a; ++i)
    for (int64_t j = 0; j < b; ++j) values.push_back(f(i, j));
  const Expr e =
      fitted({{name_ref("i", {DType::i32}), a}, {name_ref("j", {DType::i32}), b}}, values, radices);
  if (!e) return "none";
  for (int64_t n = 0; n < a * b; ++n) {
    auto value = evaluate(e, [&](Symbol name) -> std::optional<int64_t> {
      return name == Symbol("i") ? n / b : n % b;
    });
    if (value != values[size_t(n)]) return "wrong";
  }
  return print(e);
}

/// Whether the numbers of a fragment lead back to its elements.
template <class F> bool leads_back(const Index& shape, int64_t registers, F number) {
  ElementMap map{{"i", "j"},
                 {number(name_ref("i", {DType::i32}), name_ref("j", {DType::i32}))},
                 {shape[0] * shape[1]}};
  const Expr n = name_ref("n", {DType::i32});
  const auto back = element_at(map, shape, registers, n);
  if (back.size() != 2) return false;
  const auto places = all_places(map, shape);
  for (int64_t e = 0; e < shape[0] * shape[1]; ++e)
    for (size_t d = 0; d < 2; ++d) {
      auto index =
          evaluate(back[d], [&](Symbol) { return std::optional((*places)[size_t(e)][0]); });
      if (index != (d == 0 ? e / shape[1] : e % shape[1])) return false;
    }
  return true;
}

}  // namespace

TEST(fitted_forms) {
  EXPECT_EQ(found(6, 40, {}, [](int64_t i, int64_t j) { return i * 40 + j + 3; }),
            std::string("i * 40 + j + 3"));
  EXPECT_EQ(found(6, 40, {}, [](int64_t i, int64_t j) { return (j + i * 7) % 40; }),
            std::string("(i * 7 + j) % 40"));
  EXPECT_EQ(found(8, 8, {}, [](int64_t i, int64_t j) { return i ^ j; }), std::string("i ^ j"));
  EXPECT_EQ(found(16, 8, {8}, [](int64_t i, int64_t j) { return i * 8 + (i + j) % 8; }),
            std::string("i * 8 + (i + j) % 8"));
  EXPECT_EQ(found(5, 12, {4}, [](int64_t i, int64_t j) { return (j / 4 + i) % 3; }),
            std::string("(i + j // 4) % 3"));
  EXPECT_EQ(found(4, 4, {}, [](int64_t i, int64_t j) { return i * j; }), std::string("none"));
  EXPECT_EQ(found(1, 4, {}, [](int64_t, int64_t) { return 7; }), std::string("7"));
}

TEST(fitted_numbers_lead_back) {
  auto constant = [](int64_t x) { return int_const(x); };
  EXPECT(leads_back({6, 40}, 6, [&](Expr i, Expr j) {
    return add(mul(floormod(add(mul(i, constant(7)), j), constant(40)), constant(6)), i);
  }));
  EXPECT(leads_back({32, 32}, 32, [&](Expr i, Expr j) {
    return add(mul(binary(BinOp::bxor, i, j), constant(32)), i);
  }));
  EXPECT(leads_back({3, 5}, 1, [&](Expr i, Expr j) { return add(mul(j, constant(3)), i); }));
  EXPECT(!leads_back({4, 5}, 1, [&](Expr i, Expr j) {  // squares modulo a prime
    const Expr n = add(mul(i, constant(5)), j);
    return floormod(mul(n, add(n, constant(1))), constant(23));
  }));
}

/// Exclusive ors of any bits, in both directions.
TEST(fitted_bits) {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < 20; ++round) {
    int64_t turned[6];
    for (int64_t& bits : turned) bits = int64_t(random() % 64);
    const std::string text = found(8, 8, {}, [&](int64_t i, int64_t j) {
      int64_t out = 0;
      for (int bit = 0; bit < 6; ++bit)
        if ((i * 8 + j) >> bit & 1) out ^= turned[bit];
      return out;
    });
    EXPECT(text != "none" && text != "wrong");
  }
}
