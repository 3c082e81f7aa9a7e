// SPDX-License-Identifier: Apache-2.0
#include "core/passes/canonicalize/canonicalize.h"

#include <unordered_set>
#include <utility>

#include "core/ir/build.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

bool is_register_operand(const Call& call, size_t i) {
  return operand_info(call.intrinsic, i)->kind == OperandKind::local;
}

/// Replaces names by their values in the indices of registers, scope by scope.
class Namer {
 public:
  Stmt visit(const Stmt& stmt) {
    if (const Let* let = as<Let>(stmt)) return bind(*let), stmt;
    if (const Call* call = warp_matrices(stmt)) return with_values(stmt, *call);
    if (as<Seq>(stmt)) return children(stmt);
    const Substitution outer = values_;
    Stmt out = children(stmt);
    values_ = outer;
    return out;
  }

 private:
  Stmt children(const Stmt& stmt) {
    return map_stmts(stmt, [&](const Stmt& inner) { return visit(inner); });
  }

  void bind(const Let& let) {
    values_.erase(let.name);
    const bool computed = !contains<Load, Call>(*let.value) && !is_float(let.value->type.dtype);
    if (computed) values_.emplace(let.name, substitute(let.value, values_));
  }

  Stmt with_values(const Stmt& stmt, const Call& call) const {
    Call out(call);
    for (size_t i = 0; i < out.args.size(); ++i) {
      if (!is_register_operand(call, i)) continue;
      Region operand(to<Region>(out.args[i]));
      for (RegionDim& dim : operand.dims) dim.lo = substitute(dim.lo, values_);
      out.args[i] = at(call.args[i]->span,
                       region(operand.buffer, operand.type.dtype, std::move(operand.dims)));
    }
    return at(stmt->span, do_call(out.intrinsic, std::move(out.args), std::move(out.attrs)));
  }

  Substitution values_;
};

bool is_constant(const For& loop) {
  return loop.steps.empty() && loop.stages <= 0 && int_value(loop.lo) && int_value(loop.hi) &&
         int_value(loop.step);
}

}  // namespace

Stmt unroll_register_loops(const Stmt& body) {
  const bool any =
      any_of(*body, [](const Call& call) { return expands_to_shuffles(call.intrinsic); });
  if (!any) return body;
  const Stmt named = Namer().visit(body);
  std::unordered_set<Symbol> selects;
  for_each(*named, [&](const Call& call) {
    for (size_t i = 0; expands_to_shuffles(call.intrinsic) && i < call.args.size(); ++i)
      if (is_register_operand(call, i))
        for_each(*call.args[i], [&](const Name& name) { selects.insert(name.id); });
  });
  return rewrite_stmts(named, [&](const Stmt& stmt) {
    const For* loop = as<For>(stmt);
    const bool unrolls = loop && loop->mode == LoopMode::serial && is_constant(*loop);
    if (!unrolls || !selects.count(loop->var)) return stmt;
    For out(*loop);
    out.mode = LoopMode::unroll;
    return at(stmt->span, make(std::move(out)));
  });
}

}  // namespace tilelab
