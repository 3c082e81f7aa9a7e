// SPDX-License-Identifier: Apache-2.0
// Micro kernels of the matrix multiplication (compiled once per instruction set). Lanes run along
// N, so each element of C keeps its own chain in increasing k.
#include <cmath>
#include <utility>

#include "core/sim/lanes/isa/gemm_table.h"
#include "core/sim/lanes/isa/widen.h"

namespace tilelab::sim {
namespace {

#if defined(__AVX512F__)
struct Vec {
  __m512 v;
  static constexpr int lanes = 16;
  static TILELAB_INLINE Vec load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static TILELAB_INLINE Vec all(float x) { return {_mm512_set1_ps(x)}; }
  TILELAB_INLINE void store(float* p) const { _mm512_storeu_ps(p, v); }
};
TILELAB_INLINE Vec fma(Vec a, Vec b, Vec c) { return {_mm512_fmadd_ps(a.v, b.v, c.v)}; }
#elif defined(__FMA__)
struct Vec {
  __m256 v;
  static constexpr int lanes = 8;
  static TILELAB_INLINE Vec load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static TILELAB_INLINE Vec all(float x) { return {_mm256_set1_ps(x)}; }
  TILELAB_INLINE void store(float* p) const { _mm256_storeu_ps(p, v); }
};
TILELAB_INLINE Vec fma(Vec a, Vec b, Vec c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
#else
struct Vec {
  float v[4];
  static constexpr int lanes = 4;
  static TILELAB_INLINE Vec load(const float* p) { return {{p[0], p[1], p[2], p[3]}}; }
  static TILELAB_INLINE Vec all(float x) { return {{x, x, x, x}}; }
  TILELAB_INLINE void store(float* p) const {
    for (int i = 0; i < 4; ++i) p[i] = v[i];
  }
};
TILELAB_INLINE Vec fma(Vec a, Vec b, Vec c) {
  Vec r;
  for (int i = 0; i < 4; ++i) r.v[i] = fma_f32(a.v[i], b.v[i], c.v[i]);
  return r;
}
#endif

constexpr int vectors =
    Vec::lanes == 16 ? 2 : 1;  // of a row of the block: 8 x 2 or 8 x 1 accumulators
constexpr int64_t columns = vectors * Vec::lanes;

template <int rows, bool k_major>
void micro(int64_t depth, const float* a, const float* panel, float* c, int64_t c_stride) {
  Vec acc[rows][vectors];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) acc[r][v] = Vec::load(c + r * c_stride + v * Vec::lanes);
  for (int64_t k = 0; k < depth; ++k) {
    Vec b[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) b[v] = Vec::load(panel + k * columns + v * Vec::lanes);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      Vec x = Vec::all(k_major ? a[k * gemm_rows + r] : a[r * depth + k]);
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) acc[r][v] = fma(x, b[v], acc[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) acc[r][v].store(c + r * c_stride + v * Vec::lanes);
}

template <class T> void load_typed(float* out, const T* in, int64_t stride, int64_t n) {
  if (stride == 1) {
    if constexpr (std::is_same_v<T, float>)
      std::memcpy(out, in, size_t(n) * sizeof(float));
    else
      widen(out, in, size_t(n));
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, float>)
      out[i] = in[i * stride];
    else
      out[i] = to_f32(in[i * stride]);
  }
}

/// f(pointer to the elements), which are floats of that kind.
template <class F> void with_type(const void* in, Elem elem, F&& f) {
  switch (elem) {
    case Elem::f16: return f(static_cast<const F16*>(in));
    case Elem::bf16: return f(static_cast<const Bf16*>(in));
    case Elem::e4m3: return f(static_cast<const E4m3*>(in));
    case Elem::e5m2: return f(static_cast<const E5m2*>(in));
    case Elem::e4m3fnuz: return f(static_cast<const E4m3fnuz*>(in));
    case Elem::e5m2fnuz: return f(static_cast<const E5m2fnuz*>(in));
    case Elem::e8m0: return f(static_cast<const E8m0*>(in));
    case Elem::e2m1: return f(static_cast<const E2m1*>(in));
    default: return f(static_cast<const float*>(in));
  }
}

void load_run(float* out, const void* in, Elem elem, int64_t stride, int64_t n) {
  with_type(in, elem, [&](auto* p) { load_typed(out, p, stride, n); });
}

void load_rows(float* out, int64_t out_stride, const void* in, Elem elem, int64_t in_stride,
               int64_t rows, int64_t n) {
  with_type(in, elem, [&](auto* p) {
    for (int64_t r = 0; r < rows; ++r) load_typed(out + r * out_stride, p + r * in_stride, 1, n);
  });
}

void spread(float* out, int64_t stride, const float* in, int64_t n) {
  for (int64_t j = 0; j < n; ++j) out[j * stride] = in[j];
}

void axpy_f64(double* c, double a, const double* b, int64_t n) {
  for (int64_t j = 0; j < n; ++j) c[j] = std::fma(a, b[j], c[j]);
}
void axpy_i32(uint32_t* c, uint32_t a, const uint32_t* b, int64_t n) {
  LANE_LOOP
  for (int64_t j = 0; j < n; ++j) c[j] += a * b[j];
}

template <size_t... r> void set_micros(GemmTable& t, std::index_sequence<r...>) {
  ((t.row_major[r] = micro<int(r) + 1, false>), ...);
  ((t.k_major[r] = micro<int(r) + 1, true>), ...);
}

}  // namespace

void ISA_NAME(fill_gemm_)(GemmTable& t) {
  t.columns = columns;
  t.load_run = load_run;
  t.load_rows = load_rows;
  t.spread = spread;
  t.axpy_f64 = axpy_f64;
  t.axpy_i32 = axpy_i32;
  set_micros(t, std::make_index_sequence<gemm_rows>());
}

}  // namespace tilelab::sim
