// SPDX-License-Identifier: Apache-2.0
// Expressions: an access that may be out of bounds, or a division by zero, must fail in all blocks
// or in none.
#include <algorithm>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/intrinsics/call_type.h"
#include "core/prove/walk.h"

namespace tilelab::proving {
namespace {}  // namespace

/// Whether its evaluation can fail: a load, an integer division, a call. Expressions that `known`
/// has evaluated already cannot.
bool Walk::can_fail(const Expr& e, const Expr& known) const {
  auto was_read = [&](const Load& load) {
    return any_of(*known, [&](const Load& other) { return equal(load, other); });
  };
  return any_of(
      *e, [](const Region&) { return true; },
      [&](const Load& load) { return !is_safe(load) && !was_read(load); },
      [](const Bin& bin) { return is_division(bin.op) && is_integer(bin.type.dtype); },
      [](const Call& call) {
        return !info(call.intrinsic).pure() || call.intrinsic == Intrinsic::uniform;
      });
}

/// Whether the load is safe in all blocks: in bounds, and either the kernel does not write the
/// tensor or the whole buffer was written before (the sample checks the order, docs/adr/0019).
bool Walk::is_safe(const Load& load) const {
  auto global = kernel_.global.find(load.buffer);
  std::vector<int64_t> shape;
  if (global != kernel_.global.end()) {
    if (kernel_.written.count(load.buffer)) return false;
    shape = kernel_.launch.memories[global->second].shape;
  } else if (auto filled = filled_.find(load.buffer); filled != filled_.end()) {
    shape = filled->second;
  }
  for (size_t d = 0; d < load.index.size(); ++d) {
    const Range range = facts_.range(linear(simplify_index(load.index[d], facts_)));
    if (d >= shape.size() || range.lo < 0 || range.hi >= shape[d]) return false;
  }
  return true;
}

Linear Walk::linear(const Expr& e) const {
  return linear_of(e, [&](Symbol name) -> Expr {
    auto it = lets_.find(name);
    return it == lets_.end() ? nullptr : it->second;
  });
}

Dependence Walk::depends(const Linear& sum) const {
  Dependence out = 0;
  for (const Linear::Term& term : sum.terms) out |= depends_(term.atom);
  return out;
}

/// Whether the condition is decided, or independent of the block and of data.
bool Walk::alike(const Expr& condition) const {
  if (depends_(condition) == 0) return true;
  const Expr e = simplify_index(condition, facts_);
  if (depends_(e) == 0 || facts_.decide(e)) return true;
  if (const Un* un = as<Un>(e); un && un->op == UnOp::lnot) return alike(un->a);
  if (const Call* c = as<Call>(e); c && c->intrinsic == Intrinsic::guard) return alike(c->args[0]);
  const Bin* bin = as<Bin>(e);
  if (!bin) return false;
  if (is_logical(bin->op)) return alike(bin->a) && alike(bin->b);
  if (!is_compare(bin->op) || !is_integer(bin->a->type.dtype)) return false;
  Linear left = linear(bin->a), right = linear(bin->b);
  if (!facts_.exact(left, bin->a->type.dtype) || !facts_.exact(right, bin->a->type.dtype))
    return false;
  left.add(right, -1);
  return depends(left) == 0;
}

/// A value that has to be the same in all blocks.
void Walk::same(const Expr& e, const std::string& what) {
  if (!e || depends_(e) == 0) return;
  const Dependence left = depends(linear(simplify_index(e, facts_)));
  if (left) differ(what + " depends on " + text(left));
}

void Walk::expr(const Expr& e) {
  if (const Select* s = as<Select>(e)) return choice(s->cond, s->a, s->b);
  if (const Call* c = as<Call>(e)) return call(*c);
  if (const Bin* b = as<Bin>(e)) {
    if (b->op == BinOp::land) return choice(b->a, b->b, nullptr);
    if (b->op == BinOp::lor) return choice(b->a, nullptr, b->b);
    if (is_division(b->op) && is_integer(b->type.dtype)) division(*b);
  }
  for_each_expr(*e, [&](const Expr& child) { expr(child); });
  if (const Load* load = as<Load>(e)) {
    std::vector<RegionDim> dims;
    for (const Expr& i : load->index) dims.push_back(point(i));
    access(load->buffer, dims, false, false);
  }
  if (const Region* region = as<Region>(e)) access(region->buffer, region->dims, false, false);
}

/// Only one side is evaluated.
void Walk::choice(const Expr& condition, const Expr& then, const Expr& otherwise) {
  expr(condition);
  const auto known = facts_.decide(simplify_index(condition, facts_));
  const bool differs = !known && !alike(condition);
  for (bool holds : {true, false}) {
    const Expr& side = holds ? then : otherwise;
    if (!side || (known && *known != holds)) continue;
    if (differs && can_fail(side, condition))
      differ("the value selected by a condition on " + text(depends_(condition)) + " may fail");
    scoped([&] { learn(condition, holds), expr(side); });
  }
}

void Walk::division(const Bin& n) {
  if (depends_(n.b) == 0) return;
  const Range divisor = facts_.range(n.b);
  if (divisor.lo <= 0 && divisor.hi >= 0)
    differ("a divisor that may be 0 depends on " + text(depends_(n.b)));
}

void Walk::call(const Call& n) {
  const IntrinsicInfo& row = info(n.intrinsic);
  if (row.pure() && row.scope == CollectiveScope::none) {
    for (const Expr& e : n.args) expr(e);
    return;
  }
  for (size_t i = 0; i < n.args.size(); ++i) {
    const OperandInfo* operand = operand_info(n, i);
    const Region* place = operand && operand->is_place() ? as<Region>(n.args[i]) : nullptr;
    if (place) {
      for (const RegionDim& dim : place->dims) expr(dim.lo);
      continue;
    }
    expr(n.args[i]);
    const bool value =
        (i == 0 && row.scope == CollectiveScope::warp && n.intrinsic != Intrinsic::uniform) ||
        row.step == Step::atomic;
    if (!value) same(n.args[i], std::string("an operand of ") + name(n.intrinsic));
  }
  for (const Effect& effect : effects(n))
    if (effect.region) access(effect.buffer, effect.box, effect.write, effect.atomic.has_value());
}

void Walk::access(Symbol buffer, const std::vector<RegionDim>& dims, bool write, bool atomic) {
  const Symbol base = kernel_.views.base_of(buffer);
  auto global = kernel_.global.find(base);
  if (global == kernel_.global.end()) {
    auto own = kernel_.own.find(base);
    if (own != kernel_.own.end() && own->second->address)
      return differ("the kernel computes the address of " + base.str());
    for (const RegionDim& dim : dims) same(dim.lo, "an index into " + buffer.str());
    return;
  }
  if (base != buffer) return differ("a view of " + base.str());
  const std::vector<int64_t>& shape = kernel_.launch.memories[global->second].shape;
  GlobalAccess out{buffer, write, atomic, {}, at_};
  for (size_t d = 0; d < dims.size() && d < shape.size(); ++d)
    out.dims.push_back(index(buffer, dims[d], shape[d]));
  accesses_.push_back(std::move(out));
}

/// An index that differs between blocks must be in bounds in all of them.
GlobalAccess::Dim Walk::index(Symbol tensor, const RegionDim& dim, int64_t extent) {
  GlobalAccess::Dim out;
  const Linear sum = linear(simplify_index(dim.lo, facts_));
  const Dependence on = depends(sum);
  const Range range = facts_.range(sum);
  if (on & kData) differ("an index into " + tensor.str() + " depends on data");
  const bool inside = range.lo >= 0 && range.hi + dim.extent <= extent;
  if (on && !(on & kData) && !inside)
    differ("an index into " + tensor.str() + " is not inside in all blocks along " + text(on));
  out.index = affine_index(sum, kernel_.launch.kernel.indices);
  out.known = out.index.affine() && depends(out.index.rest) == 0;
  const Range left = facts_.range(out.index.rest);
  out.lo = left.lo, out.hi = left.hi + dim.extent - 1;
  return out;
}

}  // namespace tilelab::proving
