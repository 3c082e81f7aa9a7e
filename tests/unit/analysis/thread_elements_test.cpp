// SPDX-License-Identifier: Apache-2.0
// Elements that are private to threads, compared with enumeration: every thread, iteration and
// value.
#include "core/analysis/thread_elements.h"

#include <map>
#include <random>

#include "core/analysis/bindings.h"
#include "core/ir/build.h"
#include "core/ir/text/print.h"
#include "tests/unit/test.h"

namespace tilelab::thread_elements_test {

namespace {

const Expr tid = name_ref("tid"), k = name_ref("k"), n = name_ref("n"), u = name_ref("u");
const Expr w = name_ref("w"), j = name_ref("j"), x = name_ref("x");

Stmt loop(const char* var, const Expr& lo, const Expr& hi, int64_t step) {
  For loop;
  loop.var = var, loop.lo = lo, loop.hi = hi, loop.step = int_const(step);
  loop.body = seq({});
  return make(std::move(loop));
}

Stmt assign(const char* name, const Expr& value) {
  Assign assign;
  assign.name = name, assign.value = value;
  return make(std::move(assign));
}

/// A kernel of 12 threads with loops over `k` in [0, 3), `w` of 2, 5, 8, 11 and `j` of tid + n,
/// tid + n + 12 and so on; `x` begins at 2 * tid and grows by fours.
Kernel kernel_of_twelve() {
  Var var;
  var.name = "x", var.init = int_const(0);
  Kernel kernel;
  kernel.block = 12;
  kernel.body =
      seq({loop("k", int_const(0), int_const(3), 1), loop("w", int_const(2), int_const(12), 3),
           loop("j", add(tid, n), u, 12), make(std::move(var)), assign("x", mul(tid, int_const(2))),
           assign("x", add(x, int_const(4)))});
  return kernel;
}

/// `n` is the same throughout; `u` is unknown.
bool disjoint(const std::vector<Expr>& before, const std::vector<Expr>& now) {
  static const Kernel kernel = kernel_of_twelve();
  static const std::unordered_set<Symbol> fixed = {"n"};
  static const Substitution lets;
  const ThreadElements elements(kernel, fixed, lets);
  return threads_disjoint(elements.indices(before), elements.indices(now), kernel.block);
}

/// The elements of each thread.
using Touched = std::map<std::vector<int64_t>, int64_t>;  // by which thread, -1: by several

Touched touched(const std::vector<Expr>& index, int64_t fixed) {
  Touched out;
  for (int64_t thread = 0; thread < 12; ++thread)
    for (int64_t iteration = 0; iteration < 3; ++iteration)
      for (int64_t any = -9; any < 9; ++any) {
        auto meaning = [&](Symbol name) -> std::optional<int64_t> {
          return name == Symbol("tid") ? thread
                 : name == Symbol("k") ? iteration
                 : name == Symbol("n") ? fixed
                 : name == Symbol("w") ? 2 + 3 * iteration + (any < 0 ? 3 : 0)
                 : name == Symbol("j") ? thread + fixed + 12 * any
                 : name == Symbol("x") ? 2 * thread + 4 * any
                                       : any;
        };
        std::vector<int64_t> at;
        for (const Expr& e : index) at.push_back(*evaluate(e, meaning));
        auto [place, fresh] = out.emplace(at, thread);
        if (!fresh && place->second != thread) place->second = -1;
      }
  return out;
}

bool shared(const std::vector<Expr>& before, const std::vector<Expr>& now) {
  for (int64_t fixed : {0, 1, 7}) {
    const Touched a = touched(before, fixed), b = touched(now, fixed);
    for (const auto& [at, thread] : a) {
      const auto other = b.find(at);
      if (other != b.end() && (thread < 0 || other->second != thread)) return true;
    }
  }
  return false;
}

Expr times(const Expr& e, int64_t by) { return mul(e, int_const(by)); }
Expr over(const Expr& e, int64_t by) { return floordiv(e, int_const(by)); }
Expr rest(const Expr& e, int64_t by) { return floormod(e, int_const(by)); }

struct Draw {
  std::mt19937_64 random;
  int64_t of(std::initializer_list<int64_t> list) { return list.begin()[random() % list.size()]; }

  Expr part() {
    switch (random() % 12) {
      case 0: return tid;
      case 1: return over(tid, of({2, 3, 4, 6}));
      case 2: return rest(tid, of({2, 3, 4, 6}));
      case 3: return over(rest(tid, of({4, 6, 8})), of({2, 3}));
      case 4: return rest(over(tid, of({2, 3})), of({2, 3}));
      case 5: return k;
      case 6: return n;
      case 7: return u;
      case 8: return w;
      case 9: return j;
      case 10: return x;
      default: return rest(add(u, k), of({2, 4}));
    }
  }
  Expr index() {
    Expr sum = int_const(of({0, 0, 1, 5}));
    for (uint64_t parts = 1 + random() % 3; parts > 0; --parts)
      sum = add(sum, times(part(), of({1, 1, -1, 2, 3, 4, 6, 12, 36})));
    return sum;
  }
};

}  // namespace

TEST(thread_elements_are_never_disjoint_where_two_threads_share_one) {
  Draw draw{std::mt19937_64(test::seed())};
  int found = 0;
  const int rounds = test::rounds(4000);
  for (int round = 0; round < rounds; ++round) {
    std::vector<Expr> before, now;
    for (uint64_t dims = 1 + draw.random() % 2; dims > 0; --dims) {
      before.push_back(draw.index());
      // As accesses of one kernel are: the same index, or what is beside it.
      now.push_back(draw.random() % 2 ? before.back()
                                      : add(before.back(), int_const(draw.of({0, 1, -1, 3}))));
    }
    if (!disjoint(before, now)) continue;
    ++found;
    std::string text;
    for (size_t d = 0; d < now.size(); ++d) text += print(before[d]) + " | " + print(now[d]) + "; ";
    if (shared(before, now)) test::fail(__FILE__, __LINE__, text);
  }
  EXPECT(found > rounds / 50);
}

TEST(thread_elements_that_are_disjoint) {
  EXPECT(disjoint({tid}, {tid}));
  EXPECT(disjoint({add(times(tid, 4), k)}, {add(times(tid, 4), int_const(3))}));
  EXPECT(!disjoint({add(times(tid, 2), k)}, {add(times(tid, 2), k)}));
  EXPECT(!disjoint({add(tid, k)}, {add(tid, k)}));
  EXPECT(!disjoint({tid}, {add(tid, int_const(1))}));
  EXPECT(
      disjoint({add(tid, times(u, 12))}, {add(tid, times(u, 12))}));  // iterations of whole blocks
  EXPECT(!disjoint({add(tid, times(u, 11))}, {add(tid, times(u, 11))}));
  EXPECT(disjoint({add(tid, n)}, {add(tid, n)}));
  EXPECT(!disjoint({add(tid, u)}, {add(tid, u)}));
  EXPECT(disjoint({over(tid, 4), rest(tid, 4)}, {over(tid, 4), rest(tid, 4)}));
  EXPECT(disjoint({add(times(over(tid, 4), 8), add(times(rest(tid, 4), 2), rest(k, 2)))},
                  {add(times(over(tid, 4), 8), times(rest(tid, 4), 2))}));
  EXPECT(!disjoint({over(tid, 4)}, {over(tid, 4)}));
  EXPECT(disjoint({u, tid}, {k, tid}));
}

TEST(thread_elements_of_iterations_are_disjoint) {
  EXPECT(disjoint({add(tid, times(k, 12))}, {add(tid, times(k, 12))}));
  EXPECT(disjoint({add(tid, times(k, 12))}, {add(add(tid, int_const(24)), times(k, 12))}));
  EXPECT(!disjoint({add(tid, times(k, 11))}, {add(tid, times(k, 11))}));
  // whole rows of four, of which each three threads have one
  const Expr row = add(times(over(tid, 4), 12), add(times(k, 4), rest(tid, 4)));
  EXPECT(disjoint({row}, {row}));
  EXPECT(disjoint({add(times(w, 4), tid)}, {add(times(w, 4), tid)}));
  EXPECT(!disjoint({add(w, tid)}, {add(w, tid)}));
  EXPECT(disjoint({add(times(w, 4), tid)}, {add(times(w, 4), add(tid, int_const(36)))}));
  EXPECT(!disjoint({add(times(w, 4), tid)}, {add(times(w, 4), add(tid, int_const(32)))}));
  EXPECT(disjoint({j}, {j}));
  EXPECT(disjoint({j, k}, {j, u}));
  EXPECT(disjoint({j}, {add(tid, n)}));
  EXPECT(!disjoint({j}, {tid}));
  EXPECT(!disjoint({sub(j, tid)}, {sub(j, tid)}));
  EXPECT(!disjoint({x}, {x}));
  const Expr iterations = times(sub(x, times(tid, 2)), 3);
  EXPECT(disjoint({add(iterations, tid)}, {add(iterations, tid)}));
}

TEST(lets_of_siblings_that_share_a_name_have_no_value) {
  const Stmt one = let("a", int_const(1)), other = let("a", int_const(2)), b = let("b", tid);
  EXPECT_EQ(lets_of(*seq({one, b})).size(), size_t(2));
  EXPECT_EQ(lets_of(*seq({if_then(tid, one), if_then(tid, one)})).size(), size_t(1));
  EXPECT_EQ(lets_of(*seq({if_then(tid, one), if_then(tid, other)})).size(), size_t(0));
}

}  // namespace tilelab::thread_elements_test
