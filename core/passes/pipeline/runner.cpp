// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <iterator>

#include "core/diagnostics/render.h"
#include "core/ir/compare.h"
#include "core/ir/intrinsics/copied_elements.h"
#include "core/ir/traverse.h"
#include "core/ir/verify/verify.h"
#include "core/lint/lints.h"
#include "core/lint/no_outputs.h"
#include "core/passes/passes.h"
#include "core/passes/shared/hardware_units.h"
#include "core/support/interrupt.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr PassInfo kPasses[] = {
#define PASS(name, takes, gives, reassociates, doc, holds) \
  {#name, Level::takes, Level::gives, reassociates, doc, &name},
#include "core/ir/passes.def"
#undef PASS
};

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Snapshot run_pass(const PassInfo& pass, const FuncRef& func, const Target& target,
                  Diagnostics& diagnostics) {
  PassContext context{target, diagnostics, "", {}};
  Clock::time_point start = Clock::now();
  FuncRef result = pass.run(func, context);
  Snapshot snapshot{&pass, nullptr, milliseconds_since(start), context.decided, context.reasons};
  Func named(*result);
  named.after = pass.name;
  named.level = pass.gives;
  snapshot.changed = !equal(func->body, result->body) || pass.gives != pass.takes;
  snapshot.func = make(std::move(named));
  return snapshot;
}

/// Whether the rules of a level give the same result for both.
bool equal_for_rules(const Snapshot& now, const Snapshot& before) {
  auto same = [](const std::vector<Stmt>& a, const std::vector<Stmt>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Stmt& x, const Stmt& y) { return x.same(y); });
  };
  const Func &a = *now.func, &b = *before.func;
  return !now.changed && same(a.params, b.params) && same(a.dims, b.dims) &&
         a.outputs == b.outputs && a.target == b.target;
}

/// A function that violates a rule of its level is a bug of the pass that produced it.
void check_rules(const Snapshot& snapshot) {
  Diagnostics broken;
  if (verify(*snapshot.func, limits_of(*snapshot.func), broken)) return;
  UNREACHABLE(std::string("pass ") + snapshot.pass->name + ": " + render(broken).plain());
}

/// An IR text may be for another target: unsupported operations are the text's error.
void reject_foreign_operations(const Func& func, const Target& target, Diagnostics& diagnostics) {
  Span line;  // of the statement around a call that has none
  for_each(*func.body, [&](const Node& node) {
    if (node.span.known()) line = node.span;
    const Call* call = as<Call>(&node);
    const Buffer* buffer = as<Buffer>(&node);
    const bool barriers = buffer && buffer->scope == Scope::barrier;
    const Feature needs = call       ? needed(call->intrinsic, func.level)
                          : barriers ? Feature::barriers
                                     : Feature::any;
    if (!target.has(needs))
      diagnostics.report(Diag::target_lacks, line,
                         call ? name(call->intrinsic) : buffer->name.str(), target.name,
                         reason_without(needs));
  });
}

bool skipped(const PassInfo& pass, const PipelineOptions& options) {
  for (const std::string& name : options.skip)
    if (name == pass.name) return true;
  return false;
}

void run_all(const FuncRef& func, Diagnostics& diagnostics, const PipelineOptions& options,
             PipelineResult& result) {
  const Target* found = find_target(func->target);
  CHECK(found, "no target " + func->target);
  const Target& target = *found;
  reject_foreign_operations(*func, target, diagnostics);
  if (!diagnostics.ok()) return;
  bool due = func->after.empty();  // resume after the pass that produced the text
  for (const PassInfo& pass : kPasses) {
    if (!due) {
      due = func->after == pass.name;
      continue;
    }
    poll_interrupt();
    if (skipped(pass, options)) continue;
    if (result.func()->level != pass.takes) {
      diagnostics.report(Diag::pass_level, result.func()->body->span, pass.name, name(pass.takes),
                         name(result.func()->level));
      return;
    }
    if (pass.takes == Level::tile && pass.gives == Level::thread)
      warn_of_spilled_registers(*result.func(), target, diagnostics);
    Snapshot snapshot = run_pass(pass, result.func(), target, diagnostics);
    if (!diagnostics.ok()) return;
    const bool first = result.snapshots.size() == 1;  // the input may be invalid
    if (options.verify && (first || !equal_for_rules(snapshot, result.snapshots.back())))
      check_rules(snapshot);
    if (!options.keep && result.snapshots.size() > 1) result.snapshots.back().func = nullptr;
    result.snapshots.push_back(std::move(snapshot));
    if (options.stop_after == pass.name) break;
  }
  result.ok = true;
}

}  // namespace

std::span<const PassInfo> all_passes() { return kPasses; }

const PassInfo* find_pass(std::string_view name) {
  for (const PassInfo& pass : kPasses)
    if (name == pass.name) return &pass;
  return nullptr;
}

const Snapshot* PipelineResult::after(std::string_view pass) const {
  if (pass.empty() || pass == "elaborate") return snapshots.empty() ? nullptr : &snapshots.front();
  for (const Snapshot& snapshot : snapshots)
    if (snapshot.pass && pass == snapshot.pass->name) return &snapshot;
  return nullptr;
}

/// Runs the passes on the function without fallbacks.
static PipelineResult run_once(const FuncRef& func, Diagnostics& diagnostics,
                               const PipelineOptions& options) {
  PipelineResult result;
  result.snapshots.push_back({nullptr, func});
  InterruptScope scope(options.interrupt);
  try {
    run_all(func, diagnostics, options, result);
    if (result.ok && func->level == Level::tile && result.func()->level == Level::flat) {
      warn_of_lost_work(*func, diagnostics);
      warn_of_unwritten_elements(*func, diagnostics);
      warn_of_unread_elements(*func, diagnostics);
      warn_of_reduced_index(*func, diagnostics);
      warn_of_mismatched_tiles(*func, diagnostics);
      warn_of_unwaited_barriers(*func, diagnostics);
    }
  } catch (const Cancelled&) {
    result.interrupted = true;
  }
  return result;
}

namespace {

/// A configuration without a feature, for a kernel whose later passes could not implement it.
struct Fallback {
  const char* compiled_as;
  Attr config;
};

/// The preferred fallback first.
std::vector<Fallback> next_fallbacks(const PipelineResult& refused) {
  std::vector<Fallback> out;
  const Target& target = *find_target(refused.func()->target);
  const bool placed = refused.func()->after == "infer_layouts";
  if (const int64_t bytes = placed ? excess_shared_memory(*refused.func(), target) : 0; bytes > 0)
    out.push_back({"a kernel with fewer pipeline stages", attr("tilelab.kept_shared", bytes)});
  out.push_back(
      {"a kernel without warp specialization", attr("tl.disable_warp_specialized", true)});
  out.push_back({"a kernel without prefetched copies", attr("tilelab.loops_in_order", true)});
  out.push_back(
      {"loads, stores and loops without hardware units", attr("tilelab.hardware_units", false)});
  return out;
}

/// Reports that a fallback was taken, as a warning and among the reasons, with the errors of the
/// refused compilation.
void report_fallback(const Fallback& fallback, const Diagnostics& refused, PipelineResult& taken,
                     Diagnostics& diagnostics) {
  auto chosen = std::find_if(taken.snapshots.begin(), taken.snapshots.end(), [](const Snapshot& s) {
    return s.pass && s.pass->name == std::string_view("select_instructions");
  });
  for (const Diagnostic& each : refused.all()) {
    if (!each.is_error()) continue;
    diagnostics.report(Diag::slow_fallback, each.span, "this kernel", fallback.compiled_as)
        .note(each.message);
    if (chosen != taken.snapshots.end())
      chosen->reasons.insert(
          chosen->reasons.begin(),
          std::string("compiled as ") + fallback.compiled_as + ": " + each.message);
  }
}

}  // namespace

/// A later pass may be unable to implement the hardware units that an earlier one chose: then the
/// (immutable) input is compiled again with the next fallback, and finally without hardware units.
PipelineResult run_passes(const FuncRef& func, Diagnostics& diagnostics,
                          const PipelineOptions& options) {
  if (!uses_hardware_units(*func)) return run_once(func, diagnostics, options);
  Diagnostics reported;
  PipelineResult result = run_once(func, reported, options);
  if (!result.ok && !result.interrupted && result.after("select_instructions")) {
    FuncRef next = func;
    for (const Fallback& fallback : next_fallbacks(result)) {
      next = with_config(next, fallback.config);
      Diagnostics reported_there;
      PipelineResult there = run_once(next, reported_there, options);
      if (!there.ok) continue;
      report_fallback(fallback, reported, there, reported_there);
      diagnostics.append(reported_there);
      return there;
    }
  }
  diagnostics.append(reported);
  return result;
}

}  // namespace tilelab
