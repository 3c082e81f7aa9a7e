// SPDX-License-Identifier: Apache-2.0
// Narrow floats from their definition in double arithmetic (IEEE 754, 3.4 and 4.3.1), to hold the
// codecs of core against: no bit tricks, nothing shared with them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tilelab::test {

struct FloatFormat {
  int exponent_bits, mantissa_bits;
  bool fnuz = false;  // no -0, and everything half as large
  int bias() const { return (1 << (exponent_bits - 1)) - (fnuz ? 0 : 1); }
  uint32_t sign() const { return 1u << (exponent_bits + mantissa_bits); }
};
inline constexpr FloatFormat f16_format{5, 10}, bf16_format{8, 7}, e4m3_format{4, 3},
    e5m2_format{5, 2}, e4m3fnuz_format{4, 3, true}, e5m2fnuz_format{5, 2, true}, e2m1_format{2, 1};

/// Value of a code that is neither infinite nor a NaN.
inline double value_of(uint32_t code, FloatFormat f) {
  int exponent = static_cast<int>(code >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  double fraction = std::ldexp(code & ((1u << f.mantissa_bits) - 1), -f.mantissa_bits);
  double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - f.bias())
                                   : std::ldexp(1 + fraction, exponent - f.bias());
  return code & f.sign() ? -magnitude : magnitude;
}

/// Code of a finite number, to nearest with ties to even. What is too large gives the code that
/// would follow if the format continued: in an IEEE format that of infinity, or the one after it.
inline uint32_t nearest_code(double x, FloatFormat f) {
  double magnitude = std::fabs(x);
  int binade = 0;
  std::frexp(magnitude, &binade);  // magnitude = [0.5, 1) * 2^binade
  int exponent = std::max(binade - 1, 1 - f.bias());
  double steps = std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
  // Subnormals and zero: the steps themselves. Else the leading one is in the exponent.
  double code = std::ldexp(exponent + f.bias() - 1, f.mantissa_bits) + steps;
  if (magnitude == 0) code = 0;
  code = std::min(code, f.sign() - 1.0);
  if (f.fnuz && code == 0) return 0;
  return static_cast<uint32_t>(code) | (std::signbit(x) ? f.sign() : 0);
}

}  // namespace tilelab::test
