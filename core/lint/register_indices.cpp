// SPDX-License-Identifier: Apache-2.0
#include "core/lint/register_indices.h"

#include <unordered_set>

#include "core/ir/build.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/ir/traverse.h"

namespace tilelab {

void verify_register_indices(const Kernel& kernel, Diagnostics& sink) {
  std::unordered_set<Symbol> constants;
  for_each(*kernel.body, [&](const For& loop) {
    if (loop.mode == LoopMode::unroll) constants.insert(loop.var);
  });
  for_each(*kernel.body, [&](const Do& statement) {
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
  });
}

}  // namespace tilelab
