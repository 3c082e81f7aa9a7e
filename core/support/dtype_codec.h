// SPDX-License-Identifier: Apache-2.0
// Narrow floating-point formats <-> f32, branch-free so that loops over them vectorize.
//
// Encoding rounds to nearest, ties to even. f16 and bf16 overflow to infinity; NaNs become quiet
// and keep the upper payload bits, as in x86's F16C and CUDA's conversions of finite values. The
// fp8 formats saturate to their largest finite value, infinities included, as PTX's
// cvt.rn.satfinite, the only conversion in hardware. e4m3 is the "fn" format: no infinities, 0x7f
// and 0xff are NaN. The "fnuz" formats have neither infinity nor -0: 0x80 is NaN. e2m1 (OCP
// Microscaling 1.0), in the lower half of a byte, has no NaN, which becomes 6, as in
// cvt.rn.satfinite.e2m1x2. e8m0 are the scales of that standard, 2^(code - 127), without a sign,
// 0xff is NaN: rounded up in magnitude, so that scaled values fit, and saturated
// (cvt.rp.satfinite.ue8m0x2). All functions are forced inline, because files compiled for different
// instruction sets include them.
#pragma once

#include <cstdint>

namespace tilelab {

#define TILELAB_INLINE __attribute__((always_inline)) inline

TILELAB_INLINE uint32_t float_bits(float x) { return __builtin_bit_cast(uint32_t, x); }
TILELAB_INLINE float bits_float(uint32_t x) { return __builtin_bit_cast(float, x); }
TILELAB_INLINE uint64_t double_bits(double x) { return __builtin_bit_cast(uint64_t, x); }
TILELAB_INLINE double bits_double(uint64_t x) { return __builtin_bit_cast(double, x); }

TILELAB_INLINE float f16_to_f32(uint16_t h) {
  uint32_t sign = (h & 0x8000u) << 16, em = h & 0x7fffu;
  uint32_t normal = (em << 13) + (112u << 23);
  uint32_t special = 0x7f800000u | (em << 13) | (em > 0x7c00u ? 0x400000u : 0u);
  uint32_t subnormal = float_bits(static_cast<float>(static_cast<int32_t>(em)) * 0x1p-24f);
  uint32_t bits = em < 0x400u ? subnormal : normal;
  return bits_float(sign | (em >= 0x7c00u ? special : bits));
}

TILELAB_INLINE uint16_t f32_to_f16(float x) {
  uint32_t bits = float_bits(x), sign = (bits >> 16) & 0x8000u, a = bits & 0x7fffffffu;
  uint32_t rebased = a - (112u << 23);
  uint32_t normal = (rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13;
  // Adding 0.5 rounds the subnormal's bits (unit 2^-24) into the end of the significand.
  uint32_t subnormal = float_bits(bits_float(a) + 0.5f) - 0x3f000000u;
  uint32_t result = a < 0x38800000u ? subnormal : normal;
  result = a >= 0x47800000u ? 0x7c00u : result;
  result = a > 0x7f800000u ? (0x7e00u | ((a >> 13) & 0x3ffu)) : result;
  return static_cast<uint16_t>(sign | result);
}

TILELAB_INLINE float bf16_to_f32(uint16_t h) { return bits_float(static_cast<uint32_t>(h) << 16); }

TILELAB_INLINE uint16_t f32_to_bf16(float x) {
  uint32_t bits = float_bits(x);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  uint32_t nan = (bits >> 16) | 0x40u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

TILELAB_INLINE float e4m3_to_f32(uint8_t h) {
  uint32_t sign = (h & 0x80u) << 24, em = h & 0x7fu;
  uint32_t normal = (em << 20) + (120u << 23);
  uint32_t subnormal = float_bits(static_cast<float>(static_cast<int32_t>(em)) * 0x1p-9f);
  uint32_t bits = em < 8u ? subnormal : normal;
  return bits_float(sign | (em == 0x7fu ? 0x7fc00000u : bits));
}

TILELAB_INLINE uint8_t f32_to_e4m3(float x) {
  uint32_t bits = float_bits(x), sign = (bits >> 24) & 0x80u, a = bits & 0x7fffffffu;
  uint32_t rebased = a - (120u << 23);
  uint32_t normal = (rebased + 0x7ffffu + ((rebased >> 20) & 1u)) >> 20;
  uint32_t subnormal = float_bits(bits_float(a) + 0x1p14f) - 0x46800000u;
  uint32_t result = a < 0x3c800000u ? subnormal : normal;
  result = result > 0x7eu || a >= 0x7f800000u ? 0x7eu : result;
  return static_cast<uint8_t>(a > 0x7f800000u ? (sign | 0x7fu) : (sign | result));
}

TILELAB_INLINE float e5m2_to_f32(uint8_t h) {
  return f16_to_f32(static_cast<uint16_t>(static_cast<uint32_t>(h) << 8));
}

TILELAB_INLINE uint8_t f32_to_e5m2(float x) {
  uint32_t bits = float_bits(x), sign = (bits >> 24) & 0x80u, a = bits & 0x7fffffffu;
  uint32_t rebased = a - (112u << 23);
  uint32_t normal = (rebased + 0xfffffu + ((rebased >> 21) & 1u)) >> 21;
  uint32_t subnormal = float_bits(bits_float(a) + 0x1p7f) - 0x43000000u;
  uint32_t result = a < 0x38800000u ? subnormal : normal;
  result = result > 0x7bu || a >= 0x7f800000u ? 0x7bu : result;
  return static_cast<uint8_t>(a > 0x7f800000u ? (sign | 0x7fu) : (sign | result));
}

TILELAB_INLINE float e4m3fnuz_to_f32(uint8_t h) {
  uint32_t sign = (h & 0x80u) << 24, em = h & 0x7fu;
  uint32_t normal = (em << 20) + (119u << 23);
  uint32_t subnormal = float_bits(static_cast<float>(static_cast<int32_t>(em)) * 0x1p-10f);
  uint32_t bits = sign | (em < 8u ? subnormal : normal);
  return bits_float(h == 0x80u ? 0xffc00000u : bits);
}

TILELAB_INLINE uint8_t f32_to_e4m3fnuz(float x) {
  uint32_t bits = float_bits(x), sign = (bits >> 24) & 0x80u, a = bits & 0x7fffffffu;
  uint32_t rebased = a - (119u << 23);
  uint32_t normal = (rebased + 0x7ffffu + ((rebased >> 20) & 1u)) >> 20;
  uint32_t subnormal = float_bits(bits_float(a) + 0x1p13f) - 0x46000000u;
  uint32_t result = a < 0x3c000000u ? subnormal : normal;
  result = a >= 0x43700000u ? 0x7fu : result;
  result = result == 0u ? 0u : (sign | result);
  return static_cast<uint8_t>(a > 0x7f800000u ? 0x80u : result);
}

TILELAB_INLINE float e5m2fnuz_to_f32(uint8_t h) {
  uint32_t sign = (h & 0x80u) << 24, em = h & 0x7fu;
  uint32_t normal = (em << 21) + (111u << 23);
  uint32_t subnormal = float_bits(static_cast<float>(static_cast<int32_t>(em)) * 0x1p-17f);
  uint32_t bits = sign | (em < 4u ? subnormal : normal);
  return bits_float(h == 0x80u ? 0xffc00000u : bits);
}

TILELAB_INLINE uint8_t f32_to_e5m2fnuz(float x) {
  uint32_t bits = float_bits(x), sign = (bits >> 24) & 0x80u, a = bits & 0x7fffffffu;
  uint32_t rebased = a - (111u << 23);
  uint32_t normal = (rebased + 0xfffffu + ((rebased >> 21) & 1u)) >> 21;
  uint32_t subnormal = float_bits(bits_float(a) + 0x1p6f) - 0x42800000u;
  uint32_t result = a < 0x38000000u ? subnormal : normal;
  result = a >= 0x47600000u ? 0x7fu : result;
  result = result == 0u ? 0u : (sign | result);
  return static_cast<uint8_t>(a > 0x7f800000u ? 0x80u : result);
}

TILELAB_INLINE float e8m0_to_f32(uint8_t h) {
  uint32_t code = h, normal = code << 23;
  return bits_float(code == 0u ? 0x00400000u : code == 0xffu ? 0x7fc00000u : normal);
}

TILELAB_INLINE uint8_t f32_to_e8m0(float x) {
  uint32_t a = float_bits(x) & 0x7fffffffu;
  uint32_t up = a <= 0x00400000u ? 0u : (a + 0x7fffffu) >> 23;
  up = up > 0xfeu ? 0xfeu : up;
  return static_cast<uint8_t>(a > 0x7f800000u ? 0xffu : up);
}

TILELAB_INLINE float e2m1_to_f32(uint8_t h) {
  uint32_t sign = (h & 8u) << 28, em = h & 7u;
  uint32_t normal = (em << 22) + (126u << 23), subnormal = em == 0u ? 0u : 0x3f000000u;
  return bits_float(sign | (em < 2u ? subnormal : normal));
}

TILELAB_INLINE uint8_t f32_to_e2m1(float x) {
  uint32_t bits = float_bits(x), sign = (bits >> 28) & 8u, a = bits & 0x7fffffffu;
  uint32_t rebased = a - (126u << 23);
  uint32_t normal = (rebased + 0x1fffffu + ((rebased >> 22) & 1u)) >> 22;
  uint32_t subnormal = float_bits(bits_float(a) + 0x1p22f) - 0x4a800000u;
  uint32_t result = a < 0x3f800000u ? subnormal : normal;
  result = a >= 0x40c00000u ? 7u : result;
  return static_cast<uint8_t>(a > 0x7f800000u ? 7u : (sign | result));
}

/// f64 -> f32 rounded to odd: inexactness is recorded in the last bit, so that a second rounding to
/// 22 bits or fewer equals a single rounding (Boldo and Melquiond, "When double rounding is odd",
/// 2005).
TILELAB_INLINE float f64_to_f32_odd(double x) {
  float nearest = static_cast<float>(x);
  uint32_t bits = float_bits(nearest);
  double back = static_cast<double>(nearest);
  bool away = (x > back) == (x > 0);  // the exact value is farther from zero than `nearest`
  bool fix = x == x && back != x && (bits & 1u) == 0u;
  return bits_float(fix ? (away ? bits + 1u : bits - 1u) : bits);
}

}  // namespace tilelab
