// SPDX-License-Identifier: Apache-2.0
// The functions that one instruction set provides for lanes/gemm.cpp.
#pragma once

#include <cstdint>

#include "core/sim/lanes/lanes.h"

namespace tilelab::sim {

/// Rows of A per micro kernel, and the longest run of k that is packed at once.
constexpr int64_t gemm_rows = 8, gemm_depth = 256;

struct GemmTable {
  int64_t columns;  // of B per micro kernel: the width of a packed panel
  /// out[i] = element i, as f32, of a run with a stride (in elements); any float kind except f64.
  void (*load_run)(float* out, const void* in, Elem elem, int64_t stride, int64_t n);
  /// The same for `rows` adjacent runs: run r from in + r * in_stride elements to out + r *
  /// out_stride.
  void (*load_rows)(float* out, int64_t out_stride, const void* in, Elem elem, int64_t in_stride,
                    int64_t rows, int64_t n);
  /// c[r][0..columns) += sum over k of a[r][k] * panel[k][0..columns), as fma chains. [rows - 1] is
  /// the kernel for a row count; a is [rows][depth], or [depth][gemm_rows] in the second array.
  using Micro = void (*)(int64_t depth, const float* a, const float* panel, float* c,
                         int64_t c_stride);
  Micro row_major[gemm_rows], k_major[gemm_rows];
  /// out[j * stride] = in[j]: a packed column.
  void (*spread)(float* out, int64_t stride, const float* in, int64_t n);
  /// c[j] = fma(a, b[j], c[j]) and c[j] += a * b[j], for kinds without a micro kernel.
  void (*axpy_f64)(double* c, double a, const double* b, int64_t n);
  void (*axpy_i32)(uint32_t* c, uint32_t a, const uint32_t* b, int64_t n);
};

}  // namespace tilelab::sim
