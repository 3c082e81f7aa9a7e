// SPDX-License-Identifier: Apache-2.0
// plan_shared_memory: assigns each shared buffer an offset in the arena, and computes the arena's
// size.
// Buffers are placed one after another, the strictest alignment first, while that takes at most a
// quarter of a block's limit: sharing memory costs barriers, and four blocks fit anyway. Beyond
// that, or with tl.enable_aggressive_shared_memory_merge, buffers with disjoint live ranges
// overlap. Never shared: buffers that engines access (asynchronously), and buffers of different
// roles (which run concurrently). Rings share memory only where the block has too little otherwise,
// with buffers that are used after their loops.
//   red0 = shared(f32, [2, 4], at=0)    red1 = shared(f32, [2, 4], at=32)
#include <algorithm>
#include <unordered_map>

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/passes/pass.h"
#include "core/passes/shared/arena_planner.h"
#include "core/passes/shared/hardware_units.h"
#include "core/passes/shared/ring_plan.h"
#include "core/support/extents.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// The bytes that are never shared: sharing memory costs barriers, and four blocks fit anyway.
int64_t unshared_bytes(const Func& func, const Target& target) {
  const Attr* asked = find_attr(func.configs, "tl.enable_aggressive_shared_memory_merge");
  return asked && asked->integer != 0 ? 0 : target.shared_bytes / 4;
}

/// Bytes of the barriers that follow the arena.
int64_t barrier_bytes(const Kernel& kernel, const Target& target) {
  int64_t barriers = 0;
  for_each(
      *kernel.body,
      [&](const Buffer& own) {
        if (own.scope == Scope::barrier) barriers += const_shape(own)[0];
      },
      [&](const Ring& ring) { barriers += counts_arrivals(ring) ? 2 * ring.stages : 0; });
  return barriers * target.barriers.bytes;
}

void report_size(const Kernel& kernel, const ArenaPlanner& planner, int64_t needed,
                 PassContext& context) {
  Diagnostic& message =
      context.diagnostics.report(Diag::shared_memory_size, kernel.span, needed, context.target.name,
                                 context.target.shared_bytes);
  for (const auto& place : planner.places())
    message.label(place.buffer->span,
                  place.buffer->name.str() + ": " + std::to_string(place.bytes) + " bytes");
  message.help("use smaller tiles, fewer stages, or a narrower type");
}

}  // namespace

/// The check of a launch whose blocks all run at once: a processor surely runs min_blocks of them.
/// Nothing where the number of processors is unknown.
static Stmt resident(const Kernel& kernel, const Func& func, const Target& target) {
  const int64_t given = UnitOptions(func).processors;
  const int64_t most = (given >= 0 ? given : target.processors) * kernel.min_blocks();
  if (most == 0) return seq({});
  Expr blocks = int_const(1, DType::i64);
  for (const Expr& extent : kernel.grid) blocks = mul(blocks, cast(DType::i64, extent));
  Check check;
  check.cond = lt(blocks, int_const(most + 1, DType::i64));
  check.message =
      "at T.sync_grid() at most " + std::to_string(most) + " blocks can wait for each other";
  return at(kernel.span, make(std::move(check)));
}

std::unordered_map<Symbol, int64_t> excessive_layouts(const Func& scheduled, const Func& placed,
                                                      const Target& target) {
  std::unordered_map<Symbol, int64_t> out;
  for_each_of_host(placed, [&](const Kernel& kernel) {
    const int64_t limit = target.shared_bytes - barrier_bytes(kernel, target);
    ArenaPlanner planner(kernel, unshared_bytes(placed, target));
    planner.plan(limit);
    if (planner.total() > limit) out.emplace(kernel.name, planner.total());
  });
  for_each_of_host(scheduled, [&](const Kernel& kernel) {
    auto it = out.find(kernel.name);
    if (it == out.end()) return;
    ArenaPlanner planner(kernel, unshared_bytes(scheduled, target));
    planner.plan(target.shared_bytes - barrier_bytes(kernel, target));
    it->second -= planner.total();
  });
  return out;
}

FuncRef plan_shared_memory(const FuncRef& func, PassContext& context) {
  return rewrite_kernels(func, [&](const Kernel& kernel) -> Stmt {
    ArenaPlanner planner(kernel, unshared_bytes(*func, context.target));
    const int64_t barriers = barrier_bytes(kernel, context.target);
    planner.plan(context.target.shared_bytes - barriers);
    const int64_t needed = planner.total() + barriers;
    if (needed > context.target.shared_bytes) report_size(kernel, planner, needed, context);
    std::unordered_map<Symbol, int64_t> offsets;
    for (const auto& place : planner.places()) offsets.emplace(place.buffer->name, place.at);
    Kernel planned(kernel);
    planned.smem = planner.total();
    planned.body = rewrite_stmts(kernel.body, [&](const Stmt& inner) -> Stmt {
      const Buffer* buffer = as<Buffer>(inner);
      if (!buffer || buffer->scope != Scope::shared) return inner;
      Buffer next(*buffer);
      next.at = offsets.at(buffer->name);
      return make(std::move(next));
    });
    if (planner.total() > 0)
      context.decide(std::to_string(planner.total()) + " bytes" +
                     (planner.reused() ? " for buffers of " + std::to_string(planner.sum()) : ""));
    if (!find_attr(kernel.attrs, kResident)) return make(std::move(planned));
    return seq({resident(kernel, *func, context.target), make(std::move(planned))});
  });
}

}  // namespace tilelab
