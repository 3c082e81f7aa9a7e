// SPDX-License-Identifier: Apache-2.0
// Elements that threads have on their own, held against counting: every thread, turn and value.
#include "core/passes/thread_elements.h"

#include <map>
#include <random>

#include "core/ir/build.h"
#include "core/ir/lets.h"
#include "core/ir/print.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

const Expr tid = name_ref("tid"), k = name_ref("k"), n = name_ref("n"), u = name_ref("u");

/// A kernel of 12 threads around a loop over `k` in [0, 3).
Kernel kernel_of_twelve() {
  For loop;
  loop.var = "k", loop.lo = int_const(0), loop.hi = int_const(3), loop.step = int_const(1);
  loop.body = seq({});
  Kernel kernel;
  kernel.block = 12, kernel.body = make(std::move(loop));
  return kernel;
}

/// `n` is the same throughout; nothing is known of `u`.
bool apart(const std::vector<Expr>& before, const std::vector<Expr>& now) {
  static const Kernel kernel = kernel_of_twelve();
  static const std::unordered_set<Symbol> fixed = {"n"};
  const ThreadElements elements(kernel, fixed);
  return threads_apart(elements.indices(before), elements.indices(now), kernel.block);
}

/// The elements of each thread.
using Touched = std::map<std::vector<int64_t>, int64_t>;  // by which thread, -1: by several

Touched touched(const std::vector<Expr>& index, int64_t fixed) {
  Touched out;
  for (int64_t thread = 0; thread < 12; ++thread)
    for (int64_t turn = 0; turn < 3; ++turn)
      for (int64_t any = -9; any < 9; ++any) {
        auto meaning = [&](Symbol name) -> std::optional<int64_t> {
          return name == Symbol("tid") ? thread
                 : name == Symbol("k") ? turn
                 : name == Symbol("n") ? fixed
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
    switch (random() % 9) {
      case 0: return tid;
      case 1: return over(tid, of({2, 3, 4, 6}));
      case 2: return rest(tid, of({2, 3, 4, 6}));
      case 3: return over(rest(tid, of({4, 6, 8})), of({2, 3}));
      case 4: return rest(over(tid, of({2, 3})), of({2, 3}));
      case 5: return k;
      case 6: return n;
      case 7: return u;
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

TEST(thread_elements_are_never_called_apart_where_two_threads_share_one) {
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
    if (!apart(before, now)) continue;
    ++found;
    std::string text;
    for (size_t d = 0; d < now.size(); ++d) text += print(before[d]) + " | " + print(now[d]) + "; ";
    if (shared(before, now)) test::fail(__FILE__, __LINE__, text);
  }
  EXPECT(found > rounds / 50);
}

TEST(thread_elements_that_are_apart) {
  EXPECT(apart({tid}, {tid}));
  EXPECT(apart({add(times(tid, 4), k)}, {add(times(tid, 4), int_const(3))}));
  EXPECT(!apart({add(times(tid, 2), k)}, {add(times(tid, 2), k)}));
  EXPECT(!apart({add(tid, k)}, {add(tid, k)}));
  EXPECT(!apart({tid}, {add(tid, int_const(1))}));
  EXPECT(apart({add(tid, times(u, 12))}, {add(tid, times(u, 12))}));  // turns of whole blocks
  EXPECT(!apart({add(tid, times(u, 11))}, {add(tid, times(u, 11))}));
  EXPECT(apart({add(tid, n)}, {add(tid, n)}));
  EXPECT(!apart({add(tid, u)}, {add(tid, u)}));
  EXPECT(apart({over(tid, 4), rest(tid, 4)}, {over(tid, 4), rest(tid, 4)}));
  EXPECT(apart({add(times(over(tid, 4), 8), add(times(rest(tid, 4), 2), rest(k, 2)))},
               {add(times(over(tid, 4), 8), times(rest(tid, 4), 2))}));
  EXPECT(!apart({over(tid, 4)}, {over(tid, 4)}));
  EXPECT(apart({u, tid}, {k, tid}));
}

TEST(lets_of_siblings_that_share_a_name_have_no_value) {
  const Stmt one = let("a", int_const(1)), other = let("a", int_const(2)), b = let("b", tid);
  EXPECT_EQ(lets_of(*seq({one, b})).size(), size_t(2));
  EXPECT_EQ(lets_of(*seq({if_then(tid, one), if_then(tid, one)})).size(), size_t(1));
  EXPECT_EQ(lets_of(*seq({if_then(tid, one), if_then(tid, other)})).size(), size_t(0));
}
