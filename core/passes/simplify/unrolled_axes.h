// SPDX-License-Identifier: Apache-2.0
// Values that depend on variables of unrolled loops, in an array of registers: one for each
// combination.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/expr.h"
#include "core/ir/node.h"
#include "core/ir/stmt.h"

namespace tilelab {

/// An unrolled loop around an expression, from 0 to `extent`.
struct Axis {
  Symbol var;
  int64_t extent;
  bool operator==(const Axis&) const = default;
};
using Axes = std::vector<Axis>;

std::optional<Axis> unrolled_axis(const For& loop);

/// Number of combinations.
int64_t count(const Axes& axes);
/// Row-major position of a combination.
Expr position_of(const Axes& axes);
/// The loops over all combinations.
Stmt for_each_of(const Axes& axes, Stmt body);
/// The array of registers.
Stmt registers_for(const Axes& axes, Symbol name, DType dtype);
/// Those axes whose variables the expression contains.
Axes axes_in(const Expr& e, const Axes& around);

}  // namespace tilelab
