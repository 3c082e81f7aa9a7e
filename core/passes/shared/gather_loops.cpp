// SPDX-License-Identifier: Apache-2.0
#include "core/passes/shared/gather_loops.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/regions.h"
#include "core/passes/shared/lane_body.h"

namespace tilelab {
namespace {

constexpr int64_t kWidths[] = {16, 8, 4};  // bytes of an asynchronous copy

/// Whether the value is the zero that a copy fills in: not -0.0.
bool is_filled(const Expr& value) {
  const auto number = number_value(value);
  return number == 0.0 && !std::signbit(*number);
}

}  // namespace

bool rows_begin_aligned(const Buffer& tensor, int64_t vec, const RangeAnalysis& facts) {
  const size_t rank = tensor.shape.size();
  if (tensor.strides.empty())
    return rank < 2 || facts.range(tensor.shape.back()).multiple % vec == 0;
  if (!is_int(tensor.strides.back(), 1)) return false;
  return std::all_of(tensor.strides.begin(), tensor.strides.end() - 1,
                     [&](const Expr& e) { return facts.range(e).multiple % vec == 0; });
}

Gathered gathered(const Expr& value) {
  if (const Load* load = as<Load>(value)) return {load, nullptr};
  const Select* choice = as<Select>(value);
  if (!choice) return {};
  const bool zero_else = is_filled(choice->b);
  if (!zero_else && !is_filled(choice->a)) return {};
  Gathered out = gathered(zero_else ? choice->a : choice->b);
  const Expr here = zero_else ? choice->cond : unary(UnOp::lnot, choice->cond);
  out.inside = out.inside ? land(here, out.inside) : here;
  return out;
}

Stmt without_lets(const Stmt& stmt) {
  const Seq* list = as<Seq>(stmt);
  if (!list) return stmt;
  Substitution named;
  for (size_t i = 0; i + 1 < list->stmts.size(); ++i) {
    const Let* let = as<Let>(list->stmts[i]);
    if (!let) return nullptr;
    named[let->name] = substitute(let->value, named);
  }
  if (list->stmts.empty()) return nullptr;
  const Stmt& last = list->stmts.back();
  return at(last->span, substitute(last, named));
}

Stmt gathering_store(const Parallel& loop) {
  const Stmt out = without_lets(loop.body);
  const Store* store = out ? as<Store>(out) : nullptr;
  if (!store || store->dims.empty() || loop.vars.empty()) return nullptr;
  const Load* element = gathered(store->value).element;
  if (!element || element->type.dtype != store->value->type.dtype) return nullptr;
  const bool elements = std::all_of(store->dims.begin(), store->dims.end(),
                                    [](const RegionDim& d) { return d.point; });
  return elements ? out : nullptr;
}

std::optional<GatheredVector> gathered_vector(const Stmt& store, Symbol lane, int64_t vec,
                                              const Buffer& tensor, const RangeAnalysis& facts) {
  For lanes;
  lanes.var = lane, lanes.vec = vec;
  lanes.lo = int_const(0), lanes.hi = int_const(vec), lanes.step = int_const(1);
  lanes.body = store;
  GatheredVector out;
  std::unordered_map<Symbol, int> taken;  // unused: a single store needs no new names
  const auto body = lane_body(lanes, facts, taken);
  if (!body) return std::nullopt;
  out.first = body->body;
  out.into = as<Store>(out.first);
  if (!out.into) return std::nullopt;
  const Gathered value = gathered(out.into->value);
  if (!value.element || (value.inside && mentions(value.inside, lane))) return std::nullopt;
  out.element = value.element, out.inside = value.inside;
  out.place = lows(out.into->dims), out.from = value.element->index;
  if (!is_contiguous_along(out.place, lane) || !is_contiguous_along(out.from, lane))
    return std::nullopt;
  for (std::vector<Expr>* index : {&out.place, &out.from}) {
    for (Expr& e : *index) e = simplify_index(substitute(e, {{lane, int_const(0)}}), facts);
    if (facts.range(index->back()).multiple % vec != 0) return std::nullopt;
  }
  if (!rows_begin_aligned(tensor, vec, facts)) return std::nullopt;
  return out;
}

int64_t gather_width(const Parallel& loop, const Buffer& tensor, RangeAnalysis facts) {
  const Stmt store = gathering_store(loop);
  const auto extent = int_value(loop.extents.back());
  if (!store || !extent) return 0;
  const Symbol var = loop.vars.back(), run = var.str() + " run", lane = var.str() + " lane";
  facts.enter(loop);
  for (int64_t bytes : kWidths) {
    const int64_t vec = bytes / tilelab::bytes(tensor.dtype);
    if (vec < 1 || *extent % vec != 0) continue;
    RangeAnalysis here = facts;
    here.set(run, {0, *extent / vec - 1});
    const Type type = loop.extents.back()->type;
    const Expr element =
        add(mul(name_ref(run, type), int_const(vec, type.dtype)), name_ref(lane, type));
    if (gathered_vector(substitute(store, {{var, element}}), lane, vec, tensor, here)) return vec;
  }
  return 0;
}

}  // namespace tilelab
