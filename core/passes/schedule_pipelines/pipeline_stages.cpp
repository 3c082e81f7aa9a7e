// SPDX-License-Identifier: Apache-2.0
// Destinations of prefetched copies: whole buffers, slots of rings, and their views.
#include "core/ir/build.h"
#include "core/layout/layout.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"
#include "core/passes/shared/arena_planner.h"
#include "core/support/extents.h"
#include "core/targets/target.h"

namespace tilelab {

bool is_whole(const Region& region, const KernelMemory& memory) {
  const auto shape = memory.shape_of(region.buffer);
  for (size_t d = 0; d < region.dims.size(); ++d)
    if (!shape || region.dims[d].extent != (*shape)[d] || !is_int(region.dims[d].lo, 0))
      return false;
  return true;
}

Buffer as_stages(const Buffer& buffer, Symbol ring, int64_t stages) {
  Buffer out(buffer);
  if (!out.layout.known()) out.layout = row_major(const_shape(buffer));
  const int64_t align = slot_alignment(buffer) / bytes(buffer.dtype);
  const int64_t slot = round_up(extent(out.layout, 'a'), align);
  out.ring = ring;
  if (out.where.known()) {  // one stage after another
    const int64_t pitch = round_up(out.where.extents[0], align);
    const Symbol stage = out.where.names[0].str() + "_stage";
    Expr& place = out.where.places[0];
    out.where.names.insert(out.where.names.begin(), stage);
    place = add(mul(name_ref(stage, {DType::i32}), int_const(pitch)), place);
    out.where.extents[0] += (stages - 1) * pitch;
  }
  out.shape.insert(out.shape.begin(), int_const(stages));
  out.layout.shape.insert(out.layout.shape.begin(), stages);
  out.layout.dims.insert(out.layout.dims.begin(), Digits{a_digit(stages, slot)});
  return out;
}

View as_stages(const View& view, int64_t stages) {
  View out(view);
  out.shape.insert(out.shape.begin(), int_const(stages));
  return out;
}

std::vector<Stmt> as_stages(const PrefetchedCopy& copy, Symbol ring, int64_t stages) {
  std::vector<Stmt> out{make(as_stages(*copy.buffer, ring, stages))};
  for (const View* view : copy.views) out.push_back(make(as_stages(*view, stages)));
  return out;
}

int64_t PrefetchedCopy::bytes() const {
  int64_t out = tilelab::bytes(buffer->dtype);
  for (int64_t extent : const_shape(*buffer)) out *= extent;
  return out;
}

Stmt PrefetchedCopy::in_groups(const Stmt& stmt) const {
  if (gather) {
    Parallel out(*gather);
    out.by = CopyBy::async;
    return tilelab::at(stmt->span, make(std::move(out)));
  }
  Copy out(to<Copy>(stmt));
  if (out.by == CopyBy::engine) out.by = CopyBy::async, out.map = {};
  return tilelab::at(stmt->span, make(std::move(out)));
}

std::vector<Symbol> PrefetchedCopy::names() const {
  std::vector<Symbol> out{buffer->name};
  for (const View* view : views) out.push_back(view->name);
  return out;
}

Stmt in_slots(const Stmt& stmt, const std::unordered_map<Symbol, Symbol>& slots) {
  auto expr = [&](const Expr& e) -> Expr {
    const Region* r = as<Region>(e);
    const Load* l = as<Load>(e);
    auto it = r ? slots.find(r->buffer) : l ? slots.find(l->buffer) : slots.end();
    if (it == slots.end()) return e;
    if (l) {
      Load out(*l);
      out.index.insert(out.index.begin(), name_ref(it->second));
      return make(std::move(out));
    }
    Region out(*r);
    out.dims.insert(out.dims.begin(), point(name_ref(it->second)));
    return make(std::move(out));
  };
  return rewrite(stmt, expr, [&](const Stmt& s) -> Stmt {
    const Reduce* reduce = as<Reduce>(s);
    if (reduce && slots.count(to<Region>(reduce->src).buffer)) {
      Reduce out(*reduce);  // the slot is dimension 0
      for (int64_t& dim : out.dims) ++dim;
      return at(s->span, make(std::move(out)));
    }
    const Store* store = as<Store>(s);
    auto it = store ? slots.find(store->buffer) : slots.end();
    if (it == slots.end()) return s;
    Store out(*store);
    out.dims.insert(out.dims.begin(), point(name_ref(it->second)));
    return at(s->span, make(std::move(out)));
  });
}

Stmt with_fresh_buffers(const Stmt& stmt, std::unordered_map<Symbol, int>& taken) {
  std::unordered_map<Symbol, Symbol> names;
  auto add = [&](const auto& memory) { names[memory.name] = fresh_name(memory.name, taken); };
  for_each(
      *stmt, [&](const Buffer& buffer) { add(buffer); }, [&](const View& view) { add(view); });
  return names.empty() ? stmt : rename(stmt, names);
}

Kernel with_leading_views(const Func& func, const Kernel& kernel) {
  const KernelMemory memory(func, kernel);
  std::vector<Stmt> front;
  Kernel out(kernel);
  const Stmt rest = rewrite_stmts(kernel.body, [&](const Stmt& s) -> Stmt {
    const View* view = as<View>(s);
    const Buffer* tensor = view ? memory.as_buffer(view->name) : nullptr;
    if (tensor && tensor->scope == Scope::global) {
      View of_all(*view);
      of_all.buffer = memory.views.base_of(view->name);
      front.push_back(at(s->span, make(std::move(of_all))));
      return seq({});
    }
    return s;
  });
  if (front.empty()) return out;
  front.push_back(rest);
  out.body = at(kernel.body->span, seq(std::move(front)));
  return out;
}

bool stages_fit(const Kernel& kernel, const Target& target, const std::map<Symbol, int64_t>& stages,
                int64_t more, int64_t blocks) {
  constexpr int64_t kOfSystem = 1024;  // bytes of each block (CUDA C++ Programming Guide)
  const int64_t limit = (target.shared_bytes + kOfSystem) / blocks - kOfSystem;
  const int64_t besides = more + reserved_shared(kernel);
  int64_t sum = 0, barriers = 0;
  for_each(*kernel.body, [&](const Buffer& buffer) {
    if (buffer.scope != Scope::shared) return;
    auto it = stages.find(buffer.name);
    const int64_t slots = it == stages.end() ? 1 : it->second;
    sum += slots * slot_bytes(buffer);
    barriers += it == stages.end() ? 0 : 2 * slots;
  });
  // Besides the rings, the two roles, their groups of warps and a mailbox of tiles have barriers.
  const int64_t others = barriers > 0 ? 6 + kernel.block / (4 * target.lanes) : 0;
  if (target.barriers.limit > 0 && barriers + others > target.barriers.limit) return false;
  const int64_t left = limit - besides - barriers * target.barriers.bytes;
  if (sum <= left) return true;
  ArenaPlanner planner(kernel, 0, &stages);  // buffers that never live together share memory
  planner.plan(left);
  return planner.total() <= left;
}

Stmt ring_op(RingOpKind op, Symbol ring, Symbol slot) {
  RingOp out;
  out.op = op, out.ring = ring, out.slot = slot;
  return make(std::move(out));
}

bool is_ring_op(const Stmt& stmt, RingOpKind kind) {
  const RingOp* op = as<RingOp>(stmt);
  return op && op->op == kind;
}

}  // namespace tilelab
