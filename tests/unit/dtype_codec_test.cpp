// SPDX-License-Identifier: Apache-2.0
// Narrow floats against an encoder that knows nothing of bit tricks: it walks the format's values.
#include "core/support/dtype_codec.h"

#include <cmath>
#include <vector>

#include "tests/unit/test.h"

using namespace tilelab;

namespace {

/// Value of a format with `exponent_bits` and `mantissa_bits` from its definition.
double value_of(uint32_t code, int exponent_bits, int mantissa_bits) {
  int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = static_cast<int>(code >> mantissa_bits) & ((1 << exponent_bits) - 1);
  double fraction = std::ldexp(code & ((1u << mantissa_bits) - 1), -mantissa_bits);
  double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias);
  return code >> (exponent_bits + mantissa_bits) ? -magnitude : magnitude;
}

/// For every pair of neighbouring values: both ends, the midpoint (ties to even) and its
/// neighbours.
template <class Code>
void check_encoder(Code (*encode)(float), int exponent_bits, int mantissa_bits, uint32_t largest) {
  int wrong = 0;
  for (uint32_t code = 0; code < largest; ++code) {
    double lo = value_of(code, exponent_bits, mantissa_bits);
    double hi = value_of(code + 1, exponent_bits, mantissa_bits);
    float middle = static_cast<float>((lo + hi) / 2);
    uint32_t even = code & 1 ? code + 1 : code;
    wrong += encode(static_cast<float>(lo)) != code;
    wrong += encode(static_cast<float>(hi)) != code + 1;
    wrong += encode(middle) != even;
    wrong += encode(std::nextafterf(middle, 0.0f)) != code;
    wrong += encode(std::nextafterf(middle, INFINITY)) != code + 1;
    uint32_t sign = 1u << (exponent_bits + mantissa_bits);
    wrong += encode(-middle) != (even | sign);
  }
  EXPECT_EQ(wrong, 0);
}

uint16_t encode_f16(float x) { return f32_to_f16(x); }
uint16_t encode_bf16(float x) { return f32_to_bf16(x); }
uint8_t encode_e4m3(float x) { return f32_to_e4m3(x); }
uint8_t encode_e5m2(float x) { return f32_to_e5m2(x); }

}  // namespace

TEST(codec_f16_every_value_and_midpoint) {
  check_encoder(encode_f16, 5, 10, 0x7bff);
  int wrong = 0;
  for (uint32_t code = 0; code < 0x10000; ++code) {
    float x = f16_to_f32(static_cast<uint16_t>(code));
    if ((code & 0x7fff) > 0x7c00) {
      wrong += !std::isnan(x) || f32_to_f16(x) != (code | 0x200);
    } else if ((code & 0x7fff) == 0x7c00) {
      wrong += x != (code & 0x8000 ? -INFINITY : INFINITY) || f32_to_f16(x) != code;
    } else {
      wrong += static_cast<double>(x) != value_of(code, 5, 10) || f32_to_f16(x) != code;
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f32_to_f16(65519.996f), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(3e38f), 0x7c00);
  EXPECT_EQ(f32_to_f16(-INFINITY), 0xfc00);
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0);
  EXPECT_EQ(f32_to_f16(0x1.000002p-25f), 1);
  EXPECT_EQ(f32_to_f16(-1e-45f), 0x8000);
}

TEST(codec_bf16_every_value_and_midpoint) {
  check_encoder(encode_bf16, 8, 7, 0x7f7f);
  int wrong = 0;
  for (uint32_t code = 0; code < 0x10000; ++code) {
    float x = bf16_to_f32(static_cast<uint16_t>(code));
    bool nan = (code & 0x7fff) > 0x7f80;
    wrong += nan ? !std::isnan(x) || f32_to_bf16(x) != (code | 0x40) : f32_to_bf16(x) != code;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f32_to_bf16(3.4e38f), 0x7f80);
}

TEST(codec_fp8_every_value_and_midpoint) {
  check_encoder(encode_e4m3, 4, 3, 0x7e);
  check_encoder(encode_e5m2, 5, 2, 0x7b);
  int wrong = 0;
  for (uint32_t code = 0; code < 0x100; ++code) {
    float x = e4m3_to_f32(static_cast<uint8_t>(code)), y = e5m2_to_f32(static_cast<uint8_t>(code));
    if ((code & 0x7f) == 0x7f)
      wrong += !std::isnan(x);
    else
      wrong += static_cast<double>(x) != value_of(code, 4, 3) || f32_to_e4m3(x) != code;
    if ((code & 0x7f) > 0x7c)
      wrong += !std::isnan(y);
    else if ((code & 0x7f) == 0x7c)
      wrong += !std::isinf(y);
    else
      wrong += static_cast<double>(y) != value_of(code, 5, 2) || f32_to_e5m2(y) != code;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f32_to_e4m3(1e9f), 0x7e);
  EXPECT_EQ(f32_to_e4m3(-INFINITY), 0xfe);
  EXPECT_EQ(f32_to_e4m3(464.0f), 0x7e);
  EXPECT_EQ(f32_to_e5m2(INFINITY), 0x7b);
  EXPECT_EQ(f32_to_e5m2(-61440.0f), 0xfb);
  EXPECT_EQ(f32_to_e4m3(NAN) & 0x7f, 0x7f);
  EXPECT_EQ(f32_to_e5m2(NAN) & 0x7f, 0x7f);
}

TEST(codec_rounding_to_odd_makes_double_rounding_harmless) {
  // 1 + 2^-11 + 2^-40 is just above the midpoint of two halves; through f32 alone it ties down.
  double x = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(f32_to_f16(static_cast<float>(x)), 0x3c00);
  EXPECT_EQ(f32_to_f16(f64_to_f32_odd(x)), 0x3c01);
  EXPECT_EQ(f32_to_f16(f64_to_f32_odd(-x)), 0xbc01);
  EXPECT_EQ(f64_to_f32_odd(1e300), 3.40282346638528859812e+38f);
  EXPECT_EQ(f64_to_f32_odd(0.5), 0.5f);
}
