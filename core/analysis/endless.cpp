// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/endless.h"

#include <algorithm>
#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

/// A backward slice of the loop condition through the body.
class LoopSlice {
 public:
  explicit LoopSlice(const While& loop) : loop_(loop) {}

  std::optional<std::vector<Symbol>> names() {
    follow();
    if (!known_ || others_ || !buffers_.empty()) return std::nullopt;
    std::vector<Symbol> out(names_.begin(), names_.end());
    std::sort(out.begin(), out.end(), [](Symbol a, Symbol b) { return a.str() < b.str(); });
    return out;
  }

  /// Whether other threads or blocks decide: the loop reads memory that only they change, and
  /// carries no value of the slice from one iteration to the next.
  bool waits() {
    follow();
    if (!known_ || !others_ || carries_memory()) return false;
    std::unordered_set<Symbol> carried = assigned_;
    for_each(
        *loop_.body, [&](const Var& var) { carried.erase(var.name); },
        [&](const Let& let) { carried.erase(let.name); });
    const auto reads = [&](const Expr& e) {
      return e && any_of(*e, [&](const Name& name) { return carried.count(name.id) != 0; });
    };
    for (size_t before = SIZE_MAX; before != carried.size();) {  // through names of an iteration
      before = carried.size();
      for_each(
          *loop_.body,
          [&](const Var& var) {
            if (reads(var.init)) carried.insert(var.name);
          },
          [&](const Let& let) {
            if (reads(let.value)) carried.insert(let.name);
          });
    }
    return !any_of(*loop_.body,
                   [&](const Assign& assign) { return needs(assign.name) && reads(assign.value); });
  }

 private:
  void follow() {
    for_each(
        *loop_.body, [&](const Assign& assign) { assigned_.insert(assign.name); },
        [&](const StmtNode& stmt) {
          for (const Effect& effect : effects(stmt))
            if (effect.write) written_.insert(effect.buffer);
        });
    need(loop_.cond);
    for (size_t before = SIZE_MAX; known_ && before != names_.size() + buffers_.size();) {
      before = names_.size() + buffers_.size();
      round();
    }
  }

  void need(const Expr& e) {
    if (!e) return;
    walk(*e, [&](const Node& node) {
      if (const Name* name = as<Name>(&node)) names_.insert(name->id);
      const Call* call = as<Call>(&node);
      const bool atomic = call && info(call->intrinsic).step == tilelab::Step::atomic;
      if (const Load* load = as<Load>(&node)) need(load->buffer);
      others_ |= atomic;
      known_ &= node.kind != Kind::Region && !(call && !atomic && !info(call->intrinsic).pure());
      return !atomic;  // others change the element, wherever it is
    });
  }

  /// Memory that no iteration writes: others do.
  void need(Symbol buffer) {
    if (written_.count(buffer))
      buffers_.insert(buffer);
    else
      others_ = true;
  }

  /// What an operation on tiles reads, which writes memory of the slice.
  void need_operands(const Node& operation) {
    for (const Effect& effect : effects(operation)) {
      known_ &= !effect.late();
      others_ |= effect.atomic.has_value();
      if (!effect.write && !effect.atomic) need(effect.buffer);
    }
  }

  /// Whether an iteration reads memory of the slice before it writes that buffer.
  bool carries_memory() const {
    std::unordered_set<Symbol> fresh;
    bool found = false;
    for_each(*loop_.body, [&](const StmtNode& stmt) {
      const Reduce* reduce = as<Reduce>(&stmt);
      for (const Effect& effect : effects(stmt)) {
        const bool replaced = reduce && reduce->clear && effect.region == as<Region>(reduce->dst);
        if (effect.write)
          fresh.insert(effect.buffer);
        else if (!replaced)
          found |= buffers_.count(effect.buffer) != 0 && fresh.count(effect.buffer) == 0;
      }
    });
    return found;
  }

  /// Whether the statement itself writes memory of the slice.
  bool writes(const Node& stmt) const {
    const std::vector<Effect> all = effects(stmt);
    return std::any_of(all.begin(), all.end(), [&](const Effect& effect) {
      return effect.write && buffers_.count(effect.buffer) != 0;
    });
  }

  bool needs(Symbol name) const { return names_.count(name) != 0; }

  /// Whether `node` may assign a needed name or end the block.
  bool assigns(const Node& node) const {
    return any_of(
        node, [&](const Assign& assign) { return needs(assign.name); },
        [&](const Var& var) { return needs(var.name); },
        [&](const Let& let) { return needs(let.name); },
        [](const Record& record) { return record.what != RecordKind::print; },
        [&](const StmtNode& stmt) { return writes(stmt); });
  }

  bool decides(const Node& node) const { return assigns(node) || breaks_out(node); }

  /// Adds the conditions and operands of statements in the slice: one step to the fixpoint.
  void round() {
    walk(*loop_.body, [&](const Node& node) {
      if (group(node.kind) == Group::expr || !known_) return false;
      if (!decides(node)) return false;
      if (const Assign* n = as<Assign>(&node)) need(n->value);
      if (const Var* n = as<Var>(&node)) need(n->init);
      if (const Let* n = as<Let>(&node)) need(n->value);
      if (const Store* n = as<Store>(&node)) {
        need(n->value);
        for (const RegionDim& dim : n->dims) need(dim.lo);
      } else if (writes(node)) {
        need_operands(node);
      }
      if (const If* n = as<If>(&node)) need(n->cond);
      if (const While* n = as<While>(&node)) need(n->cond);
      if (const For* n = as<For>(&node)) need(n->lo), need(n->hi), need(n->step);
      if (const Parallel* n = as<Parallel>(&node))
        for (const Expr& extent : n->extents) need(extent);
      known_ &= node.kind != Kind::Record && node.kind != Kind::TileLoop;
      return true;
    });
  }

  const While& loop_;
  std::unordered_set<Symbol> names_, assigned_;
  std::unordered_set<Symbol> written_, buffers_;  // in the loop; those of them in the slice
  bool known_ = true;    // no other call and no asynchronous operation is in the slice
  bool others_ = false;  // it reads memory that only others change
};

}  // namespace

std::optional<std::vector<Symbol>> deciding(const While& loop) { return LoopSlice(loop).names(); }

bool waits_for_others(const While& loop) { return LoopSlice(loop).waits(); }

bool waits_for_others(const Node& code) {
  return any_of(code, [](const While& loop) { return waits_for_others(loop); });
}

bool waits_for_others(const Func& func) { return func.body && waits_for_others(*func.body); }

}  // namespace tilelab
