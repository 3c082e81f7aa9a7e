// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/simplify.h"

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab {

std::optional<Axis> unrolled_axis(const For& loop) {
  const auto lo = int_value(loop.lo), hi = int_value(loop.hi);
  const bool plain = loop.mode == LoopMode::unroll && loop.steps.empty() &&
                     (!loop.step || is_int(loop.step, 1)) && lo == 0 && hi && *hi > 0;
  return plain ? std::optional(Axis{loop.var, *hi}) : std::nullopt;
}

int64_t count(const Axes& axes) {
  int64_t out = 1;
  for (const Axis& axis : axes) out *= axis.extent;
  return out;
}

Expr position_of(const Axes& axes) {
  Expr out = int_const(0);
  for (const Axis& axis : axes) out = add(mul(out, int_const(axis.extent)), name_ref(axis.var));
  return out;
}

Stmt for_each_of(const Axes& axes, Stmt body) {
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis)
    body = for_loop(axis->var, int_const(0), int_const(axis->extent), body, LoopMode::unroll);
  return body;
}

Stmt registers_for(const Axes& axes, Symbol name, DType dtype) {
  return make(new_buffer(name, Scope::local, dtype, {int_const(count(axes))}));
}

Axes axes_in(const Expr& e, const Axes& around) {
  Axes out;
  for (const Axis& axis : around)
    if (mentions(e, axis.var)) out.push_back(axis);
  return out;
}

}  // namespace tilelab
