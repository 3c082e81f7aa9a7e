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
#include "core/passes/pass.h"
#include "core/passes/pipeline/pipeline.h"
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
    const bool copy = as<ClusterCopy>(&node);
    const Kernel* kernel = as<Kernel>(&node);
    const bool resident = kernel && find_attr(kernel->attrs, kResident);
    const Feature needs = call       ? needed(call->intrinsic, func.level)
                          : barriers ? Feature::barriers
                          : copy     ? Feature::clusters
                          : resident ? Feature::resident_blocks
                                     : Feature::any;
    if (!target.has(needs))
      diagnostics.report(Diag::target_lacks, line,
                         call       ? name(call->intrinsic)
                         : copy     ? ClusterCopy::kCall
                         : resident ? "T.sync_grid() in a loop or a branch"
                                    : buffer->name.str(),
                         target.name, reason_without(needs));
  });
}

bool skipped(const PassInfo& pass, const PipelineOptions& options) {
  for (const std::string& name : options.skip)
    if (name == pass.name) return true;
  return false;
}

/// A compilation, with the messages of each snapshot and of the pass that refused the last one.
struct Attempt {
  PipelineResult result;
  std::vector<Diagnostics> said;

  /// The pass's snapshot, or the end.
  std::vector<Snapshot>::iterator of(std::string_view pass) {
    return std::find_if(result.snapshots.begin(), result.snapshots.end(),
                        [&](const Snapshot& s) { return s.pass && s.pass->name == pass; });
  }
  /// Goes back to before the pass, on another input; returns false if it did not run.
  bool rewind(std::string_view pass, FunctionRef<FuncRef(const FuncRef&)> change) {
    auto at = of(pass);
    if (at == result.snapshots.end()) return false;
    result.snapshots.erase(at, result.snapshots.end());
    said.resize(result.snapshots.size());
    FuncRef& input = result.snapshots.back().func;
    input = change(input);
    return true;
  }
};

/// Reports the rules of its level that the elaborated function violates: errors of the user's that
/// elaboration accepted. Called only after a pass has failed: verifying takes time, and nearly
/// every input is valid. Returns whether there are any.
bool report_invalid_input(const PipelineResult& before, Diagnostics& said) {
  const Func& input = *before.snapshots.front().func;
  Diagnostics broken;
  if (!input.after.empty() || verify(input, limits_of(input), broken)) return false;
  said.append(broken);
  return true;
}

/// Runs one pass and checks the rules of its result. The verifier and verify_kernel reject texts
/// that a pass does not support; ir_mutants searches for those that they accept (`throws`). The
/// catch is the last resort: a user still gets a message.
Snapshot run_checked(const PassInfo& pass, const PipelineResult& before, const Target& target,
                     const PipelineOptions& options, Diagnostics& said) {
  try {
    Snapshot snapshot = run_pass(pass, before.func(), target, said);
    const bool first = before.snapshots.size() == 1;  // the input may be invalid
    if (said.ok() && options.verify &&
        (first || !equal_for_rules(snapshot, before.snapshots.back())))
      check_rules(snapshot);
    return snapshot;
  } catch (const InternalError&) {
    if (options.throws) throw;
    if (report_invalid_input(before, said)) return {};
    if (!options.from_text) throw;
    said.report(Diag::ir_rule, before.func()->span,
                std::string("the pass ") + pass.name + " cannot process this text")
        .help(
            "compare it with the text before the edit: it follows the rules of its level, but no "
            "pass produces such a text");
    return {};
  }
}

/// Runs the passes that follow the last snapshot.
void run_rest(Attempt& attempt, const Target& target, const PipelineOptions& options) {
  PipelineResult& result = attempt.result;
  const std::string& after = result.func()->after;
  const PassInfo* pass = after.empty() ? std::begin(kPasses) : find_pass(after);
  if (pass && !after.empty()) ++pass;
  for (; pass && pass != std::end(kPasses); ++pass) {
    poll_interrupt();
    if (skipped(*pass, options)) continue;
    Diagnostics& said = attempt.said.emplace_back();
    if (result.func()->level != pass->takes) {
      said.report(Diag::pass_level, result.func()->body->span, pass->name, name(pass->takes),
                  name(result.func()->level));
      return;
    }
    if (pass->takes == Level::tile && pass->gives == Level::thread)
      warn_of_spilled_registers(*result.func(), target, said);
    Snapshot snapshot = run_checked(*pass, result, target, options, said);
    if (!said.ok()) return;
    result.snapshots.push_back(std::move(snapshot));
    if (options.stop_after == pass->name) break;
  }
  result.ok = true;
}

/// Goes back to the choice that leaves too little shared memory to the layouts: the kernels are
/// scheduled again with fewer stages or none, or, without rings, compiled without hardware units.
/// Returns false if plan_shared_memory has not refused the layouts, or nothing is left to give up.
bool give_up_memory(Attempt& attempt, const Target& target) {
  const Func& placed = *attempt.result.func();
  const Snapshot* scheduled = attempt.result.after("schedule_pipelines");
  if (placed.after != "infer_layouts" || !scheduled || !uses_hardware_units(placed)) return false;
  const auto lacking = excessive_layouts(*scheduled->func, placed, target);
  if (lacking.empty()) return false;
  bool can_shrink = true;  // rings of the program keep their stages, whatever is reserved
  for_each_of_host(*scheduled->func, [&](const Kernel& kernel) {
    if (auto it = lacking.find(kernel.name); it != lacking.end())
      can_shrink &= contains<Ring>(*kernel.body) && it->second > reserved_shared(kernel);
  });
  if (!can_shrink)
    return attempt.rewind("select_instructions",
                          [](const FuncRef& func) { return without_hardware_units(func); });
  return attempt.rewind("schedule_pipelines", [&](const FuncRef& func) {
    return rewrite_kernels(func, [&](const Kernel& kernel) {
      auto it = lacking.find(kernel.name);
      return make(it == lacking.end() ? kernel : with_reserved_shared(kernel, it->second));
    });
  });
}

/// What a kernel lost whose first schedule needed too much shared memory.
const char* compiled_as(const Func& first, const Func& taken) {
  if (!uses_hardware_units(taken)) return "loads, stores and loops without hardware units";
  if (!contains<Ring>(*taken.body)) return "a kernel without prefetched copies";
  const bool no_roles = contains<Role>(*first.body) && !contains<Role>(*taken.body);
  return no_roles ? "a kernel without warp specialization" : "a kernel with fewer pipeline stages";
}

/// Reports what was given up, as a warning and among the reasons, with the errors of the first
/// attempt.
void report_fallback(const Attempt& first, Attempt& taken) {
  const char* as = compiled_as(*first.result.after("schedule_pipelines")->func,
                               *taken.result.after("schedule_pipelines")->func);
  auto chosen = taken.of("select_instructions");
  for (const Diagnostic& each : first.said.back().all()) {
    if (!each.is_error()) continue;
    taken.said.back().report(Diag::slow_fallback, each.span, "this kernel", as).note(each.message);
    if (chosen != taken.result.snapshots.end())
      chosen->reasons.insert(chosen->reasons.begin(),
                             std::string("compiled as ") + as + ": " + each.message);
  }
}

/// Compiles again with less shared memory, while that is what the kernels lack.
void compile_again(Attempt& attempt, const Target& target, const PipelineOptions& options) {
  const Attempt first = attempt;
  while (!attempt.result.ok && give_up_memory(attempt, target)) run_rest(attempt, target, options);
  if (attempt.result.ok)
    report_fallback(first, attempt);
  else
    attempt = first;
}

/// Lints of a kernel that compiles.
void warn_of_kernel(const Func& func, Diagnostics& diagnostics) {
  warn_of_lost_work(func, diagnostics);
  const std::vector<AccessedTensor> tensors = tensor_accesses(func);
  warn_of_unwritten_elements(tensors, diagnostics);
  warn_of_unread_elements(tensors, diagnostics);
  warn_of_reduced_index(func, diagnostics);
  warn_of_mismatched_tiles(func, diagnostics);
  warn_of_unwaited_barriers(func, diagnostics);
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

PipelineResult run_passes(const FuncRef& func, Diagnostics& diagnostics,
                          const PipelineOptions& options) {
  const Target* target = find_target(func->target);
  CHECK(target, "no target " + func->target);
  Attempt attempt;
  attempt.result.snapshots.push_back({nullptr, func});
  attempt.said.emplace_back();
  InterruptScope scope(options.interrupt);
  try {
    reject_foreign_operations(*func, *target, attempt.said.back());
    if (attempt.said.back().ok()) run_rest(attempt, *target, options);
    if (!attempt.result.ok) compile_again(attempt, *target, options);
    if (attempt.result.ok && attempt.result.func()->level != Level::tile)
      check_required_paths(attempt.result, attempt.said.back());
    attempt.result.ok = attempt.result.ok && attempt.said.back().ok();
    const bool complete = func->level == Level::tile && attempt.result.func()->level == Level::flat;
    if (attempt.result.ok && complete && !options.from_text)
      warn_of_kernel(*func, attempt.said.back());
  } catch (const Cancelled&) {
    attempt.result.interrupted = true;
  }
  for (const Diagnostics& each : attempt.said) diagnostics.append(each);
  std::vector<Snapshot>& all = attempt.result.snapshots;
  for (size_t i = 1; i + 1 < all.size() && !options.keep; ++i) all[i].func = nullptr;
  return std::move(attempt.result);
}

}  // namespace tilelab
