// SPDX-License-Identifier: Apache-2.0
// Element by element: T.Parallel, copies by plain loads and stores, fill, atomics on tiles, print.
#include <unordered_set>

#include "core/layout/layout.h"
#include "core/passes/lowering.h"

namespace tilelab {
namespace {

const Region& region_of(const Expr& e) { return to<Region>(e); }

/// Extents of the dimensions that are not 1, in order.
std::vector<int64_t> box(const Region& region) {
  std::vector<int64_t> out;
  for (const RegionDim& d : region.dims)
    if (d.extent != 1) out.push_back(d.extent);
  return out;
}

/// Element of the region at `position` in its box.
std::vector<Expr> element(const Region& region, const std::vector<Expr>& position) {
  std::vector<Expr> index;
  size_t next = 0;
  for (const RegionDim& d : region.dims) {
    Expr lo = d.lo;
    if (d.extent != 1) lo = add(lo, cast(lo->type.dtype, position[next++]));
    index.push_back(lo);
  }
  return index;
}

/// Whether `body` leaves something behind in the registers of the thread that runs it.
bool writes_registers(const Stmt& body, FunctionRef<Scope(Symbol)> scope_of) {
  std::unordered_set<Symbol> own;
  bool found = false;
  walk(*body, [&](const Node& node) {
    if (const Buffer* b = as<Buffer>(&node)) own.insert(b->name);
    if (const Var* v = as<Var>(&node)) own.insert(v->name);
    if (const Assign* a = as<Assign>(&node)) found |= !own.count(a->name);
    if (const Store* s = as<Store>(&node); s && !own.count(s->buffer)) {
      const Scope scope = scope_of(s->buffer);
      found |= scope != Scope::global && scope != Scope::shared;
    }
    return !found;
  });
  return found;
}

}  // namespace

/// One thread visits every element of a box.
Walk Lowering::all_of(const std::vector<int64_t>& extents) {
  Walk walk;
  for (int64_t extent : extents) {
    Symbol var = fresh("v");
    facts_.set(var, {0, extent - 1});
    walk.loops.push_back({var, extent});
    walk.index.push_back(name_ref(var));
  }
  return walk;
}

Stmt Lowering::lower_parallel(const Parallel& loop) {
  CHECK(loop.layout.known(), "a T.Parallel without a layout");
  Walk walk = this->walk(loop.layout, loop.vars);
  // Replicas that would only read take no part: they could read what the first one has changed.
  auto scope_of = [&](Symbol name) { return storage(name).scope(); };
  if (walk.first_replica && !writes_registers(loop.body, scope_of))
    walk.inside = land(walk.inside, std::exchange(walk.first_replica, nullptr));
  Substitution values;
  for (size_t i = 0; i < loop.vars.size(); ++i) values.emplace(loop.vars[i], walk.index[i]);
  Stmt body = substitute(loop.body, values);
  const Walk* outer = std::exchange(walk_, &walk);
  {
    Known known(*this, walk.inside);
    body = lower(body);
  }
  walk_ = outer;
  return wrap(walk, body, loop.vec);
}

Stmt Lowering::lower_copy(const Copy& copy) {
  const Region &src = region_of(copy.src), &dst = region_of(copy.dst);
  Storage from = storage(src.buffer), into = storage(dst.buffer);
  Walk walk;
  if (copy.layout.known()) {
    walk = this->walk(copy.layout, {});
  } else {  // private memory on a side: every thread moves all of it
    walk = all_of(box(dst));
  }
  auto simplify_all = [&](std::vector<Expr> index) {
    for (Expr& i : index) i = simplified(lower_expr(i));
    return index;
  };
  Known known(*this, walk.inside);
  std::vector<Expr> source = simplify_all(element(src, walk.index));
  std::vector<Expr> target = simplify_all(element(dst, walk.index));
  Expr stored = into.scope() == Scope::global ? in_bounds(into.shape, target) : nullptr;
  Expr value;
  {
    Known inside(*this, stored);
    value = cast(into.dtype, read(src.buffer, source, true));
  }
  Stmt body = write(dst.buffer, target, value, true, &walk);
  bool visible = into.scope() == Scope::global || into.scope() == Scope::shared;
  if (!copy.layout.known() && visible) body = once(body, copy);
  return wrap(walk, body, copy.vec);
}

Stmt Lowering::lower_fill(const Fill& fill) {
  const Region& dst = region_of(fill.dst);
  Storage into = storage(dst.buffer);
  Walk walk;
  std::vector<Expr> position;
  if (fill.layout.known()) {
    walk = this->walk(fill.layout, {});
    position = walk.index;
  } else {
    walk = all_of(box(dst));
    position = walk.index;
  }
  Known known(*this, walk.inside);
  std::vector<Expr> target = element(dst, position);
  for (Expr& i : target) i = simplified(lower_expr(i));
  Stmt body = write(dst.buffer, target, cast(into.dtype, lower_expr(fill.value)), true, &walk);
  return wrap(walk, body, fill.vec);
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

Stmt Lowering::lower_atomic(const Atomic& atomic) {
  static constexpr Intrinsic kRows[] = {Intrinsic::atomic_add, Intrinsic::atomic_max,
                                        Intrinsic::atomic_min, Intrinsic::atomic_or,
                                        Intrinsic::atomic_and, Intrinsic::atomic_xor};
  const Region& dst = region_of(atomic.dst);
  Storage into = storage(dst.buffer);
  bool own = into.scope() == Scope::local || into.scope() == Scope::fragment;
  // Without a layout it is about one element, or private memory is on a side.
  const bool spread = atomic.layout.known() && into.scope() != Scope::local;
  Walk walk = spread ? this->walk(atomic.layout, {}) : all_of(box(dst));
  Known known(*this, walk.inside);
  std::vector<Expr> target = element(dst, walk.index);
  for (Expr& i : target) i = simplified(lower_expr(i));
  Expr bounds = into.scope() == Scope::global ? in_bounds(into.shape, target) : nullptr;
  Expr value;
  if (const Region* source = as<Region>(atomic.value)) {
    std::vector<Expr> index = element(*source, walk.index);
    for (Expr& i : index) i = simplified(lower_expr(i));
    value = read(source->buffer, index, true);
  } else {
    value = lower_expr(atomic.value);
  }
  value = cast(into.dtype, value);
  if (own) {
    value = updated(atomic.op, read(dst.buffer, target, true), value);
    return wrap(walk, write(dst.buffer, target, value, true, &walk), atomic.vec);
  }
  std::vector<RegionDim> place;
  for (const Expr& i : target) place.push_back(point(i));
  Stmt body = do_call(kRows[static_cast<int>(atomic.op)],
                      {region(into.name, into.dtype, place), value}, {attr("order", atomic.order)});
  if (bounds) body = if_then(bounds, body);
  if (walk.first_replica) body = if_then(walk.first_replica, body);
  if (!spread) body = once(body, atomic);
  return wrap(walk, body, atomic.vec);
}

/// Scalars: one event, from one thread where all would say the same. Boxes: one event an element,
/// from the thread that holds it.
Stmt Lowering::lower_record(const Record& record) {
  if (record.what == RecordKind::assume) return seq({});  // see lower_seq
  const Region* whole = record.values.size() == 1 ? as<Region>(record.values[0]) : nullptr;
  Record out(record);
  if (!whole) {
    for (Expr& value : out.values) value = lower_expr(value);
    Stmt stmt = make(std::move(out));
    if (walk_) return walk_->first_replica ? if_then(walk_->first_replica, stmt) : stmt;
    return once(stmt, record);
  }
  Storage from = storage(whole->buffer);
  Walk walk;
  Expr mine;
  if (from.scope() == Scope::fragment) {
    walk = this->walk(from.layout, {});
    mine = walk.first_replica;
  } else {
    for (const RegionDim& d : whole->dims) {
      Symbol var = fresh("v");
      facts_.set(var, {0, d.extent - 1});
      walk.loops.push_back({var, d.extent});
      walk.index.push_back(add(d.lo, name_ref(var)));
    }
  }
  out.buffer = whole->buffer.str();
  out.index = walk.index;
  out.values = {read(whole->buffer, walk.index, true)};
  Stmt stmt = make(std::move(out));
  if (from.scope() != Scope::fragment) stmt = once(stmt, record);
  if (mine) stmt = if_then(mine, stmt);
  return wrap(walk, stmt);
}

}  // namespace tilelab
