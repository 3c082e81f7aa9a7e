// SPDX-License-Identifier: Apache-2.0
// Conversions of small integers to floats of 16 bits as an `or` and a subtraction: codes of weights
// are such integers, and GPUs convert at a fraction of the rate at which they compute.
#pragma once

#include "core/analysis/ranges.h"
#include "core/ir/expr.h"

namespace tilelab {

/// `expr` with conversions of integers in [0, 2^m), m the bits of the fraction, by bits: of f16
///   f16(x)           ->  bits(x | 0x6400) - 1024
///   f16(x) - 8.0     ->  bits(x | 0x6400) - 1032
/// since 0x6400 is 1024, with fraction bits worth 1. Exact, so that no result changes.
Expr small_integers_by_bits(const Expr& expr, const RangeAnalysis& facts);

}  // namespace tilelab
