// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pipeline/resume.h"

#include "core/ir/stages.h"
#include "core/ir/verify/verify.h"
#include "core/passes/passes.h"
#include "core/support/check.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

bool is_later_pass(const PassInfo& pass, const Func& func) {
  return func.after.empty() || &pass > find_pass(func.after);
}

/// Runs one pass on `func` and appends its snapshot to `all`; false if the pipeline ends here. The
/// verifier and verify_kernel reject unsupported input before the pass; ir_mutants searches for IR
/// texts that they accept (`throws`). The catch is the last resort: a user still gets a message.
bool run_one(const PassInfo& pass, Diagnostics& diagnostics, PipelineOptions options,
             PipelineResult& all) {
  const FuncRef func = all.func();
  options.stop_after = pass.name;
  options.keep = true;
  try {
    PipelineResult one = run_passes(func, diagnostics, options);
    all.interrupted = one.interrupted;
    if (one.snapshots.size() > 1) all.snapshots.push_back(std::move(one.snapshots.back()));
    return one.ok;
  } catch (const InternalError&) {
    if (options.throws) throw;
    diagnostics
        .report(Diag::ir_rule, func->span,
                std::string("the pass ") + pass.name + " cannot process this text")
        .help(
            "compare it with the text before the edit: it follows the rules of its level, but no "
            "pass produces such a text");
    return false;
  }
}

/// Runs verify_kernel again on an IR text that may have been edited: later passes rely on its
/// checks.
bool passes_verify_kernel(const FuncRef& func, Diagnostics& diagnostics) {
  if (func->level != Level::tile || stage_of(func->after) < Stage::verify_kernel) return true;
  PassContext context{*find_target(func->target), diagnostics, "", {}};
  verify_kernel(func, context);
  return diagnostics.ok();
}

}  // namespace

PipelineResult run_passes_on_text(const FuncRef& func, Diagnostics& diagnostics,
                                  const PipelineOptions& options) {
  PipelineResult all;
  all.snapshots.push_back({nullptr, func});
  if (!find_target(func->target)) {
    std::vector<std::string> names;
    for (const Target& target : all_targets()) names.emplace_back(target.name);
    diagnostics.report(Diag::ir_header, func->span, "`" + func->target + "` is not a target")
        .help("the targets are " + join(names, ", "));
    return all;
  }
  if (!func->after.empty() && !find_pass(func->after)) {
    diagnostics.report(Diag::ir_header, func->span, "`" + func->after + "` is not a pass");
    return all;
  }
  if (!verify(*func, limits_of(*func), diagnostics)) return all;
  if (!passes_verify_kernel(func, diagnostics)) return all;
  for (const PassInfo& pass : all_passes()) {
    if (!is_later_pass(pass, *func)) continue;
    if (!run_one(pass, diagnostics, options, all)) return all;
    if (options.stop_after == pass.name) break;
  }
  all.ok = true;
  return all;
}

}  // namespace tilelab
