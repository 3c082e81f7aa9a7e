// SPDX-License-Identifier: Apache-2.0
// simplify: the last pass. It simplifies index arithmetic with the facts that hold at it (dims,
// block and thread indices, loops), turns floor division into truncating division if both sides are
// known to be nonnegative, and removes predicates that always hold. guard(p) remains, since it
// marks a user's access. It unrolls loops of one iteration, removes barriers in a block of one
// thread, and merges guards common to both branches of a condition. It converts small integers to
// floats in the target's fastest way, and divides before a loop by what does not change in it.
#include <unordered_set>

#include "core/analysis/bindings.h"
#include "core/analysis/dead_code.h"
#include "core/analysis/scoped_visitor.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"
#include "core/passes/pass.h"
#include "core/passes/simplify/simplify.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

class Simplifier : ScopedVisitor {
 public:
  Simplifier(const Target& target, const Func& func)
      : ScopedVisitor(func), target_(target), func_(func) {}
  int dropped = 0;

  Stmt visit(const Stmt& stmt) {
    if (const Kernel* kernel = as<Kernel>(stmt)) {
      // of one thread, with no asynchronous engine
      alone_ = kernel->block == 1 && !any_of(*kernel->body, [](const Call& call) {
                 return info(call.intrinsic).async != Async::none;
               });
      return map_inside(stmt, [&](const Stmt& s) { return visit(s); });
    }
    if (as<Check>(stmt)) return stmt;  // its own condition is one of the facts
    if (const For* loop = as<For>(stmt)) return visit_loop(*loop);
    if (const If* branch = as<If>(stmt)) return visit_branches(*branch);
    const Do* effect = as<Do>(stmt);
    if (alone_ && effect && to<Call>(effect->call).intrinsic == Intrinsic::block_sync)
      return seq({});
    return map_inside(
        stmt, [&](const Expr& e) { return shorter(e); }, [&](const Stmt& s) { return visit(s); });
  }

 private:
  /// Counts the bindings of each name, loop variables included. Lazy, for moved code.
  void count_bindings() {
    if (!taken_.empty()) return;
    taken_ = names_in(func_);
    for_each(
        func_, [&](const Let& let) { ++declared_[let.name]; },
        [&](const Var& var) { ++declared_[var.name]; },
        [&](const For& loop) { ++declared_[loop.var]; },
        [&](const Buffer& buffer) { ++declared_[buffer.name]; },
        [&](const View& view) { ++declared_[view.name]; },
        [&](const RingOp& op) {
          if (op.slot) ++declared_[op.slot];
        });
  }

  /// `//` and `%` as the hardware's truncating forms.
  Expr truncating(const Expr& e) const {
    return rewrite(e, [&](const Expr& x) -> Expr {
      const Bin* bin = as<Bin>(x);
      if (!bin || (bin->op != BinOp::floordiv && bin->op != BinOp::floormod)) return x;
      if (facts_.range(bin->a).lo < 0 || facts_.range(bin->b).lo < 0) return x;
      return at(x->span,
                binary(bin->op == BinOp::floordiv ? BinOp::tdiv : BinOp::tmod, bin->a, bin->b));
    });
  }

  Expr shorter(const Expr& e) const {
    Expr simple = simplify_index(e, facts_);
    if (target_.slow_conversions) simple = small_integers_by_bits(simple, facts_);
    return truncating(unrolled_.empty() ? simple : separate_unrolled_terms(simple));
  }

  /// Separates the terms of unrolled loop variables in comparisons of indices: they move to the
  /// right side, where they become constants, so that the left side is common to all iterations.
  ///   m + t + i * 8 >= j + c * 2  ->  m + t - j >= c * 2 - i * 8
  Expr separate_unrolled_terms(const Expr& e) const {
    return rewrite(e, [&](const Expr& x) -> Expr {
      const Bin* bin = as<Bin>(x);
      if (!bin || !is_compare(bin->op) || !x->type.scalar()) return x;
      const DType dtype = bin->a->type.dtype;
      if (is_float(dtype)) return x;
      const Linear a = linear_of(bin->a), b = linear_of(bin->b);
      if (!changes_among(a) || !changes_among(b)) return x;
      Linear left, right, all = a;
      all.add(b, -1);
      if (!facts_.exact(all, dtype)) return x;
      for (const Linear::Term& term : all.terms) {
        const Name* name = as<Name>(term.atom);
        const bool number = name && unrolled_.count(name->id);
        (number ? right : left)
            .terms.push_back({term.atom, number ? -term.coefficient : term.coefficient});
      }
      right.constant = -all.constant;
      return at(x->span, binary(bin->op, expr_of(left, dtype), expr_of(right, dtype)));
    });
  }

  /// Whether some of the terms are of unrolled loops, and others are not.
  bool changes_among(const Linear& sum) const {
    bool some = false, others = false;
    for (const Linear::Term& term : sum.terms) {
      const Name* name = as<Name>(term.atom);
      (name && unrolled_.count(name->id) ? some : others) = true;
    }
    return some && others;
  }

  Expr condition(const Expr& e) const {
    if (!alone_) return shorter(e);
    return shorter(rewrite(e, [](const Expr& x) -> Expr {
      const Call* c = as<Call>(x);
      return c && c->intrinsic == Intrinsic::leader ? bool_const(true) : x;
    }));
  }

  Stmt visit_loop(const For& loop) {
    For out(loop);
    for (Expr* bound : {&out.lo, &out.hi, &out.step})
      if (*bound) *bound = shorter(*bound);
    if (out.steps.empty() && runs_once(out) && !contains<Break>(*loop.body))
      return visit(spliced(substitute(on_line(loop.span, loop.body), {{loop.var, out.lo}})));
    const bool fresh = loop.mode == LoopMode::unroll && unrolled_.insert(loop.var).second;
    scoped([&] { enter(loop), out.body = visit(loop.body); });
    if (fresh) unrolled_.erase(loop.var);
    return loop.mode == LoopMode::unroll ? tested_once(std::move(out)) : Stmt(make(std::move(out)));
  }

  /// for i in unroll: if c: s   ->   if c: for i in unroll: s, where c does not depend on i. The
  /// copies of an unrolled body would test it each.
  static Stmt tested_once(For loop) {
    const If* branch = only_if(loop.body);
    if (!branch || mentions(branch->cond, loop.var) || may_change(branch->cond, *branch->then_))
      return make(std::move(loop));
    const If around(*branch);
    loop.body = branch->then_;
    return at(around.span, if_then(around.cond, tested_once(std::move(loop))));
  }

  /// Whether the body may give the condition another value, or evaluating it has an effect.
  static bool may_change(const Expr& condition, const Node& body) {
    if (contains<Load, Region>(*condition)) return true;
    const auto impure = [](const Call& call) { return !info(call.intrinsic).pure(); };
    return any_of(*condition, impure) ||
           any_of(body, [&](const Assign& assign) { return mentions(condition, assign.name); });
  }

  static bool runs_once(const For& loop) {
    auto lo = int_value(loop.lo), hi = int_value(loop.hi), step = int_value(loop.step);
    if (!lo || !hi || !step) return false;
    return *step > 0 ? *lo < *hi && *lo + *step >= *hi : *lo > *hi && *lo + *step <= *hi;
  }

  /// The body of a loop or branch that is spliced into the enclosing block: names that clash with
  /// other regions are renamed.
  Stmt spliced(const Stmt& body) {
    count_bindings();
    const auto fresh = [&](Symbol name) { return fresh_name(name, taken_); };
    std::set<Symbol> values;
    std::unordered_map<Symbol, Symbol> buffers;
    for (const Stmt& stmt : statements_of(body)) {
      const Let* let = as<Let>(stmt);
      const Var* var = as<Var>(stmt);
      const Symbol value = let ? let->name : var ? var->name : Symbol();
      if (declared_[value] > 1) values.insert(value);
      const Buffer* buffer = as<Buffer>(stmt);
      const View* view = as<View>(stmt);
      const Symbol name = buffer ? buffer->name : view ? view->name : Symbol();
      if (declared_[name] > 1) buffers[name] = fresh(name);
    }
    const Stmt out = values.empty() ? body : rename_bindings(body, values, fresh);
    return buffers.empty() ? out : rename(out, buffers);
  }

  Stmt visit_branches(const If& branch) {
    Expr cond = condition(branch.cond);
    if (auto known = int_value(cond)) {
      ++dropped;
      if (*known) return visit(spliced(on_line(branch.span, branch.then_)));
      return branch.else_ ? visit(spliced(on_line(branch.span, branch.else_))) : seq({});
    }
    If out(branch);
    out.cond = cond;
    out.then_ = visit(branch.then_);
    if (branch.else_) out.else_ = visit(branch.else_);
    if (out.else_ && is_empty(out.else_)) out.else_ = nullptr;  // as its text reads
    if (!out.else_ && is_empty(out.then_) && !contains<Load, Call>(*cond)) return seq({});
    if (!out.else_) return make(std::move(out));
    const If *a = only_if(out.then_), *b = only_if(out.else_);
    if (!a || !b || !equal(a->cond, b->cond) || contains<Load, Region, Call>(*cond))
      return make(std::move(out));
    // Hoist a guard common to both branches.
    const Expr both = a->cond;
    const Stmt then_ = a->then_, else_ = b->then_;
    out.then_ = then_, out.else_ = else_;
    return at(branch.span, if_then(both, make(std::move(out))));
  }

  static bool is_empty(const Stmt& stmt) {
    const Seq* list = as<Seq>(stmt);
    return list && std::all_of(list->stmts.begin(), list->stmts.end(), is_empty);
  }

  /// The statement, if it is a single `if` without an else.
  static const If* only_if(const Stmt& stmt) {
    const If* branch = as<If>(only_statement(stmt));
    return branch && !branch->else_ ? branch : nullptr;
  }

  const Target& target_;
  const Func& func_;
  bool alone_ = false;
  std::unordered_set<Symbol> unrolled_;  // variables of enclosing unrolled loops
  std::unordered_map<Symbol, int> declared_, taken_;
};

}  // namespace

FuncRef simplify(const FuncRef& func, PassContext& context) {
  Simplifier simplifier(context.target, *func);
  Stmt body = simplifier.visit(func->body);
  if (simplifier.dropped) context.decide(plural(simplifier.dropped, "predicate") + " proven");
  // Simplification may leave values unused.
  const FuncRef simple = with_body(func, eliminate_dead_code(body));
  int moved = 0;
  const FuncRef hoisted = hoist_divisions(simple, moved);
  if (moved) context.decide(plural(moved, "division") + " computed before a loop");
  int stepped = 0;
  const FuncRef out = step_addresses(hoisted, stepped);
  if (stepped) context.decide(plural(stepped, "address") + " of copies stepped in registers");
  return out;
}

}  // namespace tilelab
