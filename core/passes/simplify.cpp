// SPDX-License-Identifier: Apache-2.0
// simplify: the last pass. Index arithmetic gets shorter with the facts of its place (dims, block
// and thread indices, loops), floor division becomes plain division where both sides are known not
// to be negative, predicates that always hold go. guard(p) stays: it marks a user's access.
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/facts.h"
#include "core/passes/passes.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

struct Simplifier {
  const Target& target;
  int dropped = 0;

  /// `//` and `%` as the hardware's truncating forms.
  static Expr truncating(const Expr& e, const Facts& facts) {
    return rewrite(e, [&](const Expr& x) -> Expr {
      const Bin* bin = as<Bin>(x);
      if (!bin || (bin->op != BinOp::floordiv && bin->op != BinOp::floormod)) return x;
      if (facts.range(bin->a).lo < 0 || facts.range(bin->b).lo <= 0) return x;
      return at(x->span,
                binary(bin->op == BinOp::floordiv ? BinOp::tdiv : BinOp::tmod, bin->a, bin->b));
    });
  }

  static Expr shorter(const Expr& e, const Facts& facts) {
    return truncating(simplify_index(e, facts), facts);
  }

  Stmt visit(const Stmt& stmt, Facts facts) {
    if (const Kernel* k = as<Kernel>(stmt)) facts.enter(*k, target.lanes);
    if (stmt->kind == Kind::Seq)
      return visit_in_turn(stmt, facts,
                           [&](const Stmt& s, const Facts& known) { return visit(s, known); });
    if (const For* loop = as<For>(stmt)) {
      For out(*loop);
      for (Expr* bound : {&out.lo, &out.hi, &out.step})
        if (*bound) *bound = shorter(*bound, facts);
      facts.enter(*loop);
      out.body = visit(loop->body, facts);
      return make(std::move(out));
    }
    if (const If* branch = as<If>(stmt)) {
      Expr cond = shorter(branch->cond, facts);
      if (auto known = int_value(cond)) {
        ++dropped;
        if (*known) return visit(branch->then_, facts);
        return branch->else_ ? visit(branch->else_, facts) : seq({});
      }
      If out(*branch);
      out.cond = cond;
      out.then_ = visit(branch->then_, facts);
      if (branch->else_) out.else_ = visit(branch->else_, facts);
      return make(std::move(out));
    }
    return map_children(
        stmt, [&](const Expr& e) { return shorter(e, facts); },
        [&](const Stmt& s) { return visit(s, facts); });
  }
};

}  // namespace

FuncRef simplify(const FuncRef& func, PassContext& context) {
  Simplifier simplifier{context.target};
  Stmt body = simplifier.visit(func->body, Facts::of(*func));
  if (simplifier.dropped) context.decide(plural(simplifier.dropped, "predicate") + " proven");
  return with_body(func, body);
}

}  // namespace tilelab
