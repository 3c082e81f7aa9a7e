// SPDX-License-Identifier: Apache-2.0
// Arithmetic, bits and comparisons on lanes (compiled once per instruction set).
#include <cmath>

#include "core/sim/lanes/isa/lane_loops.h"

namespace tilelab::sim {
namespace {

template <class T> constexpr bool floating = std::is_floating_point_v<T>;
template <class T> constexpr int width = int(sizeof(T)) * 8;
/// Unsigned and at least as wide as int: arithmetic in it wraps and never promotes to signed.
template <class T>
using Wrap = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

#define WRAPPING(name, op)                                            \
  struct name {                                                       \
    template <class T> static TILELAB_INLINE T run(T a, T b) {        \
      if constexpr (floating<T>) {                                    \
        return a op b;                                                \
      } else {                                                        \
        return T(static_cast<Wrap<T>>(a) op static_cast<Wrap<T>>(b)); \
      }                                                               \
    }                                                                 \
  };
WRAPPING(Add, +)
WRAPPING(Sub, -)
WRAPPING(Mul, *)
#undef WRAPPING

#if defined(__AVX512F__)
TILELAB_INLINE __m512 apply(Add, __m512 a, __m512 b) { return a + b; }
TILELAB_INLINE __m512 apply(Sub, __m512 a, __m512 b) { return a - b; }
TILELAB_INLINE __m512 apply(Mul, __m512 a, __m512 b) { return a * b; }

/// The same as through_f32, in registers.
template <class Op> void f16_lanes(void* out, const void* a, const void* b, const void*, size_t n) {
  uint16_t* o = static_cast<uint16_t*>(out);
  const uint16_t *x = static_cast<const uint16_t*>(a), *y = static_cast<const uint16_t*>(b);
  auto wide = [](const uint16_t* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)));
  };
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m512 r = apply(Op{}, wide(x + i), wide(y + i));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(o + i),
                        _mm512_cvtps_ph(r, _MM_FROUND_TO_NEAREST_INT));
  }
  through_f32<F16, lanes<Op, float>, 2, false>(o + i, x + i, y + i, nullptr, n - i);
}
#endif

struct Div {
  template <class T> static TILELAB_INLINE T run(T a, T b) { return a / b; }
};

/// Quotient rounded towards zero; 0 for a zero divisor. Up to 32 bits through f64, whose truncated
/// quotient is exact: it differs from an integer by at least 1/|b|, which is more than its rounding
/// error.
template <class T> TILELAB_INLINE T quotient(T a, T b) {
  if constexpr (sizeof(T) <= 4) {
    double q = double(a) / double(b);
    if constexpr (std::is_signed_v<T>) {
      q = q >= 2147483648.0 ? -2147483648.0 : q;  // the smallest i32 / -1 wraps
      return T(int32_t(b == 0 ? 0.0 : q));
    } else {
      return T(uint32_t(b == 0 ? 0.0 : q));
    }
  } else if constexpr (std::is_signed_v<T>) {
    if (b == -1) return T(uint64_t{0} - uint64_t(a));
    return b == 0 ? T{0} : a / b;
  } else {
    return b == 0 ? T{0} : a / b;
  }
}
template <class T> TILELAB_INLINE T remainder_of(T a, T b, T q) {
  using U = Wrap<T>;
  T r = T(static_cast<U>(a) - static_cast<U>(q) * static_cast<U>(b));
  return b == 0 ? T{0} : r;
}

struct TruncDiv {
  template <class T> static TILELAB_INLINE T run(T a, T b) {
    if constexpr (floating<T>)
      return std::trunc(a / b);
    else
      return quotient(a, b);
  }
};
struct TruncMod {
  template <class T> static TILELAB_INLINE T run(T a, T b) {
    if constexpr (floating<T>)
      return std::fmod(a, b);
    else
      return remainder_of(a, b, quotient(a, b));
  }
};
struct FloorDiv {
  template <class T> static TILELAB_INLINE T run(T a, T b) {
    if constexpr (floating<T>) {
      return std::floor(a / b);
    } else if constexpr (std::is_signed_v<T>) {
      T q = quotient(a, b), r = remainder_of(a, b, q);
      bool below = r != 0 && ((r ^ b) < 0);
      return T(static_cast<Wrap<T>>(q) - (below ? 1u : 0u));
    } else {
      return quotient(a, b);
    }
  }
};
struct FloorMod {
  template <class T> static TILELAB_INLINE T run(T a, T b) {
    if constexpr (floating<T>) {
      return a - std::floor(a / b) * b;
    } else {
      T r = remainder_of(a, b, quotient(a, b));
      if constexpr (std::is_signed_v<T>) {
        bool below = r != 0 && ((r ^ b) < 0);
        return T(static_cast<Wrap<T>>(r) + (below ? static_cast<Wrap<T>>(b) : 0u));
      }
      return r;
    }
  }
};

TILELAB_INLINE float join_zeros(float a, float b, bool both) {
  uint32_t x = float_bits(a), y = float_bits(b);
  return bits_float(both ? x & y : x | y);
}
TILELAB_INLINE double join_zeros(double a, double b, bool both) {
  uint64_t x = double_bits(a), y = double_bits(b);
  return bits_double(both ? x & y : x | y);
}
struct Min {
  template <class T> static TILELAB_INLINE T run(T a, T b) {
    T r = a < b ? a : b;
    if constexpr (floating<T>) {
      r = a == b ? join_zeros(a, b, false) : r;
      r = __builtin_isnan(b) ? a : r;
    }
    return r;
  }
};
struct Max {
  template <class T> static TILELAB_INLINE T run(T a, T b) {
    T r = a > b ? a : b;
    if constexpr (floating<T>) {
      r = a == b ? join_zeros(a, b, true) : r;
      r = __builtin_isnan(b) ? a : r;
    }
    return r;
  }
};
/// a * b + c of f16 or bf16 numbers as f32, rounded to odd by the sign of the rounding error:
/// rounding that to the narrow type gives what one rounding gives.
struct FmaToOdd {
  static TILELAB_INLINE float run(float a, float b, float c) {
    const float r = fma_f32(a, b, c);
    const double p = double(a) * double(b), z = double(c), s = p + z, t = s - p;
    const double error = (s - double(r)) + ((p - (s - t)) + (z - t));
    const uint32_t bits = float_bits(r);
    const bool finite = (bits & 0x7f800000u) != 0x7f800000u && (bits << 1) != 0u;
    const bool fix = (error > 0 || error < 0) && finite && (bits & 1u) == 0u;
    const bool away = (error > 0) == (r > 0);
    return bits_float(fix ? (away ? bits + 1u : bits - 1u) : bits);
  }
};
struct Fma {
  static TILELAB_INLINE float run(float a, float b, float c) { return fma_f32(a, b, c); }
  static TILELAB_INLINE double run(double a, double b, double c) { return std::fma(a, b, c); }
  template <class T> static TILELAB_INLINE T run(T a, T b, T c) {
    return Add::run(Mul::run(a, b), c);
  }
};

struct And {
  template <class T> static TILELAB_INLINE T run(T a, T b) { return a & b; }
};
struct Or {
  template <class T> static TILELAB_INLINE T run(T a, T b) { return a | b; }
};
struct Xor {
  template <class T> static TILELAB_INLINE T run(T a, T b) { return a ^ b; }
};
struct Not {
  template <class T> static TILELAB_INLINE T run(T a) { return T(~a); }
};
struct BoolNot {
  static TILELAB_INLINE uint8_t run(uint8_t a) { return a ^ 1; }
};
template <class T> TILELAB_INLINE bool in_width(T b) {
  return static_cast<std::make_unsigned_t<T>>(b) < static_cast<unsigned>(width<T>);
}
struct Shl {
  template <class T> static TILELAB_INLINE T run(T a, T b) {
    int s = int(b) & (width<T> - 1);
    return in_width(b) ? T(static_cast<Wrap<T>>(a) << s) : T{0};
  }
};
struct Shr {
  template <class T> static TILELAB_INLINE T run(T a, T b) {
    int s = in_width(b) ? int(b) & (width<T> - 1) : width<T> - 1;
    T r = T(a >> s);
    return std::is_signed_v<T> || in_width(b) ? r : T{0};
  }
};
struct Neg {
  template <class T> static TILELAB_INLINE T run(T a) {
    if constexpr (floating<T>)
      return -a;
    else
      return T(Wrap<T>{0} - static_cast<Wrap<T>>(a));
  }
};
struct Abs {
  template <class T> static TILELAB_INLINE T run(T a) {
    if constexpr (floating<T>)
      return std::fabs(a);
    else
      return a < 0 ? Neg::run(a) : a;
  }
};
struct Replace {
  template <class T> static TILELAB_INLINE T run(T, T b) { return b; }
};
struct CompareAndSwap {
  template <class T> static TILELAB_INLINE T run(T a, T b, T c) { return a == b ? c : a; }
};
struct Popcount {
  template <class T> static TILELAB_INLINE T run(T a) {
    return T(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(a)));
  }
};
struct Clz {
  template <class T> static TILELAB_INLINE T run(T a) {
    uint64_t x = static_cast<std::make_unsigned_t<T>>(a);
    return T(x == 0 ? width<T> : __builtin_clzll(x) - (64 - width<T>));
  }
};
/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC
/// 2011). The counter is (block of four words, stream).
struct Philox {
  template <class T> static TILELAB_INLINE T run(T key, T stream, T word) {
    const uint64_t block = uint64_t(word) >> 2;
    uint32_t c0 = uint32_t(block), c1 = uint32_t(block >> 32);
    uint32_t c2 = uint32_t(uint64_t(stream)), c3 = uint32_t(uint64_t(stream) >> 32);
    uint32_t k0 = uint32_t(uint64_t(key)), k1 = uint32_t(uint64_t(key) >> 32);
#pragma GCC unroll 10  // -O2 would keep the loop, and a loop inside of one is not vectorized
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * c0, b = uint64_t{0xCD9E8D57} * c2;
      c0 = uint32_t(b >> 32) ^ c1 ^ k0, c1 = uint32_t(b);
      c2 = uint32_t(a >> 32) ^ c3 ^ k1, c3 = uint32_t(a);
      k0 += 0x9E3779B9, k1 += 0xBB67AE85;
    }
    const uint32_t low = uint64_t(word) & 1 ? c1 : c0, high = uint64_t(word) & 1 ? c3 : c2;
    return T(uint64_t(word) & 2 ? high : low);
  }
};

#define COMPARE(name, op)                                                          \
  struct name {                                                                    \
    template <class T> static TILELAB_INLINE bool run(T a, T b) { return a op b; } \
  };
COMPARE(Eq, ==)
COMPARE(Ne, !=)
COMPARE(Lt, <)
COMPARE(Le, <=)
COMPARE(Gt, >)
COMPARE(Ge, >=)
#undef COMPARE

struct IsNan {
  template <class T> static TILELAB_INLINE bool run(T a) { return __builtin_isnan(a); }
};
struct IsInf {
  template <class T> static TILELAB_INLINE bool run(T a) {
    return a == T(__builtin_inf()) || a == T(-__builtin_inf());
  }
};
struct IsFinite {
  template <class T> static TILELAB_INLINE bool run(T a) { return __builtin_isfinite(a); }
};

struct Floor {
  template <class T> static TILELAB_INLINE T run(T a) { return std::floor(a); }
};
struct Ceil {
  template <class T> static TILELAB_INLINE T run(T a) { return std::ceil(a); }
};
struct Trunc {
  template <class T> static TILELAB_INLINE T run(T a) { return std::trunc(a); }
};
struct Nearbyint {
  template <class T> static TILELAB_INLINE T run(T a) { return std::rint(a); }
};
struct Round {
  template <class T> static TILELAB_INLINE T run(T a) {
    T whole = std::trunc(a);
    return std::fabs(a - whole) >= T(0.5) ? whole + std::copysign(T(1), a) : whole;
  }
};
struct Copysign {
  template <class T> static TILELAB_INLINE T run(T a, T b) { return std::copysign(a, b); }
};

void set(LaneTable& t, LaneOp op, Elem e, LaneFn fn) { t.op[int(op)][int(e)] = fn; }

/// An operation on bits: the kernel of an unsigned integer with as many bytes as the element.
template <class Op> void set_bits(LaneTable& t, LaneOp op, Elem e) {
  const int bytes = elem_bytes(e);
  set(t, op, e,
      bytes == 1   ? lanes<Op, uint8_t>
      : bytes == 2 ? lanes<Op, uint16_t>
      : bytes == 4 ? lanes<Op, uint32_t>
                   : lanes<Op, uint64_t>);
}
/// Operations whose result bits do not depend on signedness share the unsigned kernel.
template <class Op> void set_signless(LaneTable& t, LaneOp op) {
  for (Elem e :
       {Elem::i8, Elem::u8, Elem::i16, Elem::u16, Elem::i32, Elem::u32, Elem::i64, Elem::u64})
    set_bits<Op>(t, op, e);
}
template <class Op> void set_ints(LaneTable& t, LaneOp op) {
  set(t, op, Elem::i8, lanes<Op, int8_t>);
  set(t, op, Elem::u8, lanes<Op, uint8_t>);
  set(t, op, Elem::i16, lanes<Op, int16_t>);
  set(t, op, Elem::u16, lanes<Op, uint16_t>);
  set(t, op, Elem::i32, lanes<Op, int32_t>);
  set(t, op, Elem::u32, lanes<Op, uint32_t>);
  set(t, op, Elem::i64, lanes<Op, int64_t>);
  set(t, op, Elem::u64, lanes<Op, uint64_t>);
}
template <class Op> void set_compare(LaneTable& t, LaneOp op) {
  set(t, op, Elem::bool_, lanes<Op, uint8_t>);
  set_ints<Op>(t, op);
  set_float<Op>(t, op);
}

void set_integers(LaneTable& t) {
  set_signless<Add>(t, LaneOp::add);
  set_signless<Sub>(t, LaneOp::sub);
  set_signless<Mul>(t, LaneOp::mul);
  set_ints<FloorDiv>(t, LaneOp::floor_div);
  set_ints<FloorMod>(t, LaneOp::floor_mod);
  set_ints<TruncDiv>(t, LaneOp::trunc_div);
  set_ints<TruncMod>(t, LaneOp::trunc_mod);
  set_ints<Min>(t, LaneOp::min);
  set_ints<Max>(t, LaneOp::max);
  set_signless<Fma>(t, LaneOp::fma);
  set_signless<And>(t, LaneOp::and_);
  set_signless<Or>(t, LaneOp::or_);
  set_signless<Xor>(t, LaneOp::xor_);
  set_signless<Not>(t, LaneOp::not_);
  set(t, LaneOp::and_, Elem::bool_, lanes<And, uint8_t>);
  set(t, LaneOp::or_, Elem::bool_, lanes<Or, uint8_t>);
  set(t, LaneOp::xor_, Elem::bool_, lanes<Xor, uint8_t>);
  set(t, LaneOp::not_, Elem::bool_, lanes<BoolNot, uint8_t>);
  set_signless<Shl>(t, LaneOp::shl);
  set_ints<Shr>(t, LaneOp::shr);
  set_signless<Neg>(t, LaneOp::neg);
  set_signless<Abs>(t, LaneOp::abs);
  set(t, LaneOp::abs, Elem::i8, lanes<Abs, int8_t>);
  set(t, LaneOp::abs, Elem::i16, lanes<Abs, int16_t>);
  set(t, LaneOp::abs, Elem::i32, lanes<Abs, int32_t>);
  set(t, LaneOp::abs, Elem::i64, lanes<Abs, int64_t>);
  set_signless<Popcount>(t, LaneOp::popcount);
  set_signless<Clz>(t, LaneOp::clz);
  set_signless<Philox>(t, LaneOp::philox);
}

void set_updates(LaneTable& t) {
  for (int e = 0; e < elem_count; ++e) {
    set_bits<Replace>(t, LaneOp::replace, Elem(e));
    set_bits<CompareAndSwap>(t, LaneOp::cas, Elem(e));
  }
}

void set_float_arithmetic(LaneTable& t) {
  set_float<Add>(t, LaneOp::add);
  set_float<Sub>(t, LaneOp::sub);
  set_float<Mul>(t, LaneOp::mul);
#if defined(__AVX512F__)
  t.op[int(LaneOp::add)][int(Elem::f16)] = f16_lanes<Add>;
  t.op[int(LaneOp::sub)][int(Elem::f16)] = f16_lanes<Sub>;
  t.op[int(LaneOp::mul)][int(Elem::f16)] = f16_lanes<Mul>;
#endif
  set_float<Div>(t, LaneOp::div);
  set_float<FloorDiv>(t, LaneOp::floor_div);
  set_float<FloorMod>(t, LaneOp::floor_mod);
  set_float<TruncDiv>(t, LaneOp::trunc_div);
  set_float<TruncMod>(t, LaneOp::trunc_mod);
  set_float<Min>(t, LaneOp::min);
  set_float<Max>(t, LaneOp::max);
  set_float<Copysign>(t, LaneOp::copysign);
  set_float<Fma>(t, LaneOp::fma);
  t.op[int(LaneOp::fma)][int(Elem::f16)] = through_f32<F16, lanes<FmaToOdd, float>, 3, false>;
  t.op[int(LaneOp::fma)][int(Elem::bf16)] = through_f32<Bf16, lanes<FmaToOdd, float>, 3, false>;
  set_float<Neg>(t, LaneOp::neg);
  set_float<Abs>(t, LaneOp::abs);
  set_float<Floor>(t, LaneOp::floor);
  set_float<Ceil>(t, LaneOp::ceil);
  set_float<Trunc>(t, LaneOp::trunc);
  set_float<Round>(t, LaneOp::round);
  set_float<Nearbyint>(t, LaneOp::nearbyint);
  set_float<IsNan>(t, LaneOp::is_nan);
  set_float<IsInf>(t, LaneOp::is_inf);
  set_float<IsFinite>(t, LaneOp::is_finite);
}

}  // namespace

void ISA_NAME(fill_arith_)(LaneTable& t) {
  set_integers(t);
  set_float_arithmetic(t);
  set_updates(t);
  set_compare<Eq>(t, LaneOp::eq);
  set_compare<Ne>(t, LaneOp::ne);
  set_compare<Lt>(t, LaneOp::lt);
  set_compare<Le>(t, LaneOp::le);
  set_compare<Gt>(t, LaneOp::gt);
  set_compare<Ge>(t, LaneOp::ge);
}

}  // namespace tilelab::sim
