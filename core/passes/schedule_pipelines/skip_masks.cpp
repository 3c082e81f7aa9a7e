// SPDX-License-Identifier: Apache-2.0
// Skips masks that change nothing for most tiles: a T.Parallel that keeps or replaces each element
// by a comparison of indices runs only where the comparison fails for some element.
//   for i, c in parallel(128, 128): s[i, c] = s[i, c] if m + i >= n + c else -1e30
//   ->  if m < n + 127: for i, c in parallel(128, 128): ...
#include "core/analysis/divergence.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"

namespace tilelab {
namespace {

struct Mask {
  const Parallel* loop = nullptr;
  Expr keeps;  // if true, the element is unchanged
};

/// The last of the statements, with the values that the others bind, if they do nothing else.
Stmt with_values(const Stmt& body) {
  const std::vector<Stmt> stmts = statements_of(body);
  Substitution values;
  for (const Stmt& stmt : stmts) {
    const Let* let = as<Let>(stmt);
    if (!let) return &stmt == &stmts.back() ? substitute(stmt, values) : nullptr;
    values[let->name] = substitute(let->value, values);
    if (!is_smaller(*values[let->name], kMaxLetSize)) return nullptr;
  }
  return nullptr;
}

Mask mask_of(const Stmt& stmt) {
  const Parallel* loop = as<Parallel>(stmt);
  const Stmt body = loop ? with_values(loop->body) : nullptr;
  const Store* store = as<Store>(body);
  const Select* choice = store ? as<Select>(store->value) : nullptr;
  const Load* same = choice ? as<Load>(choice->a) : nullptr;
  if (!same || same->buffer != store->buffer || same->index.size() != store->dims.size()) return {};
  for (size_t d = 0; d < store->dims.size(); ++d)
    if (!store->dims[d].point || constant_difference(store->dims[d].lo, same->index[d]) != 0)
      return {};
  return {loop, choice->cond};
}

bool is_order(BinOp op) {
  return op == BinOp::lt || op == BinOp::le || op == BinOp::gt || op == BinOp::ge;
}

BinOp negation(BinOp op) {
  switch (op) {
    case BinOp::lt: return BinOp::ge;
    case BinOp::le: return BinOp::gt;
    case BinOp::gt: return BinOp::le;
    default: return BinOp::lt;
  }
}

/// A condition that holds iff the comparison fails for some element, evaluated for the extreme
/// element. Null if there is no single extreme, or if other values than indices are compared.
Expr fails_somewhere(const Expr& condition, const Parallel& loop) {
  const Bin* bin = as<Bin>(condition);
  if (!bin || !condition->type.scalar()) return nullptr;
  if (bin->op == BinOp::land) {
    Expr a = fails_somewhere(bin->a, loop), b = fails_somewhere(bin->b, loop);
    return a && b ? binary(BinOp::lor, std::move(a), std::move(b)) : nullptr;
  }
  if (!is_order(bin->op) || is_float(bin->a->type.dtype)) return nullptr;
  Linear distance = linear_of(bin->a);
  distance.add(linear_of(bin->b), -1);
  const bool least = bin->op == BinOp::gt || bin->op == BinOp::ge;
  Substitution nearest;
  for (size_t d = 0; d < loop.vars.size(); ++d) {
    const auto extent = int_value(loop.extents[d]);
    if (!extent || distance.nested(loop.vars[d])) return nullptr;
    const bool low = (distance.coefficient(loop.vars[d]) > 0) == least;
    nearest[loop.vars[d]] = int_const(low ? 0 : *extent - 1, loop.extents[d]->type.dtype);
  }
  return binary(negation(bin->op), substitute(bin->a, nearest), substitute(bin->b, nearest));
}

}  // namespace

Stmt with_masks_where_needed(const Stmt& body, const Kernel& kernel,
                             std::vector<std::string>& reasons) {
  const DivergenceAnalysis varying(kernel);
  return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
    const Mask mask = mask_of(s);
    Expr needed = mask.loop ? fails_somewhere(mask.keeps, *mask.loop) : nullptr;
    if (!needed || varying(needed) || is_const(needed)) return s;
    if (contains<Load, Region>(*needed)) return s;
    reasons.push_back(line_of(*s) +
                      "T.Parallel: a mask, skipped for tiles that it does not change");
    return at(s->span, if_then(needed, s));
  });
}

}  // namespace tilelab
