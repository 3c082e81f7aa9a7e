// SPDX-License-Identifier: Apache-2.0
// Elementwise: T.Parallel, copies by plain loads and stores, fill, atomics on tiles, print.
#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/ir/regions.h"
#include "core/layout/layout.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

const Region& region_of(const Expr& e) { return to<Region>(e); }

/// Whether `body` writes registers of its thread that outlive it.
bool writes_registers(const Stmt& body, FunctionRef<Scope(Symbol)> scope_of) {
  std::unordered_set<Symbol> own;
  for_each(
      *body, [&](const Buffer& b) { own.insert(b.name); },
      [&](const Var& v) { own.insert(v.name); });
  return any_of(
      *body, [&](const Assign& a) { return !own.count(a.name); },
      [&](const Store& s) {
        if (own.count(s.buffer)) return false;
        const Scope scope = scope_of(s.buffer);
        return scope != Scope::global && scope != Scope::shared;
      });
}

/// This thread's part of an operation's box; all of it if one side is private memory.
Walk walk_of(const Layout& layout, const Region& box_of, LoweringScope& here, Lowering& lowering) {
  return layout.known() ? lowering.walk(layout, {}, here)
                        : lowering.all_of(long_extents(box_of), here);
}

}  // namespace

std::vector<Expr> element_of(const Region& region, const std::vector<Expr>& position,
                             const LoweringScope& here, const Lowering& lowering) {
  std::vector<Expr> index = element_in(region, position);
  for (Expr& i : index) i = here.simplified(lowering.expr(i, here));
  return index;
}

Stmt lower(const Parallel& loop, LoweringScope here, Lowering& lowering) {
  CHECK(loop.layout.known(), "a T.Parallel without a layout");
  Walk walk = lowering.walk(loop.layout, loop.vars, here);
  // Replicas that would only read are disabled: they could read what the first one has changed.
  auto scope_of = [&](Symbol name) { return lowering.storage(name).scope(); };
  if (walk.first_replica && !writes_registers(loop.body, scope_of))
    walk.inside = land(walk.inside, std::exchange(walk.first_replica, nullptr));
  Substitution values;
  for (size_t i = 0; i < loop.vars.size(); ++i)
    values.emplace(loop.vars[i], cast(loop.extents[i]->type.dtype, walk.index[i]));
  here = lowering.where(here, walk.inside);
  here.walk = &walk;
  if (loop.by == CopyBy::async) {
    if (Stmt copies = lower_gather(loop, values, walk, here, lowering)) return copies;
    lowering.reasons().push_back(
        line_of(loop) +
        "T.Parallel: loads and stores by the threads; not asynchronous: its vectors may be split");
  }
  const bool alone = !walk.inside && walk.loops.empty();
  Stmt body = lowering.stmt(substitute(loop.body, values), here);
  return wrap(walk, alone ? joined(body, lowering) : body, loop.vec);
}

/// Replaces an engine's copy: the next thread that arrives at its barrier arrives for all threads.
static Stmt arrive_for_all(const Stmt& copied, const LoweringScope& here,
                           const Lowering& lowering) {
  Stmt fence = lowering.target().proxy_fence ? do_call(Intrinsic::fence_proxy, {}) : nullptr;
  return seq({copied, fence, lowering.block_barrier(here)});
}

Stmt lower(const Copy& copy, LoweringScope here, Lowering& lowering) {
  if (copy.by == CopyBy::engine) return lower_by_engine(copy, std::move(here), lowering);
  here.guards = true;  // the edges of a copy are not errors
  if (copy.by == CopyBy::async) return lower_async(copy, std::move(here), lowering);
  if (Stmt stored = lower_by_stmatrix(copy, here, lowering)) return stored;
  const Region &src = region_of(copy.src), &dst = region_of(copy.dst);
  Storage into = lowering.storage(dst.buffer);
  if (!copy.layout.known() && !long_extents(dst).empty() &&
      (into.spread() || lowering.storage(src.buffer).spread()))
    return lowering.refuse(copy, "a copy of a fragment without a layout");
  Walk walk = walk_of(copy.layout, dst, here, lowering);
  here = lowering.where(here, walk.inside);
  std::vector<Expr> source = element_of(src, walk.index, here, lowering);
  std::vector<Expr> target = element_of(dst, walk.index, here, lowering);
  Expr stored = into.scope() == Scope::global ? here.in_bounds(into.shape, target) : nullptr;
  Expr value = lowering.read(src.buffer, source, true, lowering.where(here, stored));
  Stmt body = lowering.write(dst.buffer, target, cast(into.dtype, value), true, &walk, here);
  if (!copy.layout.known() && into.visible()) body = lowering.once(body, copy, here);
  body = wrap(walk, body, copy.vec);
  if (copy.barrier) return arrive_for_all(body, here, lowering);
  // The program counts groups: a synchronous copy still commits an (empty) group.
  const bool counts = has_explicit_wait(copy) && lowering.target().async_copy;
  return counts ? seq({body, do_call(Intrinsic::cp_commit, {})}) : body;
}

Stmt lower(const Fill& fill, LoweringScope here, Lowering& lowering) {
  here.guards = true;
  const Region& dst = region_of(fill.dst);
  if (!fill.layout.known() && !long_extents(dst).empty() && lowering.storage(dst.buffer).spread())
    return lowering.refuse(fill, "a fill of a fragment without a layout");
  Walk walk = walk_of(fill.layout, dst, here, lowering);
  here = lowering.where(here, walk.inside);
  std::vector<Expr> target = element_of(dst, walk.index, here, lowering);
  Expr value = cast(lowering.storage(dst.buffer).dtype, lowering.expr(fill.value, here));
  return wrap(walk, lowering.write(dst.buffer, target, value, true, &walk, here), fill.vec);
}

/// Memory of one thread needs no atomics: the thread updates all of it, element by element.
static Expr updated(AtomicOp op, const Expr& old, const Expr& value) {
  switch (op) {
    case AtomicOp::add: return add(old, value);
    case AtomicOp::max: return call(Intrinsic::maximum, old->type, {old, value});
    case AtomicOp::min: return call(Intrinsic::minimum, old->type, {old, value});
    case AtomicOp::or_: return binary(BinOp::bor, old, value);
    case AtomicOp::and_: return binary(BinOp::band, old, value);
    case AtomicOp::xor_: return binary(BinOp::bxor, old, value);
  }
  UNREACHABLE("an atomic operation");
}

Stmt lower(const Atomic& atomic, LoweringScope here, Lowering& lowering) {
  here.guards = true;
  const Region& dst = region_of(atomic.dst);
  Storage into = lowering.storage(dst.buffer);
  // Without a layout, the operation is on one element, or one side is private memory.
  const bool spread = atomic.layout.known() && into.scope() != Scope::local;
  Walk walk = walk_of(spread ? atomic.layout : Layout(), dst, here, lowering);
  here = lowering.where(here, walk.inside);
  std::vector<Expr> target = element_of(dst, walk.index, here, lowering);
  Expr bounds = into.scope() == Scope::global ? here.in_bounds(into.shape, target) : nullptr;
  Expr value;
  if (const Region* source = as<Region>(atomic.value)) {
    std::vector<Expr> index = element_of(*source, walk.index, here, lowering);
    value = lowering.read(source->buffer, index, true, here);
  } else {
    value = lowering.expr(atomic.value, here);
  }
  value = cast(into.dtype, value);
  if (!into.visible()) {
    value = updated(atomic.op, lowering.read(dst.buffer, target, true, here), value);
    return wrap(walk, lowering.write(dst.buffer, target, value, true, &walk, here), atomic.vec);
  }
  Stmt body =
      do_call(intrinsic_of(atomic.op), {region(into.name, into.dtype, points(target)), value},
              {attr("order", atomic.order)});
  if (bounds) body = if_then(bounds, body);
  if (walk.first_replica) body = if_then(walk.first_replica, body);
  if (!spread) body = lowering.once(body, atomic, here);
  return wrap(walk, body, atomic.vec);
}

Stmt lower(const ClusterCopy& copy, LoweringScope here, Lowering& lowering) {
  here.guards = true;
  const Region &src = region_of(copy.src), &dst = region_of(copy.dst);
  const Storage into = lowering.storage(dst.buffer);
  Walk walk = walk_of(copy.layout, dst, here, lowering);
  here = lowering.where(here, walk.inside);
  const std::vector<Expr> source = element_of(src, walk.index, here, lowering);
  const std::vector<Expr> target = element_of(dst, walk.index, here, lowering);
  const Expr value = cast(into.dtype, lowering.read(src.buffer, source, true, here));
  Stmt body =
      do_call(Intrinsic::cluster_store, {region(into.name, into.dtype, points(target)), value,
                                         cast(DType::i32, lowering.expr(copy.block, here))});
  if (walk.first_replica) body = if_then(walk.first_replica, body);
  if (!copy.layout.known()) body = lowering.once(body, copy, here);
  return wrap(walk, body, copy.vec);
}

namespace {

/// A box: one event per element, from the thread that holds it.
Stmt record_box(const Record& record, const Region& whole, LoweringScope here, Lowering& lowering) {
  Storage from = lowering.storage(whole.buffer);
  Walk walk = from.spread() ? lowering.walk(from.layout, {}, here) : Walk();
  if (!from.spread()) {
    walk = lowering.all_of(all_extents(whole), here);
    for (size_t d = 0; d < whole.dims.size(); ++d)
      walk.index[d] = offset_by(whole.dims[d].lo, walk.index[d]);
  }
  Record out(record);
  out.buffer = whole.buffer.str();
  out.index = walk.index;
  out.values[0] = lowering.read(whole.buffer, walk.index, true, here);
  for (size_t i = 1; i < out.values.size(); ++i)  // of the message
    out.values[i] = lowering.expr(out.values[i], here);
  Stmt stmt = make(std::move(out));
  if (!from.spread()) stmt = lowering.once(stmt, record, here);
  if (walk.first_replica) stmt = if_then(walk.first_replica, stmt);
  return wrap(walk, stmt);
}

}  // namespace

/// Scalars: one event, from one thread if all would record the same.
Stmt lower(const Record& record, LoweringScope here, Lowering& lowering) {
  if (record.what == RecordKind::assume) return seq({});  // see the Seq
  const Region* whole = record.values.empty() ? nullptr : as<Region>(record.values[0]);
  if (whole) return record_box(record, *whole, std::move(here), lowering);
  Record out(record);
  for (Expr& value : out.values) value = lowering.expr(value, here);
  Stmt stmt = make(std::move(out));
  if (!here.walk) return lowering.once(stmt, record, here);
  return here.walk->first_replica ? if_then(here.walk->first_replica, stmt) : stmt;
}

}  // namespace tilelab
