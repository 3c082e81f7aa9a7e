// SPDX-License-Identifier: Apache-2.0
#include "core/ir/linear.h"

#include "core/ir/build.h"
#include "core/ir/text/print.h"
#include "tests/unit/test.h"

using namespace tilelab;

static const Expr row = name_ref("i"), width = name_ref("n");

TEST(linear_names_stand_for_expressions) {
  auto meaning = [](Symbol name) -> Expr {
    if (name == Symbol("n")) return int_const(3);
    if (name == Symbol("m")) return add(name_ref("i"), name_ref("n"));
    return nullptr;
  };
  const Linear sum = linear_of(mul(name_ref("m"), width), meaning);  // (i + 3) * 3
  EXPECT_EQ(sum.constant, int64_t(9));
  EXPECT_EQ(sum.coefficient("i"), int64_t(3));
  EXPECT_EQ(sum.terms.size(), size_t(1));
  EXPECT_EQ(linear_of(mul(name_ref("m"), width)).terms.size(),
            size_t(1));  // a product of two names
}

TEST(linear_a_name_bound_to_itself_ends) {
  auto again = [](Symbol name) { return add(name_ref(name), int_const(1)); };
  EXPECT_EQ(linear_of(row, again).terms.size(), size_t(1));
}

TEST(linear_differences) {
  const Expr a = mul(add(row, int_const(1)), int_const(64)), b = mul(row, int_const(64));
  EXPECT(constant_difference(a, b) == std::optional<int64_t>(64));
  EXPECT(!constant_difference(a, width));
  EXPECT(constant_difference(width, row, {{"n", add(name_ref("i"), int_const(5))}}) ==
         std::optional<int64_t>(5));
}

TEST(linear_coefficients_wrap) {
  Expr big = name_ref("i");
  for (int times = 0; times < 5; ++times) big = binary(BinOp::mul, big, int_const(1 << 30));
  EXPECT(linear_of(big).terms.empty());  // 2^150 i
}
