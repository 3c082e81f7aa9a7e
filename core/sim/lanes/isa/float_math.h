// SPDX-License-Identifier: Apache-2.0
// Elementary functions of one f32, branch-free, so that loops over them vectorise. All but exp2
// work in f64 with polynomials good to about 1e-10, which leaves one rounding to f32. The
// polynomials are Chebyshev interpolants of the named function on the named interval. Included by
// per-ISA files only.
#pragma once

#include <cmath>

#include "core/support/dtype_codec.h"

namespace tilelab::sim {
namespace {

constexpr double log2_e = 0x1.71547652b82fep+0;
constexpr double ln_2 = 0x1.62e42fefa39efp-1;

TILELAB_INLINE double clamp(double x, double lo, double hi) {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;  // NaN propagates
}

/// x = whole + fraction with |fraction| <= 1/2; `scale` = 2^whole. For |x| < 1000.
struct Split {
  double rest, scale;
};
TILELAB_INLINE Split split(double x) {
  double shifted = x + 0x1.8p52;
  double whole = shifted - 0x1.8p52;
  return {x - whole, bits_double((double_bits(shifted) << 52) + 0x3ff0000000000000u)};
}

/// (2^r - 1) / r for |r| <= 1/2; relative error of 2^r 1.2e-10.
TILELAB_INLINE double exp2_poly(double r) {
  double p = 1.5303704077085356e-05;
  p = p * r + 0.0001546144749879033;
  p = p * r + 0.0013333478462049695;
  p = p * r + 0.009618056669798153;
  p = p * r + 0.05550410906335854;
  p = p * r + 0.24022650922343125;
  return p * r + 0.693147180556839;
}

/// 2^x in f64, for results that become f32: clamped to 2^200 beyond |x| = 200.
TILELAB_INLINE double exp2_f64(double x) {
  Split s = split(clamp(x, -200, 200));
  return (1 + s.rest * exp2_poly(s.rest)) * s.scale;
}

/// 2^x - 1 with a small relative error also near 0.
TILELAB_INLINE double exp2m1_f64(double x) {
  Split s = split(clamp(x, -200, 200));
  return s.rest * exp2_poly(s.rest) * s.scale + (s.scale - 1);
}

/// log2 of a positive, finite, normal f64: exponent + 2 atanh((m - 1) / (m + 1)) / ln 2 with
/// m in [sqrt(1/2), sqrt(2)), the series of atanh cut after its sixth term (5e-11).
TILELAB_INLINE double log2_f64(double x) {
  uint64_t bits = double_bits(x);
  uint64_t k = (bits - 0x3fe6a09e667f3bcdu + (uint64_t{1024} << 52)) >> 52;  // exponent + 1024
  double m = bits_double(bits - ((k - 1024) << 52));
  double exponent = bits_double(k | 0x4330000000000000u) - (0x1p52 + 1024);
  double s = (m - 1) / (m + 1), t = s * s;
  double p = 1.0 / 11;
  p = p * t + 1.0 / 9;
  p = p * t + 1.0 / 7;
  p = p * t + 1.0 / 5;
  p = p * t + 1.0 / 3;
  p = p * t + 1;
  return exponent + s * p * (2 * log2_e);
}

TILELAB_INLINE float log_scaled(float x, double scale) {
  double result = log2_f64(double(x)) * scale;
  result = x == 0 ? -__builtin_inf() : result;
  result = x == __builtin_inff() ? __builtin_inf() : result;
  return !(x >= 0) ? (__builtin_isnan(x) ? x : __builtin_nanf("")) : float(result);
}

/// 2^x in f32 arithmetic; the degree-6 interpolant's error is 5e-9, the result within 1.5 ulp.
/// The scale is applied in two halves, so that results below 2^-126 are rounded once.
TILELAB_INLINE float exp2_f32(float x) {
  float c = x < -151.0f ? -151.0f : x;
  c = c > 129.0f ? 129.0f : c;
  float shifted = c + 0x1.8p23f;
  float r = c - (shifted - 0x1.8p23f);
  int32_t k = int32_t(float_bits(shifted)) - 0x4b400000;
  float p = 0.00015461447502407823f;
  p = p * r + 0.001339086735238273f;
  p = p * r + 0.009618056669787354f;
  p = p * r + 0.05550357104251142f;
  p = p * r + 0.24022650922343175f;
  p = p * r + 0.6931471880293507f;
  int32_t half = k >> 1;
  float low = bits_float(uint32_t(half + 127) << 23);
  float high = bits_float(uint32_t(k - half + 127) << 23);
  float result = (1.0f + r * p) * low * high;
  return __builtin_isnan(x) ? x : result;
}

TILELAB_INLINE float exp_f32(float x) {
  float result = float(exp2_f64(double(x) * log2_e));
  return __builtin_isnan(x) ? x : result;
}

TILELAB_INLINE float exp10_f32(float x) {
  float result = float(exp2_f64(double(x) * 0x1.a934f0979a371p+1));
  return __builtin_isnan(x) ? x : result;
}

/// The formula of generated code (tl_math.h), step by step. The remainder of the quotient is exact
/// in f64, so one rounding gives the result of fma.
TILELAB_INLINE float sigmoid_f32(float x) {
  float e = exp_f32(-__builtin_fabsf(x));
  float above = x < 0 ? e : 1.0f, below = 1.0f + e, lost = e - (below - 1.0f);
  float q = above / below;
  double rest = double(above) - double(q) * double(below);
  return q + (float(rest) - q * lost) / below;
}
inline double sigmoid_f64(double x) {
  double e = std::exp(-__builtin_fabs(x));
  double above = x < 0 ? e : 1.0, below = 1.0 + e, lost = e - (below - 1.0);
  double q = above / below;
  return q + (__builtin_fma(-q, below, above) - q * lost) / below;
}

TILELAB_INLINE float tanh_f32(float x) {
  double e = exp2m1_f64(clamp(double(x) * (2 * log2_e), -60, 60));
  float result = __builtin_copysignf(float(e / (e + 2)), x);
  return __builtin_isnan(x) ? x : result;
}

/// Below 2: x times an interpolant of erf(x) / x in x^2; up to 4 one of erf around 3; then 1.
TILELAB_INLINE float erf_f32(float x) {
  double a = __builtin_fabs(double(x)), t = a * a, v = a - 3;
  double p = -2.1164847913149736e-10;
  p = p * t + 7.259771403560216e-09;
  p = p * t - 1.2580013673091417e-07;
  p = p * t + 1.5166467317055533e-06;
  p = p * t - 1.4621485841369691e-05;
  p = p * t + 0.0001200665563626801;
  p = p * t - 0.0008543129683054181;
  p = p * t + 0.005223622729022372;
  p = p * t - 0.026866026794223744;
  p = p * t + 0.11283788645578753;
  p = p * t - 0.3761263865319613;
  p = (p * t + 1.1283791670612469) * a;
  double q = 1.444303522372273e-06;
  q = q * v - 9.467146814917912e-06;
  q = q * v + 1.7784379625967263e-05;
  q = q * v + 1.1897124328750413e-05;
  q = q * v - 0.00013624807837701503;
  q = q * v + 0.0003918769048418538;
  q = q * v - 0.0007375282171187195;
  q = q * v + 0.001016149899115804;
  q = q * v - 0.0010444831431006458;
  q = q * v + 0.0007891516481434887;
  q = q * v - 0.00041775383912586925;
  q = q * v + 0.00013925119620855555;
  q = q * v + 0.9999779094488539;
  double result = a < 2 ? p : q;
  result = a >= 4 ? 1 : result;
  return __builtin_isnan(x) ? x : __builtin_copysignf(float(result), x);
}

/// Larger arguments of sin, cos and tan use the C library (`Sin::rare` and so on).
constexpr float trig_limit = 1e5f;

struct Angle {
  double sine, cosine;
  uint64_t quadrant;
};
/// x = quadrant * pi/2 + r, |r| <= pi/4, and the Taylor polynomials of r (errors below 1e-11). pi/2
/// is split into 33 + 53 bits, so that its product with the quadrant is exact.
TILELAB_INLINE Angle angle(float x) {
  double d = double(x);
  double shifted = d * 0x1.45f306dc9c883p-1 + 0x1.8p52;
  double k = shifted - 0x1.8p52;
  double r = (d - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626331p-34;
  double t = r * r;
  double s = -1.0 / 39916800;
  s = s * t + 1.0 / 362880;
  s = s * t - 1.0 / 5040;
  s = s * t + 1.0 / 120;
  s = s * t - 1.0 / 6;
  double c = 1.0 / 479001600;
  c = c * t - 1.0 / 3628800;
  c = c * t + 1.0 / 40320;
  c = c * t - 1.0 / 720;
  c = c * t + 1.0 / 24;
  c = c * t - 0.5;
  return {r + r * t * s, 1 + t * c, double_bits(shifted)};
}
/// The sine of the angle plus `quarters` quarter turns.
TILELAB_INLINE double sine_plus_quarters(const Angle& a, uint64_t quarters) {
  uint64_t q = a.quadrant + quarters;
  double value = (q & 1) ? a.cosine : a.sine;
  return (q & 2) ? -value : value;
}
TILELAB_INLINE float sin_f32(float x) {
  float result = float(sine_plus_quarters(angle(x), 0));
  return x == 0 ? x : result;
}
TILELAB_INLINE float cos_f32(float x) { return float(sine_plus_quarters(angle(x), 1)); }
TILELAB_INLINE float tan_f32(float x) {
  Angle a = angle(x);
  float result = float(sine_plus_quarters(a, 0) / sine_plus_quarters(a, 1));
  return x == 0 ? x : result;
}

/// a^b for positive finite a and finite b.
TILELAB_INLINE float pow_f32(float a, float b) {
  return float(exp2_f64(double(b) * log2_f64(double(a))));
}

}  // namespace
}  // namespace tilelab::sim
