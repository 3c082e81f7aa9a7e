// SPDX-License-Identifier: Apache-2.0
// Types of generated kernels: plain structs only, for compatibility with every compiler.
#pragma once

typedef signed char tl_i8;
typedef unsigned char tl_u8;
typedef unsigned short tl_u16;
typedef long long tl_i64;
typedef unsigned long long tl_u64;

TL_FN unsigned tl_bits(float x) { return __float_as_uint(x); }
TL_FN float tl_float(unsigned bits) { return __uint_as_float(bits); }

/// double -> float, rounded to odd: a second rounding to a narrower type is then exact.
TL_FN float tl_f32_odd(double x) {
  float f = (float)x;
  if ((double)f == x || x != x || (tl_bits(f) & 1)) return f;
  const bool away = ((double)f > x) == (x > 0);  // f has an even mantissa: step to its odd neighbour
  return tl_float(away ? tl_bits(f) - 1 : tl_bits(f) + 1);
}

#define TL_INFINITY tl_float(0x7f800000u)
#ifndef TLB_INT_THROUGH_FLOAT
TL_FN double tlb_odd_of(int x) { return x; }
TL_FN double tlb_odd_of(unsigned x) { return x; }
#endif
#define TL_INTEGER_CONSTRUCTORS(T)                     \
  TL_FN explicit T(tl_i8 x) : T((float)x) {}           \
  TL_FN explicit T(tl_u8 x) : T((float)x) {}           \
  TL_FN explicit T(short x) : T((float)x) {}           \
  TL_FN explicit T(tl_u16 x) : T((float)x) {}          \
  TL_FN explicit T(int x) : T(tlb_odd_of(x)) {}        \
  TL_FN explicit T(unsigned x) : T(tlb_odd_of(x)) {}   \
  TL_FN explicit T(tl_i64 x) : T((double)x) {}         \
  TL_FN explicit T(tl_u64 x) : T((double)x) {}

/// IEEE binary16. Arithmetic: in float, rounded once to nearest even (exact for + - * / sqrt).
struct tl_f16 {
  unsigned short bits;
  tl_f16() = default;
  TL_FN explicit tl_f16(float x) : bits(tlb_f16_from_f32(x)) {}
  TL_FN explicit tl_f16(double x) : bits(tlb_f16_from_f32(tl_f32_odd(x))) {}
  TL_INTEGER_CONSTRUCTORS(tl_f16)
  TL_FN explicit operator float() const { return tlb_f16_to_f32(bits); }
};

/// bfloat16: the upper half of a float, rounded to nearest even; NaN stays NaN.
struct tl_bf16 {
  unsigned short bits;
  tl_bf16() = default;
  TL_FN explicit tl_bf16(float x) {
#ifdef tlb_bf16_from_f32
    bits = tlb_bf16_from_f32(x);
#else
    unsigned u = tl_bits(x);
    bits = (unsigned short)(x != x ? (u >> 16 | 0x40) : (u + 0x7fff + (u >> 16 & 1)) >> 16);
#endif
  }
  TL_FN explicit tl_bf16(double x) : tl_bf16(tl_f32_odd(x)) {}
  TL_INTEGER_CONSTRUCTORS(tl_bf16)
  TL_FN explicit operator float() const { return tl_float((unsigned)bits << 16); }
};

/// Formats of floats with 8 bits or fewer: E exponent bits, M mantissa bits; Z selects the special
/// values: 0 as IEEE or "fn" formats, 1 ("fnuz") NaN in place of -0, 2 NaN only, 3 none. to:
/// nearest even, saturating. e4m3 has no infinity and saturates; so does e5m2 here, as conversions
/// "to nearest, saturating finite" do.
template <int E, int M, int Z>
struct tl_format {
  TL_FN static unsigned char to(float x) {
    const int bias = (1 << (E - 1)) - (Z == 1 ? 0 : 1), top = Z == 0 ? (E == 4 ? 0x7e : 0x7b) : 0x7f;
    const unsigned u = tl_bits(x), sign = u >> 24 & 0x80;
    if (x != x) return (unsigned char)(Z == 1 ? 0x80 : sign | 0x7f);
    int e = (int)(u >> 23 & 0xff) - 127 + bias;  // exponent field if normal
    unsigned m = (u & 0x7fffff) | 0x800000;      // 24 bits with the leading one
    int drop = 23 - M;
    if (e < 1) drop += 1 - e, e = 1;             // subnormal: fewer bits remain
    unsigned q = 0;
    if (drop < 26) {
      q = m >> drop;
      const unsigned rest = m & ((1u << drop) - 1), half = 1u << (drop - 1);
      q += rest > half || (rest == half && (q & 1));
    }
    unsigned code = q + ((unsigned)(e - 1) << M);  // the leading one adds the exponent's last step
    if ((int)code > top || e > 40) code = (unsigned)top;
    return (unsigned char)(Z == 1 && code == 0 ? 0 : sign | code);
  }
  TL_FN static float from(unsigned char bits) {
    const int bias = (1 << (E - 1)) - (Z == 1 ? 0 : 1);
    const unsigned e = bits >> M & ((1 << E) - 1), m = bits & ((1 << M) - 1);
    const unsigned sign = (unsigned)(bits & 0x80) << 24;
    if (Z == 1 && bits == 0x80) return tl_float(0xffc00000);
    if (Z == 0 && (E == 4 ? (bits & 0x7f) == 0x7f : e == 31 && m)) return tl_float(sign | 0x7fc00000);
    if (Z == 0 && E == 5 && e == 31) return tl_float(sign | 0x7f800000);
    if (e) return tl_float(sign | (e - bias + 127) << 23 | m << (23 - M));
    const float tiny = tl_float((unsigned)(127 + 1 - bias - M) << 23);  // the least subnormal
    return tl_float(sign | tl_bits((float)m * tiny));
  }
};
#ifdef TLB_F8_PAIRS
template <int E, int M>
struct tl_format<E, M, 0> {
  TL_FN static unsigned char to(float x) { return (unsigned char)tlb_f8_pair<E>(x, 0.0f); }
  TL_FN static float from(unsigned char bits) {
    return tlb_f16_to_f32((unsigned short)tlb_f8_to_f16_pair<E>(bits));
  }
};
#endif
/// e8m0: powers of two, the next one above the magnitude.
template <>
struct tl_format<8, 0, 2> {
  TL_FN static unsigned char to(float x) {
    const unsigned a = tl_bits(x) & 0x7fffffff;
    if (a > 0x7f800000) return 0xff;
    const unsigned code = a <= 0x400000 ? 0 : (a + 0x7fffff) >> 23;
    return (unsigned char)(code > 0xfe ? 0xfe : code);
  }
  TL_FN static float from(unsigned char bits) {
    return tl_float(bits == 0 ? 0x400000u : bits == 0xff ? 0x7fc00000u : (unsigned)bits << 23);
  }
};
/// e2m1, in the lower half of a byte; NaN becomes 6.
template <>
struct tl_format<2, 1, 3> {
  TL_FN static unsigned char to(float x) {
    const unsigned u = tl_bits(x), a = u & 0x7fffffff;
    if (a > 0x7f800000) return 7;
    // 0, 0.5, 1, 1.5, 2, 3, 4, 6: the midpoints belong to the even code.
    const unsigned code = (a > 0x3e800000) + (a >= 0x3f400000) + (a > 0x3fa00000) +
                          (a >= 0x3fe00000) + (a > 0x40200000) + (a >= 0x40600000) +
                          (a > 0x40a00000);
    return (unsigned char)((u >> 28 & 8) | code);
  }
  TL_FN static float from(unsigned char bits) {
    const unsigned em = bits & 7, low = em ? 0x3f000000 : 0;
    return tl_float((unsigned)(bits & 8) << 28 | (em < 2 ? low : (em << 22) + (126u << 23)));
  }
};
/// A float in a byte.
template <int E, int M, int Z = 0>
struct tl_f8 {
  unsigned char bits;
  tl_f8() = default;
  TL_FN explicit tl_f8(float x) : bits(tl_format<E, M, Z>::to(x)) {}
  TL_FN explicit operator float() const { return tl_format<E, M, Z>::from(bits); }
  TL_FN explicit tl_f8(double x) : tl_f8(tl_f32_odd(x)) {}
  TL_INTEGER_CONSTRUCTORS(tl_f8)
};
typedef tl_f8<4, 3> tl_e4m3;
typedef tl_f8<5, 2> tl_e5m2;
typedef tl_f8<4, 3, 1> tl_e4m3fnuz;
typedef tl_f8<5, 2, 1> tl_e5m2fnuz;
typedef tl_f8<8, 0, 2> tl_e8m0;
typedef tl_f8<2, 1, 3> tl_e2m1;
#define TL_BYTE_FLOATS(X) X(tl_e4m3) X(tl_e5m2) X(tl_e4m3fnuz) X(tl_e5m2fnuz) X(tl_e8m0) X(tl_e2m1)
#define TL_NARROW_FLOATS(X) X(tl_f16) X(tl_bf16) TL_BYTE_FLOATS(X)

#define TL_HALF_SUMS(T)                                          \
  TL_FN T operator+(T a, T b) { return T((float)a + (float)b); } \
  TL_FN T operator-(T a, T b) { return T((float)a - (float)b); } \
  TL_FN T operator*(T a, T b) { return T((float)a * (float)b); }
#define TL_HALF_OPS(T)                                             \
  TL_FN T operator/(T a, T b) { return T((float)a / (float)b); }   \
  TL_FN T operator-(T a) { return T(-(float)a); }                  \
  TL_FN bool operator==(T a, T b) { return (float)a == (float)b; } \
  TL_FN bool operator!=(T a, T b) { return (float)a != (float)b; } \
  TL_FN bool operator<(T a, T b) { return (float)a < (float)b; }   \
  TL_FN bool operator<=(T a, T b) { return (float)a <= (float)b; } \
  TL_FN bool operator>(T a, T b) { return (float)a > (float)b; }   \
  TL_FN bool operator>=(T a, T b) { return (float)a >= (float)b; }
TL_FN tl_f16 tl_f16_of(unsigned short bits) {
  tl_f16 x;
  x.bits = bits;
  return x;
}
TL_FN tl_bf16 tl_bf16_of(unsigned short bits) {
  tl_bf16 x;
  x.bits = bits;
  return x;
}
#define TL_NATIVE_SUMS(T)                                                                             \
  TL_FN tl_##T operator+(tl_##T a, tl_##T b) { return tl_##T##_of(tlb_##T##_add(a.bits, b.bits)); } \
  TL_FN tl_##T operator-(tl_##T a, tl_##T b) { return tl_##T##_of(tlb_##T##_sub(a.bits, b.bits)); } \
  TL_FN tl_##T operator*(tl_##T a, tl_##T b) { return tl_##T##_of(tlb_##T##_mul(a.bits, b.bits)); }
#ifdef tlb_f16_add
TL_NATIVE_SUMS(f16)
#else
TL_HALF_SUMS(tl_f16)
#endif
#ifdef tlb_bf16_add
TL_NATIVE_SUMS(bf16)
#else
TL_HALF_SUMS(tl_bf16)
#endif
#undef TL_NATIVE_SUMS
TL_BYTE_FLOATS(TL_HALF_SUMS)
TL_NARROW_FLOATS(TL_HALF_OPS)
#undef TL_HALF_SUMS
#undef TL_HALF_OPS

/// N lanes in registers or in one memory access of at most 16 bytes.
template <class T, int N>
struct alignas(sizeof(T) * N < 16 ? (sizeof(T) * N & (~(sizeof(T) * N) + 1)) : 16) tl_vec {
  T v[N];
  TL_FN T& operator[](int i) { return v[i]; }
  TL_FN const T& operator[](int i) const { return v[i]; }
};
#define TL_VECTORS(T, name)         \
  typedef tl_vec<T, 2> name##x2;    \
  typedef tl_vec<T, 4> name##x4;    \
  typedef tl_vec<T, 8> name##x8;    \
  typedef tl_vec<T, 16> name##x16;
#define TL_VECTORS_OF(T) TL_VECTORS(T, T)
TL_VECTORS(bool, tl_bool)
TL_VECTORS_OF(tl_i8)
TL_VECTORS_OF(tl_u8)
TL_VECTORS(short, tl_i16)
TL_VECTORS_OF(tl_u16)
TL_VECTORS(int, tl_i32)
TL_VECTORS(unsigned, tl_u32)
TL_VECTORS_OF(tl_i64)
TL_VECTORS_OF(tl_u64)
TL_NARROW_FLOATS(TL_VECTORS_OF)
TL_VECTORS(float, tl_f32)
TL_VECTORS(double, tl_f64)
#undef TL_VECTORS_OF
#undef TL_VECTORS

/// One aligned access of a whole vector.
template <class V>
TL_FN V tl_ld(const void* p) {
  TLB_CHECK_ACCESS(p, alignof(V))
  return *(const V*)p;
}
/// The type as which a vector of so many bytes is copied. A compiler that knows it as bytes takes
/// it apart, and joins it again where a function uses it as a word.
template <class V, int bytes>
struct tl_copied {
  typedef V type;
};
#ifdef TLB_WORDS
template <class V>
struct tl_copied<V, 4> {
  typedef unsigned type;
};
template <class V>
struct tl_copied<V, 8> {
  typedef uint2 type;
};
template <class V>
struct tl_copied<V, 16> {
  typedef uint4 type;
};
#endif
/// Pairs of 16 bits are stored as a word, which compilers do not always join.
template <class T, int N>
TL_FN void tl_st(void* p, const tl_vec<T, N>& x) {
  TLB_CHECK_ACCESS(p, (alignof(tl_vec<T, N>)))
  typedef typename tl_copied<tl_vec<T, N>, sizeof(T) == 2 && N == 2 ? 4 : 0>::type W;
  W words;
  __builtin_memcpy(&words, &x, sizeof(words));
  *(W*)p = words;
}
/// Copies a vector of small elements.
template <class V>
TL_FN void tl_move(void* to, const void* from) {
  TLB_CHECK_ACCESS(to, alignof(V))
  TLB_CHECK_ACCESS(from, alignof(V))
  typedef typename tl_copied<V, (int)sizeof(V)>::type W;
  *(W*)to = *(const W*)from;
}
#ifdef TLB_LOAD_FIRST
/// tl_ld of memory that the kernel does not write; its cache lines are the first to evict.
template <class V>
TL_FN V tl_ld_first(const void* p) {
  if constexpr (sizeof(V) == 4 || sizeof(V) == 8 || sizeof(V) == 16) {
    const typename tl_copied<V, (int)sizeof(V)>::type words =
        TLB_LOAD_FIRST((const typename tl_copied<V, (int)sizeof(V)>::type*)p);
    V out;
    __builtin_memcpy(&out, &words, sizeof(out));
    return out;
  } else {
    return tl_ld<V>(p);
  }
}
#endif

/// The same value in every lane.
template <class V, class T>
TL_FN V tl_splat(T x) {
  V r;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(V) / sizeof(r.v[0])); ++i) r.v[i] = x;
  return r;
}

// ---- conversions: float to integer truncates and saturates, NaN gives 0; others as in C
template <class T>
struct tl_limits;

/// Floating point to the integer type I.
template <class I, class F>
TL_FN I tl_to_int(F x) {
  if (x != x) return 0;
  if (x <= (F)tl_limits<I>::least()) return tl_limits<I>::least();
  if (x >= (F)tl_limits<I>::most()) return tl_limits<I>::most();
  return (I)x;
}
template <class To, class From>
struct tl_convert {
  TL_FN static To run(From x) { return (To)x; }
};
#define TL_CONVERTED_AS_FLOAT(T)                                              \
  template <class To>                                                         \
  struct tl_convert<To, T> {                                                  \
    TL_FN static To run(T x) { return tl_convert<To, float>::run((float)x); } \
  };                                                                          \
  template <>                                                                 \
  struct tl_convert<bool, T> {                                                \
    TL_FN static bool run(T x) { return (float)x != 0; }                      \
  };                                                                          \
  template <>                                                                 \
  struct tl_convert<T, T> {                                                   \
    TL_FN static T run(T x) { return x; }                                     \
  };
TL_NARROW_FLOATS(TL_CONVERTED_AS_FLOAT)
#undef TL_CONVERTED_AS_FLOAT
#undef TL_NARROW_FLOATS
#undef TL_BYTE_FLOATS
#define TL_INTEGER(I, lo, hi)                                               \
  template <>                                                               \
  struct tl_limits<I> {                                                     \
    TL_FN static I least() { return lo; }                                   \
    TL_FN static I most() { return hi; }                                    \
  };                                                                        \
  template <>                                                               \
  struct tl_convert<I, float> {                                             \
    TL_FN static I run(float x) { return tl_to_int<I>(x); }                 \
  };                                                                        \
  template <>                                                               \
  struct tl_convert<I, double> {                                            \
    TL_FN static I run(double x) { return tl_to_int<I>(x); }                \
  };
TL_INTEGER(tl_i8, -128, 127)
TL_INTEGER(tl_u8, 0, 255)
TL_INTEGER(short, -32768, 32767)
TL_INTEGER(tl_u16, 0, 65535)
TL_INTEGER(int, -2147483647 - 1, 2147483647)
TL_INTEGER(unsigned, 0, 4294967295u)
TL_INTEGER(tl_i64, -9223372036854775807ll - 1, 9223372036854775807ll)
TL_INTEGER(tl_u64, 0, 18446744073709551615ull)
#undef TL_INTEGER
template <class From>
struct tl_convert<bool, From> {
  TL_FN static bool run(From x) { return x != (From)0; }
};
template <>
struct tl_convert<bool, bool> {
  TL_FN static bool run(bool x) { return x; }
};
template <class T, int N, class U>
struct tl_convert<tl_vec<T, N>, tl_vec<U, N>> {
  TL_FN static tl_vec<T, N> run(const tl_vec<U, N>& x) {
    tl_vec<T, N> r;
#pragma unroll
    for (int i = 0; i < N; ++i) r.v[i] = tl_convert<T, U>::run(x.v[i]);
    return r;
  }
};

// ---- two floats per instruction, if the GPU supports it
template <class T, class P, int N>
union tl_pairs {
  tl_vec<T, N> lanes;
  P pairs[N / 2];
};
#define TL_PAIRS_OF_FLOATS(T, P, pair)                          \
  template <int N>                                              \
  struct tl_convert<tl_vec<T, N>, tl_vec<float, N>> {           \
    TL_FN static tl_vec<T, N> run(const tl_vec<float, N>& x) {  \
      tl_pairs<T, P, N> r;                                      \
      _Pragma("unroll") for (int i = 0; i < N / 2; ++i)         \
          r.pairs[i] = pair(x.v[2 * i], x.v[2 * i + 1]);        \
      return r.lanes;                                           \
    }                                                           \
  };
#ifdef TLB_F16_PAIRS
TL_PAIRS_OF_FLOATS(tl_f16, unsigned, tlb_f16_pair)
#endif
#ifdef tlb_bf16_from_f32
TL_PAIRS_OF_FLOATS(tl_bf16, unsigned, tlb_bf16_pair)
#endif
#ifdef TLB_F8_PAIRS
TL_PAIRS_OF_FLOATS(tl_e4m3, unsigned short, tlb_f8_pair<4>)
TL_PAIRS_OF_FLOATS(tl_e5m2, unsigned short, tlb_f8_pair<5>)
template <int E, int M, int N>
struct tl_convert<tl_vec<tl_f16, N>, tl_vec<tl_f8<E, M>, N>> {
  TL_FN static tl_vec<tl_f16, N> run(const tl_vec<tl_f8<E, M>, N>& x) {
    tl_pairs<tl_f8<E, M>, unsigned short, N> from;
    tl_pairs<tl_f16, unsigned, N> r;
    from.lanes = x;
#pragma unroll
    for (int i = 0; i < N / 2; ++i) r.pairs[i] = tlb_f8_to_f16_pair<E>(from.pairs[i]);
    return r.lanes;
  }
};
template <int E, int M, int N>
struct tl_convert<tl_vec<float, N>, tl_vec<tl_f8<E, M>, N>> {
  TL_FN static tl_vec<float, N> run(const tl_vec<tl_f8<E, M>, N>& x) {
    const tl_vec<tl_f16, N> halves = tl_convert<tl_vec<tl_f16, N>, tl_vec<tl_f8<E, M>, N>>::run(x);
    tl_vec<float, N> r;
#pragma unroll
    for (int i = 0; i < N; ++i) r.v[i] = (float)halves.v[i];
    return r;
  }
};
#endif
#undef TL_PAIRS_OF_FLOATS

/// The value of x in another type (lane by lane for vectors).
template <class To, class From>
TL_FN To tl_cast(const From& x) {
  return tl_convert<To, From>::run(x);
}
/// The bits of x as another type of the same size. By value: NVRTC reads a referenced element
/// of memory byte by byte.
template <class To, class From>
TL_FN To tl_bitcast(From x) {
  static_assert(sizeof(To) == sizeof(From), "tl_bitcast keeps the size");
  To r;
  __builtin_memcpy(&r, &x, sizeof(To));
  return r;
}
