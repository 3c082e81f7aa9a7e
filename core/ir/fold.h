// SPDX-License-Identifier: Apache-2.0
// Constant folding and the exact identities x + 0, x * 1, ... of integers. The single definition of
// each operation's result; the simulator's kernels are tested against it.
#pragma once

#include "core/ir/expr.h"

namespace tilelab {

/// The simpler expression, or null. Floats fold only if all operands are constant.
Expr fold(const Un& node);
Expr fold(const Bin& node);
Expr fold(const Cast& node);
Expr fold(const Call& node);
/// The same of any expression, and the chosen side of a select; or the expression itself.
Expr folded(const Expr& e);

/// The quotient rounded down; b must not be 0.
constexpr int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}
/// The quotient rounded up; b must not be 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return floor_div(a, b) + (a % b != 0); }
/// Integer operations of the IR on values already wrapped to `dtype`. Division by zero gives 0.
int64_t fold_int(BinOp op, DType dtype, int64_t a, int64_t b);
/// Floating operations, each rounded once to `dtype`.
double fold_float(BinOp op, DType dtype, double a, double b);

}  // namespace tilelab
