// SPDX-License-Identifier: Apache-2.0
// Walks by the kinds of nodes that their handlers take.
#include "core/ir/traverse.h"

#include <set>

#include "core/ir/build.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

const Expr i = name_ref("i"), n = name_ref("n");

/// for i: x = n + A[i]; if i < n: B[i] = x
Stmt some_loop() {
  const Expr x = name_ref("x", {DType::f32});
  return for_loop("i", int_const(0), n,
                  seq({let("x", load("A", DType::f32, {add(i, n)})),
                       if_then(lt(i, n), store("B", {point(i)}, x))}));
}

}  // namespace

TEST(walks_call_the_handlers_of_a_kind) {
  std::set<std::string> names;
  int loads = 0, stmts = 0, nodes = 0;
  for_each(
      *some_loop(), [&](const Name& name) { names.insert(name.id.str()); },
      [&](const Load&) { ++loads; }, [&](const StmtNode&) { ++stmts; },
      [&](const Node&) { ++nodes; });
  EXPECT(names == std::set<std::string>({"i", "n", "x"}));
  EXPECT_EQ(loads, 1);
  EXPECT_EQ(stmts, 5);  // the loop, its list, the let, the branch and the store
  EXPECT(nodes > stmts + loads);
}

TEST(walks_of_statements_pass_by_expressions) {
  int loads = 0, seen = 0;
  for_each(*some_loop(), [&](const StmtNode& stmt) { seen += stmt.kind == Kind::Load; });
  for_each(*some_loop(), [&](const Store&) { ++loads; });
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(loads, 1);
}

TEST(any_of_ends_with_the_first) {
  int asked = 0;
  EXPECT(any_of(*some_loop(), [&](const Name&) { return ++asked > 0; }));
  EXPECT_EQ(asked, 1);
  EXPECT(!any_of(*some_loop(), [&](const Name& name) { return name.id == Symbol("y"); }));
  EXPECT(any_of(
      *some_loop(), [](const Let&) { return false; },
      [](const Store& store) { return store.buffer == Symbol("B"); }));
}

TEST(what_a_tree_contains) {
  const Stmt loop = some_loop();
  EXPECT(contains<If>(*loop) && contains<Break, Load>(*loop) && !contains<Break>(*loop));
  EXPECT(mentions(*loop, "n") && !mentions(*loop, "A"));
  EXPECT(mentions_any(*loop, std::set<Symbol>({"y", "x"})));
  EXPECT(is_invariant(add(i, n), std::set<Symbol>({"x"})));
  EXPECT(!is_invariant(add(i, n), std::set<Symbol>({"n"})));
  EXPECT(!is_invariant(load("A", DType::i32, {i}), std::set<Symbol>()));
}

TEST(what_statements_become_joins_their_list) {
  const Stmt loop = some_loop();
  const Stmt twice = rewrite_stmts(loop, [](const Stmt& s) {
    if (as<Let>(s)) return seq({});
    return as<If>(s) ? seq({s, s}) : s;
  });
  const std::vector<Stmt>& list = to<Seq>(to<For>(twice).body).stmts;
  EXPECT_EQ(list.size(), size_t(2));
  EXPECT(list[0]->kind == Kind::If && list[1]->kind == Kind::If);
}
