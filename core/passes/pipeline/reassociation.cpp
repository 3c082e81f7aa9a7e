// SPDX-License-Identifier: Apache-2.0
// Whether a reassociating pass actually changed the arithmetic of a function.
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/pass.h"

namespace tilelab {
namespace {

bool is_fma(const Node& node) {
  const Call* call = as<Call>(&node);
  return call && call->intrinsic == Intrinsic::fma;
}

/// x * fast_rcp(y), for x / y.
bool is_fast_quotient(const Node& node) {
  const Bin* bin = as<Bin>(&node);
  const Call* inverse = bin && bin->op == BinOp::mul ? as<Call>(bin->b) : nullptr;
  return inverse && inverse->intrinsic == Intrinsic::fast_rcp;
}

int contractions(const Func& func) {
  int count = 0;
  for_each(*func.body,
           [&](const ExprNode& node) { count += is_fma(node) || is_fast_quotient(node); });
  return count;
}

/// Sums of floats depend on their order; maxima, bits and wrapping integers do not.
bool sums_floats(const Node& node) {
  if (const Reduce* r = as<Reduce>(&node))
    return (r->op == ReduceOp::sum || r->op == ReduceOp::abssum) && is_float(r->dst->type.dtype);
  if (const Scan* s = as<Scan>(&node)) return s->op == ScanOp::sum && is_float(s->dst->type.dtype);
  return false;
}

}  // namespace

bool has_reassociated(const PassInfo& pass, const Func& before, const Func& after) {
  const std::string kinds = pass.reassociates;
  if (kinds == "contraction") return contractions(after) != contractions(before);
  if (kinds != "reduce" && kinds != "scan") return false;
  const Kind kind = kinds == "scan" ? Kind::Scan : Kind::Reduce;
  return any_of(*before.body,
                [&](const StmtNode& node) { return node.kind == kind && sums_floats(node); });
}

FuncRef without_contraction(const FuncRef& func) {
  auto quotient = [](const Expr& e) -> Expr {
    if (!is_fast_quotient(*e)) return e;
    const Bin& product = to<Bin>(e);
    return at(e->span, binary(BinOp::div, product.a, to<Call>(product.b).args[0]));
  };
  return with_body(func, rewrite_exprs(func->body, [&](const Expr& e) -> Expr {
                     if (!is_fma(*e)) return quotient(e);
                     const Call& fma = to<Call>(e);
                     Expr product =
                         quotient(at(e->span, binary(BinOp::mul, fma.args[0], fma.args[1])));
                     return at(e->span, binary(BinOp::add, std::move(product), fma.args[2]));
                   }));
}

}  // namespace tilelab
