// SPDX-License-Identifier: Apache-2.0
// Base of walks that ask what holds at a statement: the ranges of names, and which threads come.
// What a statement opens (its loop variables, its role, the lets before each statement of a list)
// ends with it: RangeAnalysis shares what it has in common with what it was, so nothing is copied
// on the way.
#pragma once

#include "core/analysis/ranges.h"
#include "core/ir/thread_range.h"

namespace tilelab {

class ScopedVisitor {
 protected:
  explicit ScopedVisitor(const Func& func);
  explicit ScopedVisitor(int lanes) : lanes_(lanes) {}

  RangeAnalysis facts_;  // of the statement that the walk has reached
  ThreadRange threads_;  // of the block or role around it

  /// `f` with facts of its own: what it adds to them ends with it.
  template <class F> decltype(auto) scoped(F&& f) {
    struct Restore {
      ScopedVisitor& visitor;
      RangeAnalysis facts;
      ThreadRange threads;
      ~Restore() { visitor.facts_ = std::move(facts), visitor.threads_ = threads; }
    } restore{*this, facts_, threads_};
    return f();
  }
  /// Adds what a kernel, role or loop says of its names, until the scope around ends.
  void enter(const Node& stmt);
  /// The same of a let in the list `around`, for what follows it there.
  void bind(const Node& around, const Stmt& stmt);

  /// `visit` for each statement directly inside, in the scope of `stmt`.
  template <class F> void each_inside(const Stmt& stmt, F&& visit) {
    scoped([&] {
      enter(*stmt);
      for_each_stmt(*stmt, [&](const Stmt& s) { visit(s), bind(*stmt, s); });
    });
  }
  /// `stmt` with each of them, and each of its expressions, replaced.
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
