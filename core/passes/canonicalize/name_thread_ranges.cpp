// SPDX-License-Identifier: Apache-2.0
//   w = tid // 32
//   if w == 1 and k > 0: copy(...)    ->    if k > 0: if tid >= 32 and tid < 64: copy(...)
#include "core/passes/canonicalize/canonicalize.h"

#include "core/analysis/divergence.h"
#include "core/ir/build.h"
#include "core/ir/thread_range.h"

namespace tilelab {
namespace {

class RangeNamer {
 public:
  RangeNamer(const Kernel& kernel, int64_t lanes) : varying_(kernel), lanes_(lanes) {}

  Stmt visit(const Stmt& stmt, const ThreadRange& all) {
    if (!stmt) return stmt;
    if (const Let* let = as<Let>(stmt)) {
      if (lets_.emplace(let->name, let->value).second) bound_.push_back(let->name);
      return stmt;
    }
    if (const If* branch = as<If>(stmt); branch && varying_(*stmt) && has_tile_operation(stmt))
      if (Stmt named = name(*branch, all)) return at(stmt->span, named);
    const size_t outer = bound_.size();
    Stmt out = map_stmts(stmt, [&](const Stmt& s) { return visit(s, all); });
    forget(outer);
    return out;
  }

 private:
  /// Removes the lets after the first `count`.
  void forget(size_t count) {
    for (; bound_.size() > count; bound_.pop_back()) lets_.erase(bound_.back());
  }

  /// Splits a condition into the conjuncts that depend on the thread, and those that do not.
  void split(const Expr& condition, Expr& of_threads, Expr& of_all) const {
    const Bin* bin = as<Bin>(condition);
    if (bin && bin->op == BinOp::land) {
      split(bin->a, of_threads, of_all);
      split(bin->b, of_threads, of_all);
      return;
    }
    Expr& part = varying_(condition) ? of_threads : of_all;
    part = land(part, condition);
  }

  /// Null if the branch is not taken by a range of threads.
  Stmt name(const If& branch, const ThreadRange& all) {
    Expr of_threads, of_all;
    split(branch.cond, of_threads, of_all);
    if (of_all && branch.else_) return nullptr;
    auto range = threads_where(of_threads, all, lets_, lanes_);
    if (!range) return nullptr;
    Stmt then_ = visit(branch.then_, *range), else_;
    if (branch.else_ && *range != all) {
      auto rest = threads_where(unary(UnOp::lnot, of_threads), all, lets_, lanes_);
      else_ = visit(branch.else_, rest.value_or(all));
    }
    Stmt out = *range == all ? then_ : if_then(thread_condition(*range, all), then_, else_);
    return of_all ? if_then(of_all, out) : out;
  }

  DivergenceAnalysis varying_;
  int64_t lanes_;
  Substitution lets_;
  std::vector<Symbol> bound_;  // the names of `lets_`, in order
};

}  // namespace

Stmt name_thread_ranges(const Kernel& kernel, int64_t lanes) {
  return RangeNamer(kernel, lanes).visit(kernel.body, {0, kernel.block});
}

}  // namespace tilelab
