// SPDX-License-Identifier: Apache-2.0
// Evaluation of constants and the exact identities x + 0, x * 1, ... of integers. One place that
// says what an operation gives; the simulator's kernels are tested against it.
#pragma once

#include "core/ir/expr.h"

namespace tilelab {

/// The simpler expression, or null. Floats fold only when all operands are constant.
Expr fold(const Un& node);
Expr fold(const Bin& node);
Expr fold(const Cast& node);
Expr fold(const Call& node);

/// The quotient rounded down; b is not 0.
constexpr int64_t floor_div(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}
/// Integer operations of the IR on values already wrapped to `dtype`. Division by zero gives 0.
int64_t fold_int(BinOp op, DType dtype, int64_t a, int64_t b);
/// Floating operations, each rounded once to `dtype`.
double fold_float(BinOp op, DType dtype, double a, double b);

}  // namespace tilelab
