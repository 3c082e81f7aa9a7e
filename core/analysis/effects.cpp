// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/effects.h"

#include <algorithm>
#include <unordered_map>

#include "core/ir/build.h"
#include "core/ir/intrinsics/call_type.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

using Effects = std::vector<Effect>;

When when_of(Async async) {
  switch (async) {
    case Async::none: return When::at_once;
    case Async::tx: return When::transaction;
    default: return When::group;
  }
}

void operands(const Call& call, Effects& out);

void reads(const Expr& expr, Effects& out) {
  if (!expr) return;
  if (const Call* call = as<Call>(expr)) return operands(*call, out);
  for_each_expr(*expr, [&](const Expr& e) { reads(e, out); });
  Effect read;
  read.span = expr->span;
  if (const Load* load = as<Load>(expr)) {
    read.buffer = load->buffer, read.box = points(load->index), read.element = true;
    out.push_back(std::move(read));
  } else if (const Region* region = as<Region>(expr)) {
    read.buffer = region->buffer, read.box = region->dims, read.region = region;
    out.push_back(std::move(read));
  }
}

/// The effect of an intrinsic on its operand, according to the table.
void operand(const Call& call, size_t i, Effects& out) {
  const OperandInfo* info = operand_info(call, i);
  const Region* region = info && info->is_place() ? as<Region>(call.args[i]) : nullptr;
  const bool mapped = info && info->kind == OperandKind::map;
  const Name* map = mapped ? as<Name>(call.args[i]) : nullptr;
  if (!region && !map) return reads(call.args[i], out);
  const IntrinsicInfo& row = tilelab::info(call.intrinsic);
  Effect effect;
  effect.span = call.args[i]->span;
  if (region) {
    for (const RegionDim& dim : region->dims) reads(dim.lo, out);
    effect.buffer = region->buffer, effect.box = region->dims, effect.region = region;
  } else {
    effect.buffer = map->id;
  }
  const bool engine = row.async == Async::tx || row.async == Async::bulk;
  const bool barrier = info->kind == OperandKind::barrier;
  if (!barrier) effect.when = when_of(row.async);
  if (row.async == Async::mma) effect.who = Actor::matrix;
  if (engine && !barrier) effect.who = Actor::engine;
  if (row.step == Step::atomic) effect.atomic = call.intrinsic;
  if (call.intrinsic == Intrinsic::tma_add && map) effect.atomic = Intrinsic::atomic_add;
  for (bool write : {false, true}) {
    effect.write = write;
    // An atomic is one access: a read if it only loads, otherwise a write.
    if (effect.atomic && write != info->writes()) continue;
    if (write ? info->writes() : info->reads()) out.push_back(effect);
  }
}

void operands(const Call& call, Effects& out) {
  for (size_t i = 0; i < call.args.size(); ++i) operand(call, i, out);
}

/// The field of a tile operation that maps its box to threads; null if it has none.
const Layout* box_layout(const Node& stmt) {
  return visit(stmt, [](const auto& n) -> const Layout* {
    if constexpr (requires { n.layout; })
      return group(n.kind) == Group::tile ? &n.layout : nullptr;
    else
      return nullptr;
  });
}

/// Actor, completion and thread mapping of a tile operation.
struct Manner {
  Actor who = Actor::threads;
  When when = When::at_once;
  Layout map = {};
  std::optional<Intrinsic> atomic = {};
};

Manner manner_of(const Node& stmt) {
  if (const Copy* n = as<Copy>(&stmt)) {
    const auto sum = n->adds ? std::optional(Intrinsic::atomic_add) : std::nullopt;
    if (n->by == CopyBy::engine) return {Actor::engine, When::transaction, {}, sum};
    return {Actor::threads, n->by == CopyBy::async ? When::group : When::at_once, n->layout};
  }
  if (const Gemm* n = as<Gemm>(&stmt)) {
    const bool by_threads = n->by == GemmBy::fma || n->by == GemmBy::unset;
    return {by_threads ? Actor::threads : Actor::matrix,
            n->wait >= 0 ? When::group : When::at_once};
  }
  if (const Atomic* n = as<Atomic>(&stmt)) return {{}, {}, n->layout, intrinsic_of(n->op)};
  const Layout* map = box_layout(stmt);
  return {{}, {}, map ? *map : Layout()};
}

/// Memory named by the statement's own fields.
void operands(const Node& stmt, const std::vector<Operand>& own, bool write, Effects& out) {
  if (own.empty()) return;
  const Manner manner = manner_of(stmt);
  for (const Operand& operand : own) {
    // A workspace has one effect, a write; so has an atomic.
    const bool scratch = !operand.region && group(stmt.kind) == Group::tile;
    const bool atomic = manner.atomic && operand.written, once = scratch || atomic;
    if (!(write ? operand.written : operand.read && !once)) continue;
    Effect effect;
    effect.buffer = operand.buffer, effect.write = write, effect.scratch = scratch;
    effect.who = manner.who, effect.when = manner.when, effect.map = manner.map;
    if (atomic) effect.atomic = manner.atomic;
    effect.span = operand.region ? operand.region->span : stmt.span;
    effect.region = operand.region;
    if (operand.region) effect.box = operand.region->dims;
    if (const Store* store = as<Store>(&stmt)) effect.box = store->dims, effect.element = true;
    out.push_back(std::move(effect));
  }
}

bool is_operand(const Expr& expr, const std::vector<Operand>& operands) {
  for (const Operand& operand : operands)
    if (operand.region == expr.get()) return true;
  return false;
}

}  // namespace

Touched touched(const Node& root, const BufferViews& views) {
  Touched out;
  std::unordered_map<Symbol, Symbol> maps;
  for_each(root, [&](const StmtNode& node) {
    if (const TensorMap* map = as<TensorMap>(&node)) maps.emplace(map->name, map->buffer);
    for (const Effect& effect : effects(node)) {
      auto map = maps.find(effect.buffer);
      const Symbol memory = views.base_of(map == maps.end() ? effect.buffer : map->second);
      if (!effect.write || effect.atomic) out.read.insert(memory);
      if (effect.write) out.written.insert(memory);
    }
  });
  return out;
}

bool conflict(const Touched& a, const Touched& b) {
  auto common = [](const std::set<Symbol>& one, const std::set<Symbol>& two) {
    return std::any_of(one.begin(), one.end(), [&](Symbol name) { return two.count(name) != 0; });
  };
  return common(a.written, b.written) || common(a.written, b.read) || common(a.read, b.written);
}

Touched touched(const Node& root) { return touched(root, views_of(root)); }

Effects effects(const Expr& expr) {
  Effects out;
  reads(expr, out);
  return out;
}

Effects effects(const Call& call) {
  Effects out;
  operands(call, out);
  return out;
}

Effects effects(const Node& stmt) {
  Effects out;
  const std::vector<Operand> own = operands_of(stmt);
  for_each_expr(stmt, [&](const Expr& e) {
    if (!is_operand(e, own)) return reads(e, out);
    for (const RegionDim& dim : to<Region>(e).dims) reads(dim.lo, out);
  });
  operands(stmt, own, false, out), operands(stmt, own, true, out);
  return out;
}

bool distributed_over_threads(const Node& stmt) {
  return box_layout(stmt) && manner_of(stmt).who == Actor::threads;
}

Intrinsic intrinsic_of(AtomicOp op) {
  switch (op) {
    case AtomicOp::add: return Intrinsic::atomic_add;
    case AtomicOp::max: return Intrinsic::atomic_max;
    case AtomicOp::min: return Intrinsic::atomic_min;
    case AtomicOp::or_: return Intrinsic::atomic_or;
    case AtomicOp::and_: return Intrinsic::atomic_and;
    case AtomicOp::xor_: return Intrinsic::atomic_xor;
  }
  UNREACHABLE("unknown atomic");
}

}  // namespace tilelab
