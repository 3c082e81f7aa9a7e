// SPDX-License-Identifier: Apache-2.0
// schedule_pipelines: rings and roles for T.Pipelined loops. A kernel gets a producer and consumers
// (warp_specialize.cpp), or else rings of copies in groups (multibuffer.cpp), or else runs in
// order; copies by engines without a ring become loads and stores again. The fallback, with the
// configuration `hardware_units` set to false, is a loop in order, which defines the result of
// every other schedule.
#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/pass.h"
#include "core/passes/schedule_pipelines/loop_order.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"
#include "core/passes/select_instructions/select_instructions.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// The copies of a loop's body that can run iterations before their uses: those that depend on
/// nothing that an iteration computes, and are the only writers of a buffer of the block.
class Stages {
 public:
  Stages(const For& loop, const BufferViews& views) {
    for (const Stmt& stmt : statements_of(loop.body)) {
      stmts_.push_back({stmt, touched(*stmt, views)});
      for (Symbol name : stmts_.back().memory.written) ++writers_[name];
    }
    for_each(*loop.body, [&](const Assign& assign) { computed_.insert(assign.name); });
  }

  /// The buffers that such copies fill, in the order of the copies.
  std::vector<std::string> prefetchable_buffers(const BufferTable& buffers) {
    std::vector<std::string> out;
    for (const Part& part : stmts_) {
      if (const Let* let = as<Let>(part.stmt); let && waits(part)) computed_.insert(let->name);
      if (!as<Copy>(part.stmt) || waits(part)) continue;
      const Symbol name = *part.memory.written.begin();
      auto found = buffers.find(name);
      const bool of_block = found != buffers.end() && found->second->scope != Scope::global;
      if (of_block && writers_[name] == 1) out.push_back(name.str());
    }
    return out;
  }

 private:
  struct Part {
    Stmt stmt;
    Touched memory;
  };

  /// Whether the statement depends on results of this or the previous iteration.
  bool waits(const Part& part) const {
    return mentions_any(*part.stmt, computed_) ||
           std::any_of(part.memory.read.begin(), part.memory.read.end(),
                       [&](Symbol name) { return writers_.count(name) != 0; });
  }

  std::vector<Part> stmts_;
  std::map<Symbol, int> writers_;  // number of writing statements in the body
  std::set<Symbol> computed_;      // names whose values an iteration computes
};

/// Runs pipelined loops that no strategy has scheduled in order.
Stmt loops_in_order(const Stmt& root, const BufferTable& buffers, PassContext& context,
                    int& loops) {
  const BufferViews views = views_of(*root);
  return rewrite_stmts(root, [&](const Stmt& s) -> Stmt {
    const For* loop = as<For>(s);
    if (!loop || loop->stages == 0) return s;
    For plain(*loop);
    plain.stages = 0;
    plain.attrs.clear();
    ++loops;
    const std::vector<std::string> prefetchable =
        Stages(*loop, views).prefetchable_buffers(buffers);
    context.reasons.push_back(
        line_of(*s) + "T.Pipelined: a plain loop; its stages run in sequence (" +
        (prefetchable.empty()
             ? "it has no copy to prefetch"
             : "possible prefetches: the copies into " + join(prefetchable, ", ")) +
        ")");
    return make(std::move(plain));
  });
}

/// What a kernel contains to schedule. `asked`: the program gives stages, not the compiler.
struct ToSchedule {
  bool pipelined = false, engines = false;  // loops, copies
  bool asked = false;
};

ToSchedule to_schedule(const Stmt& body) {
  ToSchedule out;
  for_each(
      *body,
      [&](const For& loop) {
        out.pipelined |= loop.stages > 0;
        out.asked |= loop.stages > 0 && !find_attr(loop.attrs, kAutoStages);
      },
      [&](const Copy& copy) {
        out.engines |= copy.by == CopyBy::engine || copy.by == CopyBy::async;
      });
  return out;
}

/// Reports that the loops of a kernel run in order, and why.
void report_loop_in_order(const Kernel& kernel, const PipelinePlan& plan,
                          const std::string& no_roles, const std::string& no_groups,
                          PassContext& context) {
  Diagnostic& message = context.diagnostics.report(Diag::slow_fallback, kernel.span, "T.Pipelined",
                                                   "a loop in order");
  for (const NonPipelinedCopy& copy : plan.non_pipelined)
    if (copy.copy->span.known()) message.label(copy.copy->span, "not prefetched: " + copy.why);
  const bool one_stage =
      std::any_of(plan.lists.begin(), plan.lists.end(), [](const PrefetchList& list) {
        return list.loop && list.loop->stages == 1 && !list.copies.empty();
      });
  message.note("a producer and consumers: " + no_roles)
      .note("prefetched copies in groups: " + no_groups)
      .help(one_stage ? "pass num_stages=2 or more: with one stage a copy waits for the iteration "
                        "before it"
                      : "copy whole shared buffers from tensors, and use them after the copy in "
                        "the same loop");
}

/// Reports the copies of pipelined loops that each iteration waits for, while others are
/// prefetched.
void report_copies_in_order(const PipelinePlan& plan, PassContext& context) {
  for (const NonPipelinedCopy& lost : plan.non_pipelined) {
    const Copy* copy = as<Copy>(lost.copy);
    if (!copy || !lost.in_loop || !copy->span.known()) continue;
    context.diagnostics
        .report(Diag::slow_fallback, copy->span, "T.copy", "loads that each iteration waits for")
        .note("not prefetched: " + lost.why)
        .help("copy the whole buffer, at an offset that is known before the iteration");
  }
}

/// Whether a processor has room for only one such block.
bool fills_processor(const Scheduled& kernel, const Target& target) {
  int64_t bytes = 0;
  bool handed_over = false;  // registers, of which such a block has a fixed part
  for_each(
      *kernel.body, [&](const Role& role) { handed_over |= role.regs > 0; },
      [&](const Buffer& buffer) {
        if (buffer.scope == Scope::shared) bytes += allocated_bytes(buffer);
      });
  return handed_over ? kernel.blocks == 1 : 2 * bytes > target.shared_bytes;
}

/// Whether threads fill shared memory from tensors element by element in each iteration of a
/// pipelined loop, which no copy can prefetch.
bool iterations_load(const Stmt& body, const KernelMemory& memory) {
  auto is_in = [&](Symbol name, Scope scope) {
    const Buffer* buffer = memory.base_buffer(name);
    return buffer && buffer->scope == scope;
  };
  auto fills = [&](const Store& store) {
    return is_in(store.buffer, Scope::shared) && any_of(*store.value, [&](const Load& load) {
             return is_in(load.buffer, Scope::global);
           });
  };
  return any_of(*body,
                [&](const For& loop) { return loop.stages > 0 && any_of(*loop.body, fills); });
}

/// Whether much of the data that iterations use is gathered and can be prefetched.
bool prefetches_gathers(const PipelinePlan& plan) {
  for (const PrefetchList& list : plan.lists) {
    int64_t gathered = 0, all = 0;
    for (const PrefetchedCopy& copy : list.copies) {
      all += copy.bytes();
      if (copy.gather) gathered += copy.bytes();
    }
    if (list.loop && gathered > 0 && 4 * gathered >= all) return true;
  }
  return false;
}

/// Roles that redistribute registers own all of them, so such a block is alone on its processor. If
/// iterations wait for their own loads, concurrent blocks hide the latency, if there is room.
/// Gathers are prefetched in groups, while consumers would wait for them.
std::string reason_against_roles(const Func& func, const Kernel& kernel, const PipelinePlan& plan,
                                 const Target& target) {
  const bool gathers = prefetches_gathers(plan);
  if (!gathers && !target.register_handover) return "";
  if (!gathers && !iterations_load(kernel.body, KernelMemory(func, kernel))) return "";
  const Scheduled groups = schedule_groups(func, kernel, plan, target);
  if (!groups.refused.empty()) return "";
  if (gathers) return "its gathers are prefetched in groups";
  if (fills_processor(groups, target)) return "";
  return "it loads from tensors element by element, which several resident blocks hide";
}

/// Makes the blocks persistent if the grid has more blocks than run at once, and a processor runs
/// one at a time (128 x 64 tiles of a matmul, of which it runs two, were 12 % slower when
/// persistent).
void make_blocks_persistent(const Func& func, Stmt& kernel, const PipelinePlan& plan,
                            Scheduled& roles, PassContext& context) {
  const int64_t given = UnitOptions(func).processors;
  const int64_t processors = given >= 0 ? given : context.target.processors;
  if (!roles.refused.empty() || processors == 0) return;
  PersistentBlocks persistent;
  if (fills_processor(roles, context.target))
    persistent = persistent_blocks(func, to<Kernel>(kernel), plan, processors);
  else
    persistent.refused = "several run on a processor concurrently";
  Scheduled again;
  if (persistent.refused.empty()) {
    const Kernel& fewer = to<Kernel>(persistent.kernel);
    again = schedule_roles(func, fewer, plan_pipelines(func, fewer), context.target);
    persistent.refused = again.refused;
    if (persistent.refused.empty() && again.stages == 1 && roles.stages > 1)
      persistent.refused = "buffers of a tile's end would leave its rings one stage of " +
                           std::to_string(roles.stages);
  }
  const bool is_persistent = persistent.refused.empty();
  context.reasons.push_back(is_persistent ? "persistent blocks: " + persistent.summary
                                          : "one block per tile: " + persistent.refused);
  if (is_persistent) kernel = persistent.kernel, roles = again;
}

/// Whether the program synchronizes explicitly: with its own barriers, or copies that it waits for.
bool is_synchronized_explicitly(const Stmt& body) {
  return any_of(
      *body, [](const Buffer& buffer) { return buffer.scope == Scope::barrier; },
      [](const Copy& copy) { return has_explicit_wait(copy); },
      [](const Do& stmt) {
        const Call* call = as<Call>(stmt.call);
        return call && is_named_barrier(call->intrinsic);
      });
}

/// Whether the program gives the schedule of a loop explicitly.
bool orders_loops(const Stmt& body) {
  return any_of(*body, [](const For& loop) { return has_order(loop); });
}

/// The kernel, and the statements it needs before it.
Stmt with_schedule(const Kernel& kernel, const Scheduled& taken, PassContext& context) {
  context.reasons.insert(context.reasons.end(), taken.reasons.begin(), taken.reasons.end());
  context.decide(taken.summary);
  Kernel out(kernel);
  out.body = taken.body, out.block = taken.block;
  if (taken.blocks > kernel.min_blocks()) out.attrs.push_back(attr("min_blocks", taken.blocks));
  std::vector<Stmt> host = taken.maps;
  host.push_back(at(kernel.span, make(std::move(out))));
  return seq(std::move(host));
}

/// Number of copies that loops can prefetch; twice those that a second role can make.
int64_t prefetched_copies(const PipelinePlan& plan) {
  int64_t out = 0;
  for (const PrefetchList& list : plan.lists)
    if (list.loop) out += int64_t(list.copies.size()) * (list.sliced ? 2 : 1);
  return out;
}

/// A kernel and the plan of its copies.
struct Planned {
  Stmt kernel;
  PipelinePlan plan;
};

/// With conditions and offsets that come from tensors computed where they are used, if loops then
/// prefetch more copies.
Planned planned(const Func& func, const Stmt& kernel) {
  Planned out{kernel, plan_pipelines(func, to<Kernel>(kernel))};
  Kernel forwarded = with_forwarded_values(func, to<Kernel>(kernel));
  if (forwarded.body.same(to<Kernel>(kernel).body)) return out;
  Planned other{make(std::move(forwarded)), {}};
  other.plan = plan_pipelines(func, to<Kernel>(other.kernel));
  return prefetched_copies(other.plan) > prefetched_copies(out.plan) ? other : out;
}

/// The kernel in the first strategy that applies. If the program does not order its copies, the
/// compiler orders its matmuls as well: they complete with their statements, and overlap_matmul
/// decides what overlaps.
Stmt scheduled(const Func& func, const Kernel& program, PassContext& context) {
  const auto [pipelined, engines, asked] = to_schedule(program.body);
  if (!pipelined && !engines) return make(in_panels(func, program));
  Kernel given(program);
  if (!is_synchronized_explicitly(program.body))
    given.body = with_synchronous_matmuls(program.body);
  Stmt all = make(in_panels(func, given));
  if (is_synchronized_explicitly(given.body)) {
    const Kernel& kernel = to<Kernel>(all);
    Scheduled versions;
    if (pipelined) versions = schedule_explicit(func, kernel, context.target);
    if (pipelined && versions.refused.empty()) return with_schedule(kernel, versions, context);
    if (pipelined)
      context.reasons.push_back("T.Pipelined: in order: the program synchronizes explicitly; " +
                                versions.refused);
    return all;
  }
  all = make(with_leading_views(func, to<Kernel>(all)));
  const Stmt in_order = all;
  const Planned with_plan = planned(func, all);
  const PipelinePlan& plan = with_plan.plan;
  all = with_plan.kernel;
  if (pipelined && context.target.family != Family::cpu && orders_loops(given.body)) {
    Scheduled taken = schedule_ordered(func, to<Kernel>(all), plan, context.target, context);
    if (taken.refused.empty()) return with_schedule(to<Kernel>(all), taken, context);
  }
  for (const NonPipelinedCopy& copy : plan.non_pipelined)
    context.reasons.push_back(line_of(*copy.copy) + (as<Copy>(copy.copy) ? "copy" : "T.Parallel") +
                              ": not prefetched: " + copy.why);
  Scheduled roles = schedule_roles(func, to<Kernel>(all), plan, context.target);
  if (pipelined && roles.refused.empty())
    roles.refused = reason_against_roles(func, to<Kernel>(all), plan, context.target);
  Stmt chosen = all;  // `plan` is of `all`
  make_blocks_persistent(func, chosen, plan, roles, context);
  const Kernel& kernel = to<Kernel>(chosen);
  Scheduled taken =
      roles.refused.empty() ? roles : schedule_groups(func, kernel, plan, context.target);
  const bool can = context.target.tensor.exists || context.target.async_copy;
  if (pipelined && !roles.refused.empty())
    context.reasons.push_back("T.Pipelined: no roles: " + roles.refused);
  if (pipelined && !taken.refused.empty())
    context.reasons.push_back("T.Pipelined: no copies in groups: " + taken.refused);
  if (!taken.refused.empty()) {
    const bool lost = !plan.lists.empty() || !plan.non_pipelined.empty();
    // If memory is reserved, the runner reports what was lost.
    if (asked && can && (lost || asks_for_hardware_units(func)) && !reserved_shared(kernel))
      report_loop_in_order(kernel, plan, roles.refused, taken.refused, context);
    return in_order;
  }
  if (asked) report_copies_in_order(plan, context);
  return with_schedule(kernel, taken, context);
}

/// Copies by engines that are in no ring become loads and stores.
Stmt without_idle_engines(const Stmt& root) {
  const BufferTable buffers = buffers_of(root);
  const BufferViews views = views_of(*root);
  return rewrite_stmts(root, [&](const Stmt& s) -> Stmt {
    const Copy* copy = as<Copy>(s);
    if (!copy || (copy->by != CopyBy::engine && copy->by != CopyBy::async)) return s;
    if (has_explicit_wait(*copy)) return s;
    for (const Expr* side : {&copy->src, &copy->dst})
      if (auto it = buffers.find(views.base_of(to<Region>(*side).buffer)); it != buffers.end())
        if (it->second->ring) return s;
    Copy plain(*copy);
    plain.by = CopyBy::simt, plain.map = {};
    return make(std::move(plain));
  });
}

/// The body with results of matmuls stored in rows.
Stmt stores_in_rows(const FuncRef& func, PassContext& context) {
  return rewrite_stmts(func->body, [&](const Stmt& s) -> Stmt {
    const Kernel* kernel = as<Kernel>(s);
    if (!kernel) return s;
    Kernel staged = with_staged_stores(*func, *kernel, context.target, context.reasons);
    return staged.body.same(kernel->body) ? s : at(s->span, make(std::move(staged)));
  });
}

/// Removes unused tensor maps.
Stmt without_idle_maps(const Stmt& root) {
  std::set<Symbol> named;
  for_each(
      *root, [&](const Copy& copy) { named.insert(copy.map); },
      [&](const Name& name) { named.insert(name.id); },
      [&](const Kernel& kernel) { named.insert(kernel.params.begin(), kernel.params.end()); });
  return rewrite_stmts(root, [&](const Stmt& s) -> Stmt {
    const TensorMap* map = as<TensorMap>(s);
    return map && !named.count(map->name) ? seq({}) : s;
  });
}

}  // namespace

FuncRef schedule_pipelines(const FuncRef& func, PassContext& context) {
  int loops = 0;
  Stmt body = func->body;
  const bool units = uses_hardware_units(*func);
  FuncRef named = func;  // with the kernels already scheduled: names are unique in a function
  if (units)
    body = rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
      const Kernel* kernel = as<Kernel>(s);
      if (!kernel) return s;
      Stmt made = scheduled(*named, *kernel, context);
      if (!made.same(s)) named = with_body(func, seq({named->body, made}));
      return made;
    });
  body = loops_in_order(body, buffers_of(*func), context, loops);
  if (units) body = without_idle_maps(without_idle_engines(body));
  if (units) body = stores_in_rows(with_body(func, body), context);
  if (loops) context.decide(plural(loops, "pipelined loop") + ": in order");
  return with_body(func, body);
}

}  // namespace tilelab
