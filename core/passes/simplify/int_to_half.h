// SPDX-License-Identifier: Apache-2.0
// Converts small integers to 16-bit floats by an `or` and a subtraction: quantized weights are such
// integers, and the throughput of conversions on GPUs is a fraction of that of arithmetic.
#pragma once

#include "core/analysis/ranges.h"
#include "core/ir/expr.h"

namespace tilelab {

/// `expr` with bitwise conversions of integers in [0, 2^m), m the bits of the fraction: for f16
///   f16(x)           ->  bits(x | 0x6400) - 1024
///   f16(x) - 8.0     ->  bits(x | 0x6400) - 1032
/// since 0x6400 is 1024, with fraction bits of weight 1. The result is exact.
Expr small_integers_by_bits(const Expr& expr, const RangeAnalysis& facts);

}  // namespace tilelab
