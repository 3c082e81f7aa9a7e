// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "core/analysis/ranges.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

RangeAnalysis xy_facts() {
  RangeAnalysis facts;
  facts.set("x", {0, 99});
  facts.set("y", {0, 7});
  facts.set("z", {-5, 5});
  return facts;
}

Expr x() { return name_ref("x"); }
Expr y() { return name_ref("y"); }
Expr c(int64_t v) { return int_const(v); }

/// A random integer expression over x, y, z with small constants.
Expr random_expr(std::mt19937& random, int depth) {
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(4) == 0) {
    const char* names[] = {"x", "y", "z"};
    return pick(3) ? name_ref(names[pick(3)]) : c(pick(40) - 8);
  }
  Expr a = random_expr(random, depth - 1);
  switch (pick(7)) {
    case 0: return add(a, random_expr(random, depth - 1));
    case 5: {  // parts of a, which may make the whole of it again
      const int k = 1 << pick(4), times = pick(7) - 3;
      const Expr high = mul(floordiv(a, c(k)), c(k * times + (pick(4) ? 0 : 1)));
      return add(add(high, random_expr(random, depth - 1)), mul(floormod(a, c(k)), c(times)));
    }
    case 1: return sub(a, random_expr(random, depth - 1));
    case 2: return mul(a, c(pick(12) - 2));
    case 3: return floordiv(a, c(1 << pick(5)));
    case 4: return floormod(a, c(1 + pick(24)));
    default: return select(lt(a, random_expr(random, depth - 1)), a, c(pick(9)));
  }
}

int64_t evaluate(const Expr& e, int64_t x, int64_t y, int64_t z) {
  Expr value = substitute(e, {{"x", c(x)}, {"y", c(y)}, {"z", c(z)}});
  value = simplify_index(value, RangeAnalysis());
  auto v = int_value(value);
  EXPECT(v.has_value());
  return v.value_or(-999999);
}

}  // namespace

TEST(what_is_simple_is_the_same_node) {
  const Expr f = name_ref("f", {DType::f32});
  for (const Expr& e : {add(mul(x(), c(4)), c(3)), add(mul(x(), c(4)), y()), mul(x(), c(8)),
                        binary(BinOp::sub, mul(y(), c(2)), x()), lt(x(), name_ref("n")),
                        add(mul(f, f), f), cast(DType::f32, x())})
    EXPECT(simplify_index(e, xy_facts()).same(e));
  EXPECT(simplify_index(add(mul(x(), c(4)), mul(x(), c(-4))), xy_facts())->kind == Kind::Const);
}

TEST(linear_forms_gather) {
  Linear l = linear_of(sub(add(mul(x(), c(3)), c(4)), add(x(), y())));
  EXPECT_EQ(l.coefficient("x"), int64_t{2});
  EXPECT_EQ(l.coefficient("y"), int64_t{-1});
  EXPECT_EQ(l.constant, int64_t{4});
}

TEST(quotients_split) {
  RangeAnalysis facts = xy_facts();
  Expr e = add(mul(x(), c(8)), y());
  EXPECT(equal(simplify_index(floordiv(e, c(8)), facts), x()));
  EXPECT(equal(simplify_index(floormod(e, c(8)), facts), y()));
  EXPECT(facts.decide(lt(e, c(800))) == true);
  EXPECT(!facts.decide(lt(e, c(799))));
  EXPECT(facts.decide(lt(e, c(0))) == false);
}

TEST(one_quotient_of_a_range) {
  RangeAnalysis facts;
  facts.set("x", {32, 95});
  EXPECT_EQ(int_value(simplify_index(floordiv(add(x(), c(32)), c(64)), facts)), int64_t{1});
  EXPECT_EQ(int_value(simplify_index(floordiv(sub(x(), c(32)), c(64)), facts)), int64_t{0});
  EXPECT(equal(simplify_index(floormod(add(x(), c(32)), c(64)), facts), sub(x(), c(32))));
  facts.set("x", {-8, -1});
  EXPECT_EQ(int_value(simplify_index(floordiv(x(), c(8)), facts)), int64_t{-1});
  facts.set("x", {32, 96});
  EXPECT(!int_value(simplify_index(floordiv(add(x(), c(32)), c(64)), facts)));
}

TEST(quotients_of_a_bounded_index_are_bounded) {
  RangeAnalysis facts;
  const Expr n = name_ref("n"), q = name_ref("q");
  facts.set("n", {0, 1 << 20});
  facts.set("x", {0, 1 << 22});
  facts.learn(lt(x(), mul(n, c(2))));
  EXPECT(facts.decide(lt(floordiv(x(), c(2)), n)) == true);
  EXPECT(!facts.decide(lt(add(floordiv(x(), c(2)), c(1)), n)));
  EXPECT(!facts.decide(lt(floordiv(add(x(), c(1)), c(2)), n)));
  EXPECT(facts.decide(lt(floordiv(add(x(), c(1)), c(2)), add(n, c(1)))) == true);
  facts.bind(to<Let>(let("q", floordiv(x(), c(2)))));
  EXPECT(facts.decide(lt(q, n)) == true);
  EXPECT(!facts.decide(lt(q, sub(n, c(1)))));
  facts.bind(to<Let>(let("q", x())));  // in another scope
  EXPECT(!facts.decide(lt(q, n)));
}

TEST(quotients_and_remainders_join) {
  RangeAnalysis facts = xy_facts();
  auto parts = [](int64_t k, int64_t high, int64_t low) {
    return add(add(mul(floordiv(x(), c(k)), c(high)), mul(y(), c(128))),
               mul(floormod(x(), c(k)), c(low)));
  };
  EXPECT(equal(simplify_index(parts(16, 16, 1), facts),
               simplify_index(add(mul(y(), c(128)), x()), facts)));
  EXPECT_EQ(linear_of(simplify_index(parts(16, 48, 3), facts)).coefficient("x"), int64_t{3});
  EXPECT_EQ(linear_of(simplify_index(parts(16, 32, 1), facts)).coefficient("x"), int64_t{0});
}

TEST(counters_of_loops_are_below_a_dynamic_end) {
  RangeAnalysis facts;
  facts.set("n", {1, 1 << 20});
  const Expr n = name_ref("n"), i = name_ref("i");
  For loop;
  loop.var = "i", loop.lo = c(3), loop.hi = n, loop.step = c(4);
  facts.enter(loop);
  EXPECT(facts.decide(lt(i, n)) == true);
  EXPECT(!facts.decide(lt(add(i, c(1)), n)));
  loop.hi = c(0), loop.lo = n, loop.step = c(-1);  // counts down
  facts.enter(loop);
  EXPECT(!facts.decide(lt(i, n)));
}

TEST(multiples_are_known) {
  RangeAnalysis facts;
  facts.set("n", {0, 1 << 20, 4});
  EXPECT_EQ(facts.range(mul(name_ref("n"), c(2))).multiple, int64_t{8});
  EXPECT_EQ(facts.range(add(name_ref("n"), c(2))).multiple, int64_t{2});
}

TEST(simplification_never_changes_a_value) {
  std::mt19937 random(static_cast<unsigned>(test::seed()));
  RangeAnalysis facts = xy_facts();
  for (int round = 0; round < 400; ++round) {
    Expr e = random_expr(random, 4), s = simplify_index(e, facts);
    for (int sample = 0; sample < 12; ++sample) {
      int64_t vx = random() % 100, vy = random() % 8, vz = static_cast<int64_t>(random() % 11) - 5;
      int64_t before = evaluate(e, vx, vy, vz), after = evaluate(s, vx, vy, vz);
      EXPECT_EQ(before, after);
      Range r = facts.range(e);
      EXPECT(r.lo <= before && before <= r.hi);
      EXPECT(r.multiple == 0 ? before == 0 : before % r.multiple == 0);
    }
  }
}

TEST(facts_divisors_of_results_that_wrap) {
  RangeAnalysis facts;
  facts.set("n", {0, 2147483647});
  facts.set("m", {0, 2147483647, 3});
  const Expr n = name_ref("n"), m = name_ref("m");
  EXPECT_EQ(facts.range(mul(n, c(32))).multiple, 32);
  EXPECT_EQ(facts.range(add(mul(add(n, c(2)), c(24)), c(16))).multiple, 8);
  EXPECT_EQ(facts.range(mul(m, c(4))).multiple, 4);  // 12 divides it only if it does not wrap
  EXPECT_EQ(facts.range(mul(n, c(32))).lo, -2147483648);
  const Expr wide = cast(DType::i64, n), far = mul(wide, int_const(96, DType::i64));
  EXPECT_EQ(facts.range(cast(DType::i32, far)).multiple, 32);
  EXPECT_EQ(facts.range(cast(DType::bool_, far)).multiple, 1);
}
