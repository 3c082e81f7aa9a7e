// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication for T.gemm: register-blocked, with exactly defined results.
//
// Each element of C is one chain of fused multiply-adds in increasing k, starting from C's old
// value (or 0): c = fma(a[i][k], b[k][j], c). M and N may be blocked, K is never split, so the
// result is bit-identical to the plain loop for every tile size, instruction set and IR level.
#pragma once

#include <cstdint>

#include "core/sim/lanes/lanes.h"

namespace tilelab::sim {

/// A matrix in memory: element (i, j) at data + (i * row_stride + j * col_stride) elements. Fast if
/// one of the strides is 1. Exchange the strides to transpose.
struct Matrix {
  void* data = nullptr;
  Elem elem = Elem::f32;
  int64_t row_stride = 0, col_stride = 1;
};

/// C[M x N] += A[M x K] B[K x N], or = with `clear`. Elements of A and B are converted to the type
/// of the chain: f64 if C is f64; f32 if C is another float (narrow C: widened before and rounded
/// after the whole chain); C's own if C is an integer, wrapping. Fast for floats of up to 32 bits,
/// f64, and integers of up to 32 bits into i32. The matrices must not overlap.
/// `tf32`: ignores the lower 13 bits of the significands of f32 operands.
void gemm(const Matrix& c, const Matrix& a, const Matrix& b, int64_t m, int64_t n, int64_t k,
          bool clear, bool tf32 = false);

}  // namespace tilelab::sim
