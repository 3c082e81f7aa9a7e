// SPDX-License-Identifier: Apache-2.0
// Mathematical functions. TL_NO_FUNCTIONS omits them: a run-time compiler takes as long for this
// file as for a small kernel.
#pragma once

// ---- of one argument: TL_FUNCTION1(name, float form, double form)
#define TL_FUNCTION1(name, f, d)                   \
  TL_FN float tl_##name(float x) { return f(x); }  \
  TL_FN double tl_##name(double x) { return d(x); } \
  TL_NARROW1(name) TL_VECTOR1(name)
#ifndef tlb_fast_exp2f
#define tlb_fast_exp2f exp2f
#define tlb_fast_expf __expf
#define tlb_fast_divf tlb_div
#define tlb_fast_rcpf(x) __fdividef(1.0f, x)
#endif
template <class T> TL_FN T tlb_div(T x, T y) { return x / y; }
TL_FN float tl_exp2(float x) { return exp2f(x); }
TL_FN double tl_exp2(double x) { return exp2(x); }
/// 2^x as f16, in which powers that the fast form flushes are 0 anyway.
TL_FN tl_f16 tl_exp2_as_f16(float x) { return tl_f16(tlb_fast_exp2f(x)); }
TL_FN tl_f16 tl_exp2(tl_f16 x) { return tl_exp2_as_f16((float)x); }
TL_FN tl_bf16 tl_exp2(tl_bf16 x) { return tl_bf16(exp2f((float)x)); }
template <int E, int M, int Z>
TL_FN tl_f8<E, M, Z> tl_exp2(tl_f8<E, M, Z> x) {
  return tl_f8<E, M, Z>(exp2f((float)x));
}
TL_VECTOR1(exp2)
TL_FUNCTION1(exp, expf, exp) TL_FUNCTION1(exp10, exp10f, exp10)
TL_FUNCTION1(expm1, expm1f, expm1) TL_FUNCTION1(log, logf, log) TL_FUNCTION1(log2, log2f, log2)
TL_FUNCTION1(log10, log10f, log10) TL_FUNCTION1(log1p, log1pf, log1p)
TL_FUNCTION1(sqrt, sqrtf, sqrt) TL_FUNCTION1(rsqrt, rsqrtf, rsqrt) TL_FUNCTION1(sin, sinf, sin)
TL_FUNCTION1(cos, cosf, cos) TL_FUNCTION1(tan, tanf, tan) TL_FUNCTION1(asin, asinf, asin)
TL_FUNCTION1(acos, acosf, acos) TL_FUNCTION1(atan, atanf, atan) TL_FUNCTION1(sinh, sinhf, sinh)
TL_FUNCTION1(cosh, coshf, cosh) TL_FUNCTION1(tanh, tanhf, tanh) TL_FUNCTION1(asinh, asinhf, asinh)
TL_FUNCTION1(acosh, acoshf, acosh) TL_FUNCTION1(atanh, atanhf, atanh) TL_FUNCTION1(erf, erff, erf)
TL_FUNCTION1(floor, floorf, floor) TL_FUNCTION1(ceil, ceilf, ceil)
TL_FUNCTION1(trunc, truncf, trunc) TL_FUNCTION1(round, roundf, round)
TL_FUNCTION1(rint, rintf, rint)
// The fast forms of float: the hardware's approximations if it has them.
TL_FUNCTION1(fast_exp, tlb_fast_expf, exp) TL_FUNCTION1(fast_exp10, __exp10f, exp10)
TL_FUNCTION1(fast_exp2, tlb_fast_exp2f, exp2) TL_FUNCTION1(fast_rcp, tlb_fast_rcpf, 1.0 / )
TL_FUNCTION1(fast_log, __logf, log) TL_FUNCTION1(fast_log2, __log2f, log2)
TL_FUNCTION1(fast_log10, __log10f, log10) TL_FUNCTION1(fast_sin, __sinf, sin)
TL_FUNCTION1(fast_cos, __cosf, cos) TL_FUNCTION1(fast_tan, __tanf, tan)
#undef TL_FUNCTION1

// ---- of two arguments
#define TL_FUNCTION2(name, f, d)                                  \
  TL_FN float tl_##name(float x, float y) { return f(x, y); }     \
  TL_FN double tl_##name(double x, double y) { return d(x, y); }  \
  TL_NARROW2(name) TL_VECTOR2(name)
TL_FUNCTION2(pow, powf, pow) TL_FUNCTION2(fmod, fmodf, fmod) TL_FUNCTION2(atan2, atan2f, atan2)
TL_FUNCTION2(copysign, copysignf, copysign) TL_FUNCTION2(hypot, hypotf, hypot)
TL_FUNCTION2(nextafter, nextafterf, nextafter) TL_FUNCTION2(fast_div, tlb_fast_divf, tlb_div)
#undef TL_FUNCTION2

/// 1 / (1 + e^-x): with e = e^-|x|, which cannot overflow, as the quotient 1 / (1 + e) or e / (1 +
/// e), with corrections for the rounding of the sum and of the quotient.
template <class T>
TL_FN T tl_sigmoid_of(T x, T e) {
  const T above = x < 0 ? e : (T)1, below = (T)1 + e, lost = e - (below - (T)1);
  const T q = above / below;
  return q + (tl_fma(-q, below, above) - q * lost) / below;
}
TL_FN float tl_sigmoid(float x) { return tl_sigmoid_of(x, tl_exp(-fabsf(x))); }
TL_FN double tl_sigmoid(double x) { return tl_sigmoid_of(x, tl_exp(-fabs(x))); }
TL_NARROW1(sigmoid)
TL_VECTOR1(sigmoid)
TL_FN bool tl_isnan(double x) { return x != x; }
TL_FN bool tl_isinf(double x) { return x == x && x - x != 0; }
TL_FN bool tl_isfinite(double x) { return x - x == 0; }
#define TL_CLASSIFY(name)                                              \
  TL_FN bool tl_##name(float x) { return tl_##name((double)x); }       \
  TL_FN bool tl_##name(tl_f16 x) { return tl_##name((double)(float)x); } \
  TL_FN bool tl_##name(tl_bf16 x) { return tl_##name((double)(float)x); } \
  template <int E, int M, int Z>                                       \
  TL_FN bool tl_##name(tl_f8<E, M, Z> x) { return tl_##name((double)(float)x); }
TL_CLASSIFY(isnan)
TL_CLASSIFY(isinf)
TL_CLASSIFY(isfinite)
#undef TL_CLASSIFY

// ---- IEEE forms with a rounding mode: rn nearest even, rz to zero, ru up, rd down
#define TL_IEEE_MODE(mode)                                                                       \
  TL_FN float tl_ieee_add_##mode(float x, float y) { return __fadd_##mode(x, y); }               \
  TL_FN double tl_ieee_add_##mode(double x, double y) { return __dadd_##mode(x, y); }            \
  TL_FN float tl_ieee_sub_##mode(float x, float y) { return __fadd_##mode(x, -y); }              \
  TL_FN double tl_ieee_sub_##mode(double x, double y) { return __dadd_##mode(x, -y); }           \
  TL_FN float tl_ieee_mul_##mode(float x, float y) { return __fmul_##mode(x, y); }               \
  TL_FN double tl_ieee_mul_##mode(double x, double y) { return __dmul_##mode(x, y); }            \
  TL_FN float tl_ieee_fma_##mode(float x, float y, float z) { return __fmaf_##mode(x, y, z); }   \
  TL_FN double tl_ieee_fma_##mode(double x, double y, double z) { return __fma_##mode(x, y, z); } \
  TL_FN float tl_ieee_div_##mode(float x, float y) { return __fdiv_##mode(x, y); }               \
  TL_FN double tl_ieee_div_##mode(double x, double y) { return __ddiv_##mode(x, y); }            \
  TL_FN float tl_ieee_rcp_##mode(float x) { return __fdiv_##mode(1.0f, x); }                     \
  TL_FN double tl_ieee_rcp_##mode(double x) { return __ddiv_##mode(1.0, x); }                    \
  TL_FN float tl_ieee_sqrt_##mode(float x) { return __fsqrt_##mode(x); }                         \
  TL_FN double tl_ieee_sqrt_##mode(double x) { return __dsqrt_##mode(x); }
TL_IEEE_MODE(rn)
TL_IEEE_MODE(rz)
TL_IEEE_MODE(ru)
TL_IEEE_MODE(rd)
#undef TL_IEEE_MODE
TL_FN float tl_ieee_rsqrt_rn(float x) { return __frsqrt_rn(x); }
// 16 and 8 bits, to nearest: a float has more than twice the digits, so rounding twice changes nothing.
#define TL_IEEE_NARROW(FN, T)                                                             \
  FN T tl_ieee_add_rn(T x, T y) { return (T)__fadd_rn((float)x, (float)y); }              \
  FN T tl_ieee_sub_rn(T x, T y) { return (T)__fadd_rn((float)x, -(float)y); }             \
  FN T tl_ieee_mul_rn(T x, T y) { return (T)__fmul_rn((float)x, (float)y); }              \
  FN T tl_ieee_fma_rn(T x, T y, T z) { return tl_fma(x, y, z); }                          \
  FN T tl_ieee_div_rn(T x, T y) { return (T)__fdiv_rn((float)x, (float)y); }              \
  FN T tl_ieee_rcp_rn(T x) { return (T)__fdiv_rn(1.0f, (float)x); }                       \
  FN T tl_ieee_sqrt_rn(T x) { return (T)__fsqrt_rn((float)x); }                           \
  FN T tl_ieee_rsqrt_rn(T x) { return (T)__frsqrt_rn((float)x); }
#define TL_F8_FN template <int E, int M, int Z> TL_FN
#define TL_F8 tl_f8<E, M, Z>
TL_IEEE_NARROW(TL_FN, tl_f16)
TL_IEEE_NARROW(TL_FN, tl_bf16)
TL_IEEE_NARROW(TL_F8_FN, TL_F8)
#undef TL_F8
#undef TL_F8_FN
#undef TL_IEEE_NARROW
