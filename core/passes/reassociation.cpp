// SPDX-License-Identifier: Apache-2.0
// What a pass that reassociates has really done to a function.
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/pass.h"

namespace tilelab {
namespace {

bool is_fma(const Node& node) {
  const Call* call = as<Call>(&node);
  return call && call->intrinsic == Intrinsic::fma;
}

int fmas(const Func& func) {
  int count = 0;
  walk(*func.body, [&](const Node& node) {
    count += is_fma(node);
    return true;
  });
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
  if (kinds == "contraction") return fmas(after) != fmas(before);
  if (kinds != "reduce") return false;
  bool found = false;
  walk(*before.body, [&](const Node& node) {
    found = found || sums_floats(node);
    return !found;
  });
  return found;
}

FuncRef without_contraction(const FuncRef& func) {
  return with_body(func, rewrite_exprs(func->body, [](const Expr& e) -> Expr {
                     if (!is_fma(*e)) return e;
                     const Call& fma = to<Call>(e);
                     Expr product = at(e->span, binary(BinOp::mul, fma.args[0], fma.args[1]));
                     return at(e->span, binary(BinOp::add, std::move(product), fma.args[2]));
                   }));
}

}  // namespace tilelab
