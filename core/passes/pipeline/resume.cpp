// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pipeline/pipeline.h"

#include "core/ir/stages.h"
#include "core/ir/verify/verify.h"
#include "core/passes/pass.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

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
    const std::vector<std::string> names = names_of(all_targets());
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
  PipelineOptions of_text = options;
  of_text.from_text = true;
  return run_passes(func, diagnostics, of_text);
}

}  // namespace tilelab
