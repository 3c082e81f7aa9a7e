// SPDX-License-Identifier: Apache-2.0
// Narrow floats against their definition (float_format.h) and, for halves, the compiler's own type.
#include "core/support/dtype_codec.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/ir/build.h"
#include "tests/unit/float_format.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

/// For every pair of neighbouring values: both ends, the midpoint (ties to even) and its
/// neighbours.
template <class Code>
void check_encoder(Code (*encode)(float), FloatFormat format, uint32_t largest) {
  int wrong = 0;
  for (uint32_t code = 0; code < largest; ++code) {
    double lo = value_of(code, format), hi = value_of(code + 1, format);
    float middle = static_cast<float>((lo + hi) / 2);
    uint32_t even = code & 1 ? code + 1 : code;
    wrong += encode(static_cast<float>(lo)) != code;
    wrong += encode(static_cast<float>(hi)) != code + 1;
    wrong += encode(middle) != even;
    wrong += encode(std::nextafterf(middle, 0.0f)) != code;
    wrong += encode(std::nextafterf(middle, INFINITY)) != code + 1;
    wrong += encode(-middle) != (format.fnuz && even == 0 ? 0 : even | format.sign());
  }
  EXPECT_EQ(wrong, 0);
}

/// Any double, however it came about, and the floats among them: all exponents, many midpoints.
void check_random(DType dtype, FloatFormat format, uint32_t overflow) {
  std::mt19937_64 random(seed());
  int wrong = 0;
  for (int n = 0; n < rounds(400'000); ++n) {
    uint64_t bits = random();
    int exponent = static_cast<int>(random() % static_cast<uint64_t>(2 * format.bias() + 8)) -
                   format.bias() - format.mantissa_bits;
    double x = std::ldexp(1 + static_cast<double>(bits >> 12) * 0x1p-52, exponent);
    if (n % 4 == 1) x = static_cast<float>(x);
    if (n % 4 > 1) {  // a value or a midpoint; and the doubles beside it
      uint32_t code = static_cast<uint32_t>(bits % overflow);
      x = (value_of(code, format) + value_of(code + (bits >> 32) % 2, format)) / 2;
      if (n % 4 == 3) x = std::nextafter(x, (bits >> 33) % 2 ? INFINITY : 0.0);
    }
    if (bits >> 63) x = -x;
    uint32_t nearest = nearest_code(x, format);
    uint32_t wanted = std::min(nearest & ~format.sign(), overflow) | (nearest & format.sign());
    wrong += convert_float(dtype, x) != wanted;
    float single = static_cast<float>(x);
    if (dtype == DType::f16 && static_cast<double>(single) == x)
      wrong += f32_to_f16(single) != wanted;
  }
  EXPECT_EQ(wrong, 0);
}

uint16_t encode_f16(float x) { return f32_to_f16(x); }
uint16_t encode_bf16(float x) { return f32_to_bf16(x); }
uint8_t encode_e4m3(float x) { return f32_to_e4m3(x); }
uint8_t encode_e5m2(float x) { return f32_to_e5m2(x); }
uint8_t encode_e4m3fnuz(float x) { return f32_to_e4m3fnuz(x); }
uint8_t encode_e5m2fnuz(float x) { return f32_to_e5m2fnuz(x); }
uint8_t encode_e2m1(float x) { return f32_to_e2m1(x); }

}  // namespace

TEST(codec_f16_every_value_and_midpoint) {
  check_encoder(encode_f16, f16_format, 0x7bff);
  int wrong = 0;
  for (uint32_t code = 0; code < 0x10000; ++code) {
    float x = f16_to_f32(static_cast<uint16_t>(code));
    if ((code & 0x7fff) > 0x7c00) {
      wrong += !std::isnan(x) || f32_to_f16(x) != (code | 0x200);
    } else if ((code & 0x7fff) == 0x7c00) {
      wrong += x != (code & 0x8000 ? -INFINITY : INFINITY) || f32_to_f16(x) != code;
    } else {
      wrong += static_cast<double>(x) != value_of(code, f16_format) || f32_to_f16(x) != code;
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
  check_encoder(encode_bf16, bf16_format, 0x7f7f);
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
  check_encoder(encode_e4m3, e4m3_format, 0x7e);
  check_encoder(encode_e5m2, e5m2_format, 0x7b);
  int wrong = 0;
  for (uint32_t code = 0; code < 0x100; ++code) {
    float x = e4m3_to_f32(static_cast<uint8_t>(code)), y = e5m2_to_f32(static_cast<uint8_t>(code));
    if ((code & 0x7f) == 0x7f)
      wrong += !std::isnan(x);
    else
      wrong += static_cast<double>(x) != value_of(code, e4m3_format) || f32_to_e4m3(x) != code;
    if ((code & 0x7f) > 0x7c)
      wrong += !std::isnan(y);
    else if ((code & 0x7f) == 0x7c)
      wrong += !std::isinf(y);
    else
      wrong += static_cast<double>(y) != value_of(code, e5m2_format) || f32_to_e5m2(y) != code;
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

TEST(codec_fnuz_every_value_and_midpoint) {
  check_encoder(encode_e4m3fnuz, e4m3fnuz_format, 0x7f);
  check_encoder(encode_e5m2fnuz, e5m2fnuz_format, 0x7f);
  int wrong = 0;
  for (uint32_t code = 0; code < 0x100; ++code) {
    const auto byte = static_cast<uint8_t>(code);
    const float x = e4m3fnuz_to_f32(byte), y = e5m2fnuz_to_f32(byte);
    if (code == 0x80) {
      wrong += !std::isnan(x) || !std::isnan(y);
      continue;
    }
    wrong += static_cast<double>(x) != value_of(code, e4m3fnuz_format);
    wrong += static_cast<double>(y) != value_of(code, e5m2fnuz_format);
    wrong += f32_to_e4m3fnuz(x) != code || f32_to_e5m2fnuz(y) != code;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f32_to_e4m3fnuz(INFINITY), 0x7f);
  EXPECT_EQ(f32_to_e4m3fnuz(-1e9f), 0xff);
  EXPECT_EQ(f32_to_e5m2fnuz(-INFINITY), 0xff);
  EXPECT_EQ(f32_to_e4m3fnuz(-NAN), 0x80);
  EXPECT_EQ(f32_to_e5m2fnuz(NAN), 0x80);
  EXPECT_EQ(f32_to_e4m3fnuz(-0.0f), 0);
  EXPECT_EQ(f32_to_e5m2fnuz(-1e-9f), 0);
}

TEST(codec_e2m1_every_value_and_midpoint) {
  check_encoder(encode_e2m1, e2m1_format, 7);
  const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  int wrong = 0;
  for (uint32_t code = 0; code < 16; ++code) {
    const float x = e2m1_to_f32(static_cast<uint8_t>(code));
    wrong += double(std::fabs(x)) != values[code & 7] || std::signbit(x) != (code > 7);
    wrong += f32_to_e2m1(x) != code;
    wrong += decode_float(DType::e2m1, code) != double(x);
    wrong += e2m1_to_f32(static_cast<uint8_t>(code | 0xf0)) != x;  // the other half of a byte
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f32_to_e2m1(INFINITY), 7);
  EXPECT_EQ(f32_to_e2m1(-1e30f), 15);
  EXPECT_EQ(f32_to_e2m1(NAN), 7);
  EXPECT_EQ(f32_to_e2m1(-NAN), 7);
}

TEST(codec_e8m0_is_the_next_power_of_two) {
  int wrong = 0;
  for (uint32_t code = 0; code < 0xff; ++code) {
    const auto byte = static_cast<uint8_t>(code);
    const float x = e8m0_to_f32(byte), above = std::nextafterf(x, INFINITY);
    wrong += double(x) != std::ldexp(1.0, int(code) - 127);
    wrong += f32_to_e8m0(x) != code || f32_to_e8m0(-x) != code;
    wrong += f32_to_e8m0(above) != std::min(code + 1, 0xfeu);
    wrong += f32_to_e8m0(std::nextafterf(x, 0.0f)) != code;
    for (double value : {double(x), double(above), -double(above), double(x) * (1 + 0x1p-50)})
      wrong += convert_float(DType::e8m0, value) != f32_to_e8m0(f64_to_f32_odd(value));
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(f32_to_e8m0(0.0f), 0);
  EXPECT_EQ(f32_to_e8m0(INFINITY), 0xfe);
  EXPECT_EQ(f32_to_e8m0(-INFINITY), 0xfe);
  EXPECT_EQ(f32_to_e8m0(NAN), 0xff);
  EXPECT(std::isnan(e8m0_to_f32(0xff)));
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

TEST(codec_random_numbers_are_rounded_as_defined) {
  check_random(DType::f16, f16_format, 0x7c00);
  check_random(DType::bf16, bf16_format, 0x7f80);
  check_random(DType::e4m3, e4m3_format, 0x7e);  // saturates
  check_random(DType::e5m2, e5m2_format, 0x7b);
  check_random(DType::e4m3fnuz, e4m3fnuz_format, 0x7f);
  check_random(DType::e5m2fnuz, e5m2fnuz_format, 0x7f);
  check_random(DType::e2m1, e2m1_format, 7);
}

#ifdef __FLT16_MAX__
TEST(codec_f16_agrees_with_the_compiler) {
  int wrong = 0;
  for (uint32_t code = 0; code < 0x10000; ++code) {
    uint16_t bits = static_cast<uint16_t>(code);
    _Float16 half;
    std::memcpy(&half, &bits, 2);
    float x = static_cast<float>(half), ours = f16_to_f32(bits);
    wrong += std::isnan(x) ? !std::isnan(ours) : std::memcmp(&x, &ours, 4) != 0;
  }
  std::mt19937_64 random(seed());
  for (int n = 0; n < rounds(400'000); ++n) {
    uint32_t code = static_cast<uint32_t>(random());
    float x;
    std::memcpy(&x, &code, 4);
    if (std::isnan(x)) continue;
    _Float16 half = static_cast<_Float16>(x);
    uint16_t bits;
    std::memcpy(&bits, &half, 2);
    wrong += f32_to_f16(x) != bits;
  }
  EXPECT_EQ(wrong, 0);
}
#endif

TEST(codec_constants_are_converted_as_at_run_time) {
  std::vector<float> all = {0, -0.0f, 448, 464, 465, -1e9f, 57344, 61439, 61441, 3e38f, 1e-9f};
  std::mt19937_64 random(seed());
  for (int n = 0; n < 2000; ++n)
    all.push_back(std::ldexp(static_cast<float>(random() % 4096), static_cast<int>(n % 40) - 25));
  for (float x : {INFINITY, -INFINITY}) all.push_back(x);
  int wrong = 0;
  for (float x : all) {
    auto cast_bits = [&](DType dtype) {
      return to<Const>(cast(dtype, constant({DType::f32}, float_bits(x)))).bits;
    };
    wrong += cast_bits(DType::e4m3) != f32_to_e4m3(x);
    wrong += cast_bits(DType::e5m2) != f32_to_e5m2(x);
    wrong += cast_bits(DType::e4m3fnuz) != f32_to_e4m3fnuz(x);
    wrong += cast_bits(DType::e5m2fnuz) != f32_to_e5m2fnuz(x);
    wrong += cast_bits(DType::e8m0) != f32_to_e8m0(x);
    wrong += cast_bits(DType::e2m1) != f32_to_e2m1(x);
    wrong += cast_bits(DType::f16) != f32_to_f16(x);
    wrong += cast_bits(DType::bf16) != f32_to_bf16(x);
  }
  EXPECT_EQ(wrong, 0);
}
