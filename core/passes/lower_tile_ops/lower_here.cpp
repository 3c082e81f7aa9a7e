// SPDX-License-Identifier: Apache-2.0
// Conditions that hold at a point of the kernel and need no test there.
#include "core/ir/compare.h"
#include "core/layout/layout.h"
#include "core/passes/lower_tile_ops/lowering.h"

namespace tilelab {

Expr LoweringScope::register_of(const Layout& layout, const std::vector<Expr>& index) const {
  Expr reg = int_const(0);
  for (size_t dim = 0; dim < layout.dims.size(); ++dim) {
    int64_t weight = capacity(layout.dims[dim]);
    for (const Digit& digit : layout.dims[dim]) {
      weight /= digit.extent;
      if (digit.kind != 'r' || digit.extent == 1) continue;
      Expr value = floormod(floordiv(cast(DType::i32, index[dim]), int_const(weight)),
                            int_const(digit.extent));
      reg = add(reg, mul(value, int_const(digit.stride)));
    }
  }
  return simplified(reg);
}

Expr LoweringScope::in_bounds(const std::vector<Expr>& shape,
                              const std::vector<Expr>& index) const {
  if (!guards) return nullptr;
  Expr all;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto extent = int_value(shape[i]);
    if (extent && facts.range(index[i]).within(0, *extent - 1)) continue;
    const bool far = bits(shape[i]->type.dtype) > bits(index[i]->type.dtype);
    const Expr at = far ? cast(shape[i]->type.dtype, index[i]) : index[i];
    Expr zero = int_const(0, index[i]->type.dtype);
    for (Expr condition : {ge(index[i], zero), lt(at, cast(at->type.dtype, shape[i]))}) {
      condition = simplified(condition);
      if (!is_int(condition, 1)) all = land(all, condition);
    }
  }
  if (!all) return nullptr;
  std::vector<Expr> parts;
  conjuncts(all, parts);
  Expr rest;
  for (const Expr& part : parts) {
    bool holds = assumes(part);
    for (const Expr& k : known) holds = holds || equal(k, part);
    if (!holds) rest = land(rest, part);
  }
  return rest;
}

namespace {

/// The difference `a - b` that the comparison implies to be nonnegative.
std::optional<Linear> not_negative(const Bin& bin, const RangeAnalysis& facts) {
  if (!is_compare(bin.op) || !is_integer(bin.a->type.dtype)) return std::nullopt;
  const bool less = bin.op == BinOp::lt || bin.op == BinOp::le;
  if (!less && bin.op != BinOp::gt && bin.op != BinOp::ge) return std::nullopt;
  Linear out = linear_of(less ? bin.b : bin.a), other = linear_of(less ? bin.a : bin.b);
  const DType dtype = bin.a->type.dtype;
  if (!facts.exact(out, dtype) || !facts.exact(other, dtype)) return std::nullopt;
  out.add(other, -1);
  if (bin.op == BinOp::lt || bin.op == BinOp::gt) out.constant -= 1;
  return out;
}

}  // namespace

bool LoweringScope::assumes(const Expr& condition) const {
  const Bin* wanted = as<Bin>(condition);
  std::optional<Linear> need = wanted ? not_negative(*wanted, facts) : std::nullopt;
  for (const Expr& fact : assumed) {
    if (equal(fact, condition)) return true;
    const Bin* bin = as<Bin>(fact);
    std::optional<Linear> given = need && bin ? not_negative(*bin, facts) : std::nullopt;
    if (!given) continue;
    Linear rest = *need;  // need = given + rest
    rest.add(*given, -1);
    if (facts.range(rest).lo >= 0) return true;
  }
  return false;
}

void LoweringScope::assume(const Expr& condition) {
  std::vector<Expr> parts;
  conjuncts(condition, parts);
  for (const Expr& part : parts)
    if (!contains<Load, Region>(*part)) assumed.push_back(part);
}

void LoweringScope::forget(const Stmt& stmt) {
  if (assumed.empty()) return;
  for_each(*stmt, [&](const Assign& assign) {
    std::erase_if(assumed, [&](const Expr& fact) { return mentions(fact, assign.name); });
  });
}

}  // namespace tilelab
