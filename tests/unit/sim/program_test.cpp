// SPDX-License-Identifier: Apache-2.0
// The expression compiler and the runner of lane programs, without any memory: names that start
// with "in" are inputs, Store to a buffer called "out" keeps a value.
#include <cstring>
#include <utility>

#include "core/ir/build.h"
#include "core/sim/program/compile.h"
#include "core/sim/program/run.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::sim;

namespace {

constexpr int lanes_n = 8;

class TestCompiler : public BodyCompiler {
 public:
  TestCompiler() : BodyCompiler(lanes_n) {}
  Program finish() { return b.finish(); }
  int32_t out = -1;

 protected:
  Value load(const Load& n) override { cannot(n, "no memory"); }
  Value region(const Region& n) override { cannot(n, "no memory"); }
  void store(const Store& n) override {
    if (out < 0) out = b.array("out", 4, 4), b.keep_array(out);
    assign(out, *int_value(n.dims[0].lo), expr(n.value));
  }
  Value call(const Call& n, bool) override { cannot(n, "no calls"); }
  Value name(const Name& n) override { return reg(n.type.dtype, b.input(n.id, n.type.dtype)); }
  void other(const Stmt& n) override { cannot(*n, "no such statement"); }
};

class TestRunner : public LaneRunner {
 public:
  int zero_divisors = 0;
  std::string endless_loop;

 protected:
  void load(const sim::Access&, const Instr&) override {}
  void store(const sim::Access&, const Instr&) override {}
  sim::Step call(const CallSite&, const Instr&) override { return sim::Step::next; }
  void out_of_bounds(const Instr&, int, int64_t, int64_t) override {}
  void zero_divisor(const Instr&, int) override { ++zero_divisors; }
  void endless(const Instr&, const std::string& text) override { endless_loop = text; }
};

struct Ran {
  std::vector<int32_t> out[4];
  size_t instructions = 0;
  int zero_divisors = 0;
  std::string endless_loop;
};

/// Runs `body` with input "in" = 0, 1, 2, ...
Ran run(const Stmt& body, int active = lanes_n) {
  TestCompiler c;
  c.stmt(body);
  int32_t out = c.out;
  Program p = c.finish();
  auto constants = constant_lanes(p);
  TestRunner r;
  r.start(p, constants.data(), active);
  for (const Input& input : p.inputs) iota(r.at(input.reg), input.elem, 0, 1, lanes_n);
  while (r.run(1000, nullptr) != LaneRunner::Status::finished) {
  }
  Ran result;
  result.instructions = p.code.size();
  result.zero_divisors = r.zero_divisors;
  result.endless_loop = r.endless_loop;
  for (int k = 0; k < 4 && out >= 0; ++k) {
    const RegArray& a = p.arrays[static_cast<size_t>(out)];
    const int32_t* v = r.lanes<int32_t>(a.first + static_cast<Reg>(k) * a.stride);
    result.out[k].assign(v, v + lanes_n);
  }
  return result;
}

Expr in() { return name_ref("in"); }
Expr x() { return name_ref("x"); }
Expr number(int64_t v) { return int_const(v); }
Stmt var(Symbol name, Expr init) {
  Var v;
  v.name = name;
  v.init = std::move(init);
  return make(v);
}
Stmt set(Symbol name, Expr value) {
  Assign a;
  a.name = name;
  a.value = std::move(value);
  return make(a);
}
Stmt out(int k, Expr value) { return store("out", {point(number(k))}, std::move(value)); }
Stmt brk() { return make(Break{}); }
using V = std::vector<int32_t>;

}  // namespace

TEST(sim_program_arithmetic_and_divisions) {
  auto bin = [](BinOp op, Expr a, Expr b) { return binary(op, std::move(a), std::move(b)); };
  Expr centred = sub(in(), number(4));
  Ran r = run(seq({out(0, add(mul(in(), number(3)), number(1))),
                   out(1, bin(BinOp::floordiv, centred, number(4))),
                   out(2, bin(BinOp::tdiv, centred, number(4))),
                   out(3, bin(BinOp::tmod, centred, number(4)))}));
  EXPECT(r.out[0] == V({1, 4, 7, 10, 13, 16, 19, 22}));
  EXPECT(r.out[1] == V({-1, -1, -1, -1, 0, 0, 0, 0}));
  EXPECT(r.out[2] == V({-1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT(r.out[3] == V({0, -3, -2, -1, 0, 1, 2, 3}));
  Ran z = run(out(0, bin(BinOp::floordiv, number(7), centred)));
  EXPECT_EQ(z.zero_divisors, 1);
  EXPECT_EQ(z.out[0][4], 0);
  EXPECT_EQ(z.out[0][0], -2);
}

TEST(sim_program_branches_mask_variables) {
  Ran r =
      run(seq({var("x", number(0)),
               if_then(lt(in(), number(3)), set("x", add(in(), number(10))), set("x", number(5))),
               if_then(lt(in(), number(0)), set("x", number(99))), out(0, x())}));
  EXPECT(r.out[0] == V({10, 11, 12, 5, 5, 5, 5, 5}));
}

TEST(sim_program_what_is_known_of_a_variable_ends_with_each_loop) {
  // However many loops there are: what is known carries the time of its last change.
  for (int loops = 1; loops <= 300; ++loops) {
    std::vector<Stmt> body = {var("x", number(0)), var("y", number(0)),
                              out(0, mul(add(x(), in()), number(3)))};
    for (int k = 0; k < loops; ++k)
      body.push_back(for_loop("k", number(0), number(2), set(k == 0 ? "x" : "y", number(7))));
    body.push_back(out(1, mul(add(x(), in()), number(5))));
    EXPECT_EQ(run(seq(std::move(body))).out[1][3], 50);
  }
}

TEST(sim_program_loops_diverge_and_reconverge) {
  // x counts how often lane i goes round: i times; break ends lane 5 early.
  Stmt body = seq({if_then(land(eq(in(), number(5)), eq(x(), number(2))), brk()),
                   set("x", add(x(), number(1)))});
  Ran r = run(seq({var("x", number(0)), for_loop("k", number(0), in(), body), out(0, x()),
                   out(1, add(x(), in()))}));
  EXPECT(r.out[0] == V({0, 1, 2, 3, 4, 2, 6, 7}));
  EXPECT(r.out[1] == V({0, 2, 4, 6, 8, 7, 12, 14}));
  While w;
  w.cond = bool_const(true);
  w.body = seq({if_then(ge(x(), in()), brk()), set("x", add(x(), number(2)))});
  Ran s = run(seq({var("x", number(0)), make(w), out(0, x())}));
  EXPECT(s.out[0] == V({0, 2, 2, 4, 4, 6, 6, 8}));
}

TEST(sim_program_infinite_loops_are_reported) {
  auto looped = [](Expr cond, std::vector<Stmt> body) {
    While w;
    w.cond = std::move(cond);
    w.body = seq(std::move(body));
    return run(seq({var("x", in()), var("y", number(1)), make(w), out(0, x())}));
  };
  Expr y = name_ref("y");
  // Lanes 4 to 7 continue, the others do not start; y is not involved.
  EXPECT_EQ(looped(lt(number(3), x()), {set("y", add(y, number(1)))}).endless_loop,
            "x is 4 in iteration 3 as in iteration 2");
  Ran swings = looped(lt(x(), number(9)), {set("x", add(x(), y)), set("y", sub(number(0), y))});
  EXPECT_EQ(swings.endless_loop, "x is 0, y is 1 in iteration 5 as in iteration 3");
  // Conditions of the body decide, too: lanes 0 and 7 never come to the break.
  Stmt leave = if_then(eq(x(), y), brk()),
       count = if_then(lt(y, number(6)), set("y", add(y, number(1))));
  EXPECT_EQ(looped(bool_const(true), {leave, count}).endless_loop,
            "x is 0, y is 6 in iteration 10 as in iteration 9");
  // A break of an inner loop, whatever it hangs on, is none of this one.
  Stmt inner = for_loop("k", number(0), number(3), if_then(eq(name_ref("k"), y), brk()));
  EXPECT_EQ(looped(lt(number(3), x()), {inner, set("y", add(y, number(1)))}).endless_loop,
            "x is 4 in iteration 3 as in iteration 2");
  Ran ends = looped(lt(number(0), x()), {set("x", sub(x(), number(1)))});
  EXPECT_EQ(ends.endless_loop, "");
  EXPECT(ends.out[0] == V(8, 0));
}

TEST(sim_program_unrolled_loops_see_constants_and_break) {
  Stmt body = seq({if_then(eq(name_ref("k"), in()), brk()), set("x", add(x(), number(1)))});
  Ran r = run(seq({var("x", number(0)), for_loop("k", number(0), number(4), body, LoopMode::unroll),
                   out(0, x())}));
  EXPECT(r.out[0] == V({0, 1, 2, 3, 4, 4, 4, 4}));
  Stmt sum = set("x", add(x(), mul(name_ref("k"), in())));
  Ran n = run(seq({var("x", number(0)), for_loop("k", number(0), number(4), sum, LoopMode::unroll),
                   out(0, x())}));
  EXPECT(n.out[0] == V({0, 6, 12, 18, 24, 30, 36, 42}));
}

TEST(sim_program_common_subexpressions_follow_changes) {
  Expr twice = mul(x(), number(7));
  Ran r = run(seq({var("x", in()), out(0, twice), set("x", number(1)), out(1, twice), let("y", x()),
                   set("x", number(2)), out(2, name_ref("y")),
                   for_loop("k", number(0), number(3), set("x", mul(x(), number(7)))),
                   out(3, mul(x(), number(7)))}));
  EXPECT(r.out[0] == V({0, 7, 14, 21, 28, 35, 42, 49}));
  EXPECT(r.out[1] == V(8, 7));
  EXPECT(r.out[2] == V(8, 1));
  EXPECT(r.out[3] == V(8, 2 * 7 * 7 * 7 * 7));
}

TEST(sim_program_inactive_lanes_stay_out) {
  Ran r = run(seq({var("x", number(3)), out(0, add(x(), in()))}), 3);
  EXPECT(r.out[0] == V({3, 4, 5, -1, -1, -1, -1, -1}));  // the rest is still poison
}

TEST(sim_program_random_loops_keep_their_values) {
  // Values that live across loops must not share storage with what the loops compute.
  Ran r = run(seq(
      {let("a", mul(in(), number(3))), let("b", add(in(), number(100))), var("x", number(0)),
       for_loop(
           "i", number(0), number(3),
           seq({let("c", add(name_ref("a"), name_ref("i"))),
                for_loop("j", number(0), number(2),
                         set("x", add(x(), add(name_ref("c"), mul(name_ref("j"), name_ref("b")))))),
                set("x", add(x(), name_ref("c")))})),
       out(0, x())}));
  V want;
  for (int in = 0; in < lanes_n; ++in) {
    int x = 0;
    for (int i = 0; i < 3; ++i) {
      int c = in * 3 + i;
      for (int j = 0; j < 2; ++j) x += c + j * (in + 100);
      x += c;
    }
    want.push_back(x);
  }
  EXPECT(r.out[0] == want);
}
