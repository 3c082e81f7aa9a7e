// SPDX-License-Identifier: Apache-2.0
// Lane kinds as C++ types, and the narrow floats <-> f32 in bulk. Included by the per-ISA files
// only.
#pragma once

#include <cstring>
#include <type_traits>
#if defined(__F16C__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "core/sim/lanes/isa/isa.h"
#include "core/support/dtype_codec.h"

namespace tilelab::sim {
namespace {

template <Elem E> struct LaneType;
#define LANE_TYPE(elem, type) \
  template <> struct LaneType<Elem::elem> { using Type = type; };
template <class T> constexpr bool narrow_float = false;
#define NARROW_FLOAT(elem, type, word)                                  \
  struct type {                                                         \
    word bits;                                                          \
  };                                                                    \
  LANE_TYPE(elem, type)                                                 \
  template <> constexpr bool narrow_float<type> = true;                 \
  TILELAB_INLINE float to_f32(type x) { return elem##_to_f32(x.bits); } \
  TILELAB_INLINE void from_f32(type& to, float x) { to.bits = f32_to_##elem(x); }
NARROW_FLOAT(e4m3, E4m3, uint8_t)
NARROW_FLOAT(e5m2, E5m2, uint8_t)
NARROW_FLOAT(e4m3fnuz, E4m3fnuz, uint8_t)
NARROW_FLOAT(e5m2fnuz, E5m2fnuz, uint8_t)
NARROW_FLOAT(e8m0, E8m0, uint8_t)
NARROW_FLOAT(e2m1, E2m1, uint8_t)
NARROW_FLOAT(f16, F16, uint16_t)
NARROW_FLOAT(bf16, Bf16, uint16_t)
#undef NARROW_FLOAT

struct Bool {
  uint8_t bits;
};

LANE_TYPE(bool_, Bool)
LANE_TYPE(i8, int8_t)
LANE_TYPE(u8, uint8_t)
LANE_TYPE(i16, int16_t)
LANE_TYPE(u16, uint16_t)
LANE_TYPE(i32, int32_t)
LANE_TYPE(u32, uint32_t)
LANE_TYPE(i64, int64_t)
LANE_TYPE(u64, uint64_t)
LANE_TYPE(f32, float)
LANE_TYPE(f64, double)
#undef LANE_TYPE
template <Elem E> using Lane = typename LaneType<E>::Type;

/// Narrow floats are computed in pieces of this many lanes.
constexpr size_t piece = 256;

template <class T> void widen(float* out, const T* in, size_t n) {
  size_t i = 0;
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, F16>) {
    for (; i + 16 <= n; i += 16) {
      __m256i half = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i));
      _mm512_storeu_ps(out + i, _mm512_cvtph_ps(half));
    }
  }
#endif
#if defined(__F16C__)
  if constexpr (std::is_same_v<T, F16>) {
    for (; i + 8 <= n; i += 8) {
      __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i));
      _mm256_storeu_ps(out + i, _mm256_cvtph_ps(half));
    }
  }
#endif
  LANE_LOOP
  for (size_t j = i; j < n; ++j) out[j] = to_f32(in[j]);
}

template <class T> void narrow(T* out, const float* in, size_t n) {
  size_t i = 0;
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<T, F16>) {
    for (; i + 16 <= n; i += 16) {
      __m256i half = _mm512_cvtps_ph(_mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), half);
    }
  }
#elif defined(__F16C__)
  if constexpr (std::is_same_v<T, F16>) {
    for (; i + 8 <= n; i += 8) {
      __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), half);
    }
  }
#endif
  LANE_LOOP
  for (size_t j = i; j < n; ++j) from_f32(out[j], in[j]);
}

/// a * b + c rounded once to f32, on every instruction set. Without FMA hardware: the product is
/// exact in f64, the sum is rounded to odd by the error of Knuth's two-sum, then rounded once to
/// f32.
TILELAB_INLINE float fma_f32(float a, float b, float c) {
#ifdef __FMA__
  return __builtin_fmaf(a, b, c);
#else
  double p = double(a) * double(b), z = double(c);
  double s = p + z, t = s - p;
  double error = (p - (s - t)) + (z - t);
  uint64_t bits = double_bits(s);
  // A non-finite error occurs only with a non-finite sum, which needs no correction.
  bool fix = (error > 0 || error < 0) && __builtin_fabs(s) < 1e300 && (bits & 1u) == 0u;
  bool away = (error > 0) == (s > 0);
  return float(bits_double(fix ? (away ? bits + 1u : bits - 1u) : bits));
#endif
}

}  // namespace
}  // namespace tilelab::sim
