// SPDX-License-Identifier: Apache-2.0
// Base of visitors that need the facts at a statement: value ranges and active threads. Facts that
// a statement introduces (loop variables, a role, the lets before each statement of a list) end
// with it. RangeAnalysis shares common facts, so nothing is copied.
#pragma once

#include "core/analysis/ranges.h"
#include "core/ir/thread_range.h"

namespace tilelab {

class ScopedVisitor {
 protected:
  explicit ScopedVisitor(const Func& func);
  explicit ScopedVisitor(int lanes) : lanes_(lanes) {}

  RangeAnalysis facts_;  // at the current statement
  ThreadRange threads_;  // of the enclosing block or role

  /// Calls `f` in a nested scope of facts.
  template <class F> decltype(auto) scoped(F&& f) {
    struct Restore {
      ScopedVisitor& visitor;
      RangeAnalysis facts;
      ThreadRange threads;
      ~Restore() { visitor.facts_ = std::move(facts), visitor.threads_ = threads; }
    } restore{*this, facts_, threads_};
    return f();
  }
  /// Adds the facts of a kernel, role or loop until the end of the enclosing scope.
  void enter(const Node& stmt);
  /// The same for a let in the list `around`, visible to the statements after it.
  void bind(const Node& around, const Stmt& stmt);

  /// Visits each direct child of `stmt` in the scope of `stmt`.
  template <class F> void each_inside(const Stmt& stmt, F&& visit) {
    scoped([&] {
      enter(*stmt);
      for_each_stmt(*stmt, [&](const Stmt& s) { visit(s), bind(*stmt, s); });
    });
  }
  /// Rebuilds `stmt` with its children and expressions mapped.
  template <class E, class F> Stmt map_inside(const Stmt& stmt, E&& on_expr, F&& visit) {
    return scoped([&] {
      enter(*stmt);
      return map_children(stmt, on_expr, [&](const Stmt& s) {
        Stmt out = visit(s);
        bind(*stmt, s);
        return out;
      });
    });
  }
  template <class F> Stmt map_inside(const Stmt& stmt, F&& visit) {
    return map_inside(
        stmt, [](const Expr& e) { return e; }, visit);
  }

 private:
  int lanes_;  // of a warp
};

}  // namespace tilelab
