// SPDX-License-Identifier: Apache-2.0
// Arithmetic: operators on vectors, division of integers, max, min, abs, fma.
// Narrow floats compute in float and round once.
#pragma once

#define TL_VECTOR_OPERATOR(op, R)                                                           \
  template <class T, int N>                                                                 \
  TL_FN tl_vec<R, N> operator op(const tl_vec<T, N>& a, const tl_vec<T, N>& b) {            \
    tl_vec<R, N> r;                                                                         \
    _Pragma("unroll") for (int i = 0; i < N; ++i) r.v[i] = (R)(a.v[i] op b.v[i]);           \
    return r;                                                                               \
  }
TL_VECTOR_OPERATOR(+, T)
TL_VECTOR_OPERATOR(-, T)
TL_VECTOR_OPERATOR(*, T)
TL_VECTOR_OPERATOR(/, T)
TL_VECTOR_OPERATOR(&, T)
TL_VECTOR_OPERATOR(|, T)
TL_VECTOR_OPERATOR(^, T)
TL_VECTOR_OPERATOR(==, bool)
TL_VECTOR_OPERATOR(!=, bool)
TL_VECTOR_OPERATOR(<, bool)
TL_VECTOR_OPERATOR(<=, bool)
TL_VECTOR_OPERATOR(>, bool)
TL_VECTOR_OPERATOR(>=, bool)
#undef TL_VECTOR_OPERATOR
template <class T>
TL_FN T tl_select(bool c, T a, T b) {
  return c ? a : b;
}
template <class T, int N>
TL_FN tl_vec<T, N> tl_select(const tl_vec<bool, N>& c, const tl_vec<T, N>& a,
                             const tl_vec<T, N>& b) {
  tl_vec<T, N> r;
#pragma unroll
  for (int i = 0; i < N; ++i) r.v[i] = c.v[i] ? a.v[i] : b.v[i];
  return r;
}
template <class T, int N>
TL_FN tl_vec<T, N> operator-(const tl_vec<T, N>& a) {
  tl_vec<T, N> r;
#pragma unroll
  for (int i = 0; i < N; ++i) r.v[i] = (T)-a.v[i];
  return r;
}

// ---- integers. A divisor of 0 gives 0; shifts by the width or more give 0 or the sign.
template <class T>
TL_FN T tl_tdiv(T a, T b) {
  // The quotient by -1 wraps; C leaves the smallest integer's undefined.
  const bool minus_one = (T)-1 < (T)0 && b == (T)-1;
  return b == 0 ? (T)0 : minus_one ? (T)(0 - (tl_u64)a) : (T)(a / b);
}
template <class T>
TL_FN T tl_tmod(T a, T b) {
  const bool minus_one = (T)-1 < (T)0 && b == (T)-1;
  return b == 0 || minus_one ? (T)0 : (T)(a % b);
}
/// Rounds towards minus infinity; the remainder has the divisor's sign.
template <class T>
TL_FN T tl_floordiv(T a, T b) {
  const T q = tl_tdiv(a, b), r = tl_tmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? (T)(q - 1) : q;
}
template <class T>
TL_FN T tl_floormod(T a, T b) {
  const T r = tl_tmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? (T)(r + b) : r;
}
template <class T>
TL_FN T tl_ceildiv(T a, T b) {
  return (T)(tl_floordiv(a, b) + (tl_floormod(a, b) != 0));
}
template <class T, class S>
TL_FN T tl_shl(T a, S n) {
  return (tl_u64)(tl_i64)n >= sizeof(T) * 8 ? (T)0 : (T)((tl_u64)a << n);
}
template <class T, class S>
TL_FN T tl_shr(T a, S n) {
  return (tl_u64)(tl_i64)n >= sizeof(T) * 8 ? (T)(a < 0 ? -1 : 0) : (T)(a >> n);
}
#define TL_VECTOR2(name)                                                               \
  template <class T, int N>                                                            \
  TL_FN tl_vec<T, N> tl_##name(const tl_vec<T, N>& x, const tl_vec<T, N>& y) {         \
    tl_vec<T, N> r;                                                                    \
    _Pragma("unroll") for (int i = 0; i < N; ++i) r.v[i] = tl_##name(x.v[i], y.v[i]);  \
    return r;                                                                          \
  }
TL_VECTOR2(tdiv)
TL_VECTOR2(tmod)
TL_VECTOR2(floordiv)
TL_VECTOR2(floormod)
TL_VECTOR2(shl)
TL_VECTOR2(shr)
/// One bits, and leading zero bits, of integers of any width.
template <class T>
TL_FN int tl_popcount(T x) {
  if (sizeof(T) == 8) return __popcll((tl_u64)x);
  return __popc((unsigned)x & (0xffffffffu >> (32 - 8 * sizeof(T)) % 32));
}
template <class T>
TL_FN int tl_clz(T x) {
  const int narrower = 32 - 8 * (int)sizeof(T);
  if (sizeof(T) == 8) return __clzll((tl_i64)x);
  return __clz((int)((unsigned)x & (0xffffffffu >> narrower % 32))) - narrower;
}
/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011): four adjacent words share their rounds, a
/// common subexpression for compilers.
TL_FN unsigned tl_philox(tl_u64 key, tl_u64 stream, tl_u64 word) {
  const tl_u64 block = word >> 2;
  unsigned c0 = (unsigned)block, c1 = (unsigned)(block >> 32);
  unsigned c2 = (unsigned)stream, c3 = (unsigned)(stream >> 32);
  unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const tl_u64 a = (tl_u64)0xD2511F53u * c0, b = (tl_u64)0xCD9E8D57u * c2;
    c0 = (unsigned)(b >> 32) ^ c1 ^ k0, c1 = (unsigned)b;
    c2 = (unsigned)(a >> 32) ^ c3 ^ k1, c3 = (unsigned)a;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  const unsigned low = word & 1 ? c1 : c0, high = word & 1 ? c3 : c2;
  return word & 2 ? high : low;
}
template <int N>
TL_FN tl_vec<unsigned, N> tl_philox(const tl_vec<tl_u64, N>& key, const tl_vec<tl_u64, N>& stream,
                                    const tl_vec<tl_u64, N>& word) {
  tl_vec<unsigned, N> r;
#pragma unroll
  for (int i = 0; i < N; ++i) r.v[i] = tl_philox(key.v[i], stream.v[i], word.v[i]);
  return r;
}

// ---- functions of one and of two arguments
#define TL_NARROW1(name)                                                   \
  TL_FN tl_f16 tl_##name(tl_f16 x) { return tl_f16(tl_##name((float)x)); } \
  TL_FN tl_bf16 tl_##name(tl_bf16 x) { return tl_bf16(tl_##name((float)x)); } \
  template <int E, int M, int Z>                                           \
  TL_FN tl_f8<E, M, Z> tl_##name(tl_f8<E, M, Z> x) {                       \
    return tl_f8<E, M, Z>(tl_##name((float)x));                            \
  }
#define TL_VECTOR1(name)                                                            \
  template <class T, int N>                                                         \
  TL_FN tl_vec<T, N> tl_##name(const tl_vec<T, N>& x) {                             \
    tl_vec<T, N> r;                                                                 \
    _Pragma("unroll") for (int i = 0; i < N; ++i) r.v[i] = tl_##name(x.v[i]);       \
    return r;                                                                       \
  }
#define TL_NARROW2(name)                                                                      \
  TL_FN tl_f16 tl_##name(tl_f16 x, tl_f16 y) { return tl_f16(tl_##name((float)x, (float)y)); } \
  TL_FN tl_bf16 tl_##name(tl_bf16 x, tl_bf16 y) {                                             \
    return tl_bf16(tl_##name((float)x, (float)y));                                            \
  }                                                                                           \
  template <int E, int M, int Z>                                                              \
  TL_FN tl_f8<E, M, Z> tl_##name(tl_f8<E, M, Z> x, tl_f8<E, M, Z> y) {                        \
    return tl_f8<E, M, Z>(tl_##name((float)x, (float)y));                                     \
  }
/// The larger or smaller of two; if one is NaN the other one; +0 above -0, which the C library
/// leaves open.
#if defined(TL_EMU) || defined(TL_CPU)
#define TL_CHOOSE_ZERO(op) \
  if (x == y) return !__builtin_signbit(x) op !__builtin_signbit(y) ? x : y;
#else
#define TL_CHOOSE_ZERO(op)
#endif
#ifdef TLB_HALF_CHOICES
#define TL_CHOOSE_HALF(name, type)                                           \
  TL_FN tl_##type tl_##name(tl_##type x, tl_##type y) {                      \
    return tl_##type##_of(tlb_##type##_##name(x.bits, y.bits));              \
  }
#define TL_CHOOSE_NARROW(name)                                               \
  TL_CHOOSE_HALF(name, f16) TL_CHOOSE_HALF(name, bf16)                       \
  template <int E, int M, int Z>                                             \
  TL_FN tl_f8<E, M, Z> tl_##name(tl_f8<E, M, Z> x, tl_f8<E, M, Z> y) {       \
    return tl_f8<E, M, Z>(tl_##name((float)x, (float)y));                    \
  }
#else
#define TL_CHOOSE_NARROW(name) TL_NARROW2(name)
#endif
#define TL_CHOOSE(name, fn, op)                                                       \
  TL_FN float tl_##name(float x, float y) { TL_CHOOSE_ZERO(op) return fn##f(x, y); }  \
  TL_FN double tl_##name(double x, double y) { TL_CHOOSE_ZERO(op) return fn(x, y); }  \
  TL_FN int tl_##name(int x, int y) { return x op y ? x : y; }              \
  TL_FN unsigned tl_##name(unsigned x, unsigned y) { return x op y ? x : y; } \
  TL_FN tl_i64 tl_##name(tl_i64 x, tl_i64 y) { return x op y ? x : y; }     \
  TL_FN tl_u64 tl_##name(tl_u64 x, tl_u64 y) { return x op y ? x : y; }     \
  TL_CHOOSE_NARROW(name) TL_VECTOR2(name)
TL_CHOOSE(max, fmax, >)
TL_CHOOSE(min, fmin, <)
/// max(x, 0). On NVIDIA GPUs by its bits: ptxas 13.0 compiles max(min(x, n), 0) to one instruction
/// for sm_90 whose predicate "equals n" it then uses inverted.
TL_FN int tl_max_0(int x) {
#ifdef TLB_SIGN
  return x & ~tlb_sign(x);
#else
  return x > 0 ? x : 0;
#endif
}
/// A 0 selected by a value's sign, on NVIDIA GPUs: NVVM would turn it into the same maximum.
TL_FN int tl_zero() {
#ifdef TLB_SIGN
  return tlb_zero();
#else
  return 0;
#endif
}
#undef TL_CHOOSE
#undef TL_CHOOSE_NARROW
#undef TL_CHOOSE_ZERO

TL_FN float tl_abs(float x) { return fabsf(x); }
TL_FN double tl_abs(double x) { return fabs(x); }
TL_FN int tl_abs(int x) { return x < 0 ? (int)(0u - (unsigned)x) : x; }
TL_FN tl_i64 tl_abs(tl_i64 x) { return x < 0 ? (tl_i64)(0ull - (tl_u64)x) : x; }
TL_FN unsigned tl_abs(unsigned x) { return x; }
TL_FN tl_u64 tl_abs(tl_u64 x) { return x; }
TL_NARROW1(abs)
TL_VECTOR1(abs)

/// x * y + z, rounded once.
TL_FN float tl_fma(float x, float y, float z) { return fmaf(x, y, z); }
TL_FN double tl_fma(double x, double y, double z) { return fma(x, y, z); }
#ifdef TLB_HALF_FMA
TL_FN tl_f16 tl_fma(tl_f16 x, tl_f16 y, tl_f16 z) {
  tl_f16 r;
  r.bits = tlb_f16_fma(x.bits, y.bits, z.bits);
  return r;
}
TL_FN tl_bf16 tl_fma(tl_bf16 x, tl_bf16 y, tl_bf16 z) {
  tl_bf16 r;
  r.bits = tlb_bf16_fma(x.bits, y.bits, z.bits);
  return r;
}
#else
/// x * y + z as a float, rounded to odd by the error of Knuth's two-sum, whose sign is exact. The
/// product of two f16 or bf16 numbers is exact in a double.
TL_FN float tl_fma_odd(float x, float y, float z) {
  const double p = (double)x * (double)y, s = p + (double)z, t = s - p;
  const double below = (p - (s - t)) + ((double)z - t);
  const float f = (float)s;
  const double error = (s - (double)f) + below;
  if (!(error < 0 || error > 0) || (tl_bits(f) & 1) || f == 0 || f - f != 0) return f;
  return tl_float((error > 0) == (f > 0) ? tl_bits(f) + 1 : tl_bits(f) - 1);
}
TL_FN tl_f16 tl_fma(tl_f16 x, tl_f16 y, tl_f16 z) {
  return tl_f16(tl_fma_odd((float)x, (float)y, (float)z));
}
TL_FN tl_bf16 tl_fma(tl_bf16 x, tl_bf16 y, tl_bf16 z) {
  return tl_bf16(tl_fma_odd((float)x, (float)y, (float)z));
}
#endif
/// Narrower ones: in float, then rounded, like every operation on them.
template <int E, int M, int Z>
TL_FN tl_f8<E, M, Z> tl_fma(tl_f8<E, M, Z> x, tl_f8<E, M, Z> y, tl_f8<E, M, Z> z) {
  return tl_f8<E, M, Z>(fmaf((float)x, (float)y, (float)z));
}
template <class T, int N>
TL_FN tl_vec<T, N> tl_fma(const tl_vec<T, N>& x, const tl_vec<T, N>& y, const tl_vec<T, N>& z) {
  tl_vec<T, N> r;
#pragma unroll
  for (int i = 0; i < N; ++i) r.v[i] = tl_fma(x.v[i], y.v[i], z.v[i]);
  return r;
}
