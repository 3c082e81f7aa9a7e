// SPDX-License-Identifier: Apache-2.0
// Atomic accesses to single elements: out of bounds they do nothing, as a store does, and return
// zero.
//     old = atomic_add(B[i], v)
//     ->  old = var(f32, 0.0); if guard(i < N): old = atomic_add(B[i], v)
#include <vector>

#include "core/ir/intrinsics/intrinsics.h"
#include "core/passes/lower_tile_ops/lowering.h"

namespace tilelab {
namespace {

/// The bounds condition of the call; null if it is always in bounds, or is not such a call.
Expr bounds_of(const Expr& value, const LoweringScope& here, const Lowering& lowering) {
  const Call* call = as<Call>(value);
  if (!call || info(call->intrinsic).step != Step::atomic || call->args.empty()) return nullptr;
  const Region* place = as<Region>(call->args[0]);
  if (!place) return nullptr;
  const Storage memory = lowering.storage(place->buffer);
  if (memory.scope() != Scope::global) return nullptr;
  std::vector<Expr> index;
  for (const RegionDim& dim : place->dims)
    index.push_back(here.simplified(lowering.expr(dim.lo, here)));
  return here.in_bounds(memory.shape, index);
}

Stmt assigned(Symbol name, const Expr& value) { return make(Assign{{}, name, value}); }

}  // namespace

Stmt lower_atomic(const Do& call, const LoweringScope& here, Lowering& lowering) {
  const Expr bounds = bounds_of(call.call, here, lowering);
  const Stmt out = lowering.children(Stmt(&call), lowering.where(here, bounds));
  return bounds ? if_then(guard(bounds), out) : out;
}

Stmt lower(const Let& let, const LoweringScope& here, Lowering& lowering) {
  const Expr bounds = bounds_of(let.value, here, lowering);
  const Expr value = lowering.expr(let.value, lowering.where(here, bounds));
  if (!bounds) return tilelab::let(let.name, value);
  const DType dtype = let.value->type.dtype;
  return seq({make(Var{{}, let.name, dtype, number(0, dtype)}),
              if_then(guard(bounds), assigned(let.name, value))});
}

Stmt lower(const Assign& assign, const LoweringScope& here, Lowering& lowering) {
  const Expr bounds = bounds_of(assign.value, here, lowering);
  const Stmt out = lowering.children(Stmt(&assign), lowering.where(here, bounds));
  if (!bounds) return out;
  const Expr zero = number(0, assign.value->type.dtype);
  return if_then(guard(bounds), out, assigned(assign.name, zero));
}

}  // namespace tilelab
