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

/// C[M x N] += A[M x K] B[K x N], or = with `clear`. By the kind of C:
/// f32, f16, bf16: A and B of any float kind except f64, computed in f32 (narrow C: widened before
/// and rounded after the whole chain); f64: A and B float, the chain in f64; i32: A and B integers
/// of at most 32 bits, wrapping. Other combinations: see `gemm_exists`. The matrices must not
/// overlap.
/// `tf32`: ignores the lower 13 bits of the significands of f32 operands.
void gemm(const Matrix& c, const Matrix& a, const Matrix& b, int64_t m, int64_t n, int64_t k,
          bool clear, bool tf32 = false);
bool gemm_exists(Elem c, Elem a, Elem b);

}  // namespace tilelab::sim
