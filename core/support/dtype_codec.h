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

/// The finite numbers of a format with a sign, and with this mantissa and exponent bias.
template <int width, int mantissa, int bias> struct NarrowFormat {
  static constexpr uint32_t sign = 1u << (width - 1);
  static constexpr int shift = 23 - mantissa;  // between the mantissas of the format and of f32
  static constexpr uint32_t rebias = static_cast<uint32_t>(127 - bias) << 23;

  static TILELAB_INLINE uint32_t sign_to_f32(uint32_t code) {
    return (code & sign) << (32 - width);
  }
  static TILELAB_INLINE uint32_t sign_of_f32(uint32_t bits) {
    return (bits >> (32 - width)) & sign;
  }

  /// The bits of the f32 of a code without sign.
  static TILELAB_INLINE uint32_t to_f32(uint32_t code) {
    constexpr uint32_t least = static_cast<uint32_t>(128 - bias - mantissa) << 23;
    uint32_t normal = (code << shift) + rebias;
    uint32_t subnormal =
        float_bits(static_cast<float>(static_cast<int32_t>(code)) * bits_float(least));
    return code < (1u << mantissa) ? subnormal : normal;
  }

  /// The code of the bits of an f32 without sign, as if exponents had no limit.
  static TILELAB_INLINE uint32_t of_f32(uint32_t a) {
    constexpr uint32_t half = (1u << (shift - 1)) - 1u;
    uint32_t rebased = a - rebias;
    uint32_t normal = (rebased + half + ((rebased >> shift) & 1u)) >> shift;
    // Adding 2^23 times the least subnormal rounds the bits into the end of the significand.
    constexpr uint32_t unit = static_cast<uint32_t>(151 - bias - mantissa) << 23;
    uint32_t subnormal = float_bits(bits_float(a) + bits_float(unit)) - unit;
    return a < rebias + (1u << 23) ? subnormal : normal;
  }

  static TILELAB_INLINE uint32_t of_f32_saturated(uint32_t a, uint32_t largest) {
    uint32_t code = of_f32(a);
    return code > largest ? largest : code;
  }
};

TILELAB_INLINE float f16_to_f32(uint16_t h) {
  using Format = NarrowFormat<16, 10, 15>;
  uint32_t em = h & 0x7fffu;
  uint32_t special = 0x7f800000u | (em << 13) | (em > 0x7c00u ? 0x400000u : 0u);
  return bits_float(Format::sign_to_f32(h) | (em >= 0x7c00u ? special : Format::to_f32(em)));
}

TILELAB_INLINE uint16_t f32_to_f16(float x) {
  using Format = NarrowFormat<16, 10, 15>;
  uint32_t bits = float_bits(x), a = bits & 0x7fffffffu;
  uint32_t result = a >= 0x47800000u ? 0x7c00u : Format::of_f32(a);
  result = a > 0x7f800000u ? (0x7e00u | ((a >> 13) & 0x3ffu)) : result;
  return static_cast<uint16_t>(Format::sign_of_f32(bits) | result);
}

TILELAB_INLINE float bf16_to_f32(uint16_t h) { return bits_float(static_cast<uint32_t>(h) << 16); }

TILELAB_INLINE uint16_t f32_to_bf16(float x) {
  uint32_t bits = float_bits(x);
  uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  uint32_t nan = (bits >> 16) | 0x40u;
  return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

TILELAB_INLINE float e4m3_to_f32(uint8_t h) {
  using Format = NarrowFormat<8, 3, 7>;
  uint32_t em = h & 0x7fu;
  return bits_float(Format::sign_to_f32(h) | (em == 0x7fu ? 0x7fc00000u : Format::to_f32(em)));
}

TILELAB_INLINE float e5m2_to_f32(uint8_t h) {
  return f16_to_f32(static_cast<uint16_t>(static_cast<uint32_t>(h) << 8));
}

/// e4m3 and e5m2.
template <class Format, uint32_t largest> TILELAB_INLINE uint8_t f32_to_float8(float x) {
  uint32_t bits = float_bits(x), a = bits & 0x7fffffffu;
  uint32_t result = a > 0x7f800000u ? 0x7fu : Format::of_f32_saturated(a, largest);
  return static_cast<uint8_t>(Format::sign_of_f32(bits) | result);
}

TILELAB_INLINE uint8_t f32_to_e4m3(float x) {
  return f32_to_float8<NarrowFormat<8, 3, 7>, 0x7e>(x);
}
TILELAB_INLINE uint8_t f32_to_e5m2(float x) {
  return f32_to_float8<NarrowFormat<8, 2, 15>, 0x7b>(x);
}

template <class Format> TILELAB_INLINE float fnuz_to_f32(uint8_t h) {
  uint32_t bits = Format::sign_to_f32(h) | Format::to_f32(h & 0x7fu);
  return bits_float(h == 0x80u ? 0xffc00000u : bits);
}

template <class Format> TILELAB_INLINE uint8_t f32_to_fnuz(float x) {
  uint32_t bits = float_bits(x), a = bits & 0x7fffffffu;
  uint32_t result = Format::of_f32_saturated(a, 0x7fu);
  result = result == 0u ? 0u : (Format::sign_of_f32(bits) | result);
  return static_cast<uint8_t>(a > 0x7f800000u ? 0x80u : result);
}

TILELAB_INLINE float e4m3fnuz_to_f32(uint8_t h) { return fnuz_to_f32<NarrowFormat<8, 3, 8>>(h); }
TILELAB_INLINE uint8_t f32_to_e4m3fnuz(float x) { return f32_to_fnuz<NarrowFormat<8, 3, 8>>(x); }
TILELAB_INLINE float e5m2fnuz_to_f32(uint8_t h) { return fnuz_to_f32<NarrowFormat<8, 2, 16>>(h); }
TILELAB_INLINE uint8_t f32_to_e5m2fnuz(float x) { return f32_to_fnuz<NarrowFormat<8, 2, 16>>(x); }

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
  using Format = NarrowFormat<4, 1, 1>;
  return bits_float(Format::sign_to_f32(h) | Format::to_f32(h & 7u));
}

TILELAB_INLINE uint8_t f32_to_e2m1(float x) {
  using Format = NarrowFormat<4, 1, 1>;
  uint32_t bits = float_bits(x), a = bits & 0x7fffffffu;
  uint32_t result = Format::sign_of_f32(bits) | Format::of_f32_saturated(a, 7);
  return static_cast<uint8_t>(a > 0x7f800000u ? 7u : result);
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
