// SPDX-License-Identifier: Apache-2.0
// Store-to-load forwarding for conditions and offsets of copies: where an iteration reads them from
// memory of the block or from a variable whose value comes from read-only tensors, it computes that
// value again. A producer can then compute it, too, and a copy can be prefetched.
//   copy(M[0:16], m)                                ->
//   for k in pipelined(16, stages=2):                   for k in pipelined(16, stages=2):
//     if m[k] != 0: copy(A[k, ...], A_s); ...             if M[k] != 0: copy(A[k, ...], A_s); ...
#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/passes/schedule_pipelines/filled_buffers.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"

namespace tilelab {
namespace {

class Forwarding {
 public:
  Forwarding(const Func& func, const Kernel& kernel) : kernel_(kernel), memory_(func, kernel) {
    for_each(*kernel.body, [&](const Var& var) { vars_.insert(var.name); });
  }

  Kernel run() {
    Kernel out(kernel_);
    if (!find_uses()) return out;
    for_each(*kernel_.body, [&](const StmtNode& stmt) {
      for (const Effect& effect : effects(stmt))
        writers_[memory_.views.base_of(effect.buffer)] += effect.write;
    });
    out.body = without_dead_fills(visit(kernel_.body));
    return out;
  }

 private:
  bool has_loads(const Node& stmt) const {
    return any_of(stmt, [&](const Copy& copy) { return memory_.loads(copy); });
  }

  /// Finds the names that the offsets and conditions of copies in pipelined loops use, through
  /// lets. Returns whether one of them can be forwarded.
  bool find_uses() {
    bool found = false;
    auto use = [&](const Expr& value) {
      for_each(
          *value,
          [&](const Name& name) { found |= used_.insert(name.id).second && vars_.count(name.id); },
          [&](const Load& load) { found |= in_block(load.buffer); });
    };
    std::vector<const Let*> lets;
    for_each(
        *kernel_.body, [&](const Let& let) { lets.push_back(&let); },
        [&](const If& branch) {
          if (has_loads(branch)) use(branch.cond);
        },
        [&](const For& loop) {
          if (has_loads(loop)) use(loop.lo), use(loop.hi);
        },
        [&](const Copy& copy) {
          if (memory_.loads(copy))
            for (const RegionDim& dim : to<Region>(copy.src).dims) use(dim.lo);
        });
    for (auto let = lets.rbegin(); let != lets.rend(); ++let)
      if (used_.count((*let)->name)) use((*let)->value);
    return found;
  }

  bool in_block(Symbol name) const {
    const Buffer* buffer = memory_.base_buffer(name);
    return buffer && buffer->scope != Scope::global && buffer->scope != Scope::barrier;
  }

  // ---- the values of memory and variables, in program order

  /// Whether any thread can compute the value again later: it reads only tensors that the kernel
  /// does not write, and names that do not change.
  bool is_stable(const Expr& value) const {
    return is_smaller(*value, kMaxLetSize) && value->type.scalar() &&
           !any_of(
               *value, [](const Region&) { return true; }, [](const Call&) { return true; },
               [&](const Load& load) {
                 const Buffer* tensor = memory_.base_buffer(load.buffer);
                 return !tensor || tensor->scope != Scope::global || memory_.written(load.buffer);
               },
               [&](const Name& name) { return vars_.count(name.id) != 0; });
  }

  void record(FilledBuffers::Elements found) {
    const auto shape = found.value ? memory_.shape_of(found.buffer) : std::nullopt;
    if (!shape || *shape != found.extents || !in_block(found.buffer)) return;
    const Buffer& buffer = *memory_.base_buffer(found.buffer);
    if (buffer.name != found.buffer || memory_.aliased_or_escaping(buffer.name)) return;
    found.value = known(found.value);
    if (found.value->type.dtype != buffer.dtype || !is_stable(found.value)) return;
    if (writers_[buffer.name] == 1) fills_.insert(buffer.name);
    filled_.record(std::move(found));
  }

  void record(Symbol name, const Expr& value) {
    Expr now = value ? known(value) : nullptr;
    if (now && is_stable(now))
      values_[name] = std::move(now);
    else
      values_.erase(name);
  }

  void forget(const Stmt& stmt) {
    filled_.forget(touched(*stmt, memory_.views).written);
    for_each(*stmt, [&](const Assign& assign) { values_.erase(assign.name); });
  }

  Expr known(const Expr& value) const { return substitute(filled_.with_values(value), values_); }

  // ---- rewriting

  Stmt visit(const Stmt& stmt) {
    if (!stmt) return stmt;
    if (as<Seq>(stmt)) return map_stmts(stmt, [&](const Stmt& s) { return visit(s); });
    if (const Let* let = as<Let>(stmt)) return forwarded(*let);
    if (const Var* var = as<Var>(stmt)) return record(var->name, var->init), stmt;
    if (const Assign* assign = as<Assign>(stmt)) return record(assign->name, assign->value), stmt;
    if (const If* branch = as<If>(stmt)) return forwarded(*branch);
    const Copy* copy = as<Copy>(stmt);
    const For* loop = as<For>(stmt);
    const Stmt out = copy ? forwarded(*copy) : loop ? forwarded(*loop) : stmt;
    forget(stmt);
    const FilledBuffers::Elements elements = elements_of(stmt);
    if (elements.value) return record(elements), out;
    return loop || as<While>(stmt) || as<TileLoop>(stmt) ? in_scope(out) : out;
  }

  /// The statement with its nested ones visited; what they compute is unknown after it.
  Stmt in_scope(const Stmt& stmt) {
    const auto before = std::pair(filled_, values_);
    Stmt out = map_stmts(stmt, [&](const Stmt& s) {
      std::tie(filled_, values_) = before;
      return visit(s);
    });
    std::tie(filled_, values_) = before;
    return out;
  }

  static FilledBuffers::Elements elements_of(const Stmt& stmt) {
    if (const Parallel* loop = as<Parallel>(stmt)) return tilelab::elements_of(*loop);
    if (const Copy* copy = as<Copy>(stmt)) return tilelab::elements_of(*copy);
    if (const For* loop = as<For>(stmt)) return tilelab::elements_of(*loop);
    if (const Store* store = as<Store>(stmt)) return tilelab::elements_of(*store);
    return {};
  }

  Stmt forwarded(const Let& let) const {
    if (!used_.count(let.name)) return Stmt(&let);
    Let out(let);
    out.value = known(let.value);
    return out.value.same(let.value) ? Stmt(&let) : make(std::move(out));
  }

  Stmt forwarded(const Copy& copy) const {
    if (!memory_.loads(copy)) return Stmt(&copy);
    Copy out(copy);
    Region src(to<Region>(copy.src));
    bool changed = false;
    for (RegionDim& dim : src.dims) {
      Expr lo = known(dim.lo);
      changed |= !lo.same(dim.lo);
      dim.lo = std::move(lo);
    }
    out.src = make(std::move(src));
    return changed ? make(std::move(out)) : Stmt(&copy);
  }

  Stmt forwarded(const For& loop) const {
    if (!has_loads(loop)) return Stmt(&loop);
    For out(loop);
    out.lo = known(loop.lo), out.hi = known(loop.hi);
    const bool same = out.lo.same(loop.lo) && out.hi.same(loop.hi);
    return same ? Stmt(&loop) : make(std::move(out));
  }

  Stmt forwarded(const If& branch) {
    If out(branch);
    if (has_loads(branch)) out.cond = known(branch.cond);
    const bool same = out.cond.same(branch.cond);
    const Stmt nested = in_scope(same ? Stmt(&branch) : make(std::move(out)));
    forget(Stmt(&branch));
    return nested;
  }

  /// Without the fills of buffers that nothing reads any more.
  Stmt without_dead_fills(const Stmt& body) const {
    const Touched memory = touched(*body);
    auto is_dead = [&](Symbol name) { return fills_.count(name) && !memory.read.count(name); };
    if (std::none_of(fills_.begin(), fills_.end(), is_dead)) return body;
    return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
      const Buffer* buffer = as<Buffer>(s);
      if (buffer) return is_dead(buffer->name) ? seq({}) : s;
      const Symbol filled = elements_of(s).buffer;
      return is_dead(filled) ? seq({}) : s;
    });
  }

  const Kernel& kernel_;
  const KernelMemory memory_;
  std::unordered_set<Symbol> vars_;   // of the kernel
  std::unordered_set<Symbol> used_;   // names in offsets and conditions of copies
  std::unordered_set<Symbol> fills_;  // buffers with known elements, written once
  std::unordered_map<Symbol, int> writers_;
  FilledBuffers filled_;
  Substitution values_;  // of variables
};

}  // namespace

Kernel with_forwarded_values(const Func& func, const Kernel& kernel) {
  return Forwarding(func, kernel).run();
}

}  // namespace tilelab
