// SPDX-License-Identifier: Apache-2.0
#include "core/lint/lints.h"

#include <unordered_set>

#include "core/ir/build.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/ir/traverse.h"

namespace tilelab {

namespace {

using UnrolledLoops = std::unordered_set<Symbol>;

void verify_registers(const Do& statement, const UnrolledLoops& constants, Diagnostics& sink) {
  const Call* call = as<Call>(statement.call);
  if (!call || !expands_to_shuffles(call->intrinsic)) return;
  for (size_t i = 0; i < call->args.size(); ++i) {
    if (operand_info(call->intrinsic, i)->kind != OperandKind::local) continue;
    const Region& registers = to<Region>(call->args[i]);
    const bool named = !any_of(
        registers, [](const Load&) { return true; },
        [&](const Name& name) { return !constants.count(name.id); });
    if (named) continue;
    sink.report(Diag::statement_unsupported, statement.span,
                "registers of `" + registers.buffer.str() + "` that are selected at run time")
        .help("select registers by constants, or by variables of loops with constant bounds");
    return;
  }
}

/// `constants`: the variables of the enclosing unrolled loops.
void visit_registers(const Stmt& stmt, const UnrolledLoops& constants, Diagnostics& sink) {
  if (const Do* statement = as<Do>(stmt)) verify_registers(*statement, constants, sink);
  const For* loop = as<For>(stmt);
  UnrolledLoops inner = constants;
  if (loop && loop->mode == LoopMode::unroll) inner.insert(loop->var);
  if (loop && loop->mode != LoopMode::unroll) inner.erase(loop->var);
  for_each_stmt(*stmt, [&](const Stmt& s) { visit_registers(s, inner, sink); });
}

}  // namespace

void verify_register_indices(const Kernel& kernel, Diagnostics& sink) {
  const bool any =
      any_of(*kernel.body, [](const Call& call) { return expands_to_shuffles(call.intrinsic); });
  if (any) visit_registers(kernel.body, {}, sink);
}

}  // namespace tilelab
