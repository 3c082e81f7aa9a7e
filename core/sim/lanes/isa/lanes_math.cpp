// SPDX-License-Identifier: Apache-2.0
// Elementary functions on lanes (compiled once per instruction set).
#include "core/sim/lanes/isa/float_math.h"
#include "core/sim/lanes/isa/lane_loops.h"

namespace tilelab::sim {
namespace {

/// Functions with a vector form in f32; f64 uses the C library.
#define FAST(name, f32_form, f64_form)                              \
  struct name {                                                     \
    static TILELAB_INLINE float run(float a) { return f32_form; }   \
    static TILELAB_INLINE double run(double a) { return f64_form; } \
  };
FAST(Sqrt, __builtin_sqrtf(a), __builtin_sqrt(a))
FAST(Rsqrt, float(1 / __builtin_sqrt(double(a))), 1 / __builtin_sqrt(a))
FAST(Exp, exp_f32(a), std::exp(a))
FAST(Exp2, exp2_f32(a), std::exp2(a))
FAST(Exp10, exp10_f32(a), std::pow(10.0, a))
FAST(Log, log_scaled(a, ln_2), std::log(a))
FAST(Log2, log_scaled(a, 1.0), std::log2(a))
FAST(Log10, log_scaled(a, 0x1.34413509f79ffp-2), std::log10(a))
FAST(Tanh, tanh_f32(a), double(std::tanh(static_cast<long double>(a))))
FAST(Erf, erf_f32(a), std::erf(a))
FAST(Sigmoid, sigmoid_f32(a), sigmoid_f64(a))
#undef FAST

/// Functions computed lane by lane by the C library: f32 in f64 and rounded; f64 in `wide`, which
/// is long double where the library's f64 is off by more than 2 ulp.
#define LIBRARY(name, function, wide)                                                   \
  struct name {                                                                         \
    static float run(float a) { return float(std::function(double(a))); }               \
    static double run(double a) { return double(std::function(static_cast<wide>(a))); } \
  };
LIBRARY(Log1p, log1p, double)
LIBRARY(Expm1, expm1, double)
LIBRARY(Asin, asin, double)
LIBRARY(Acos, acos, double)
LIBRARY(Atan, atan, double)
LIBRARY(Sinh, sinh, long double)
LIBRARY(Cosh, cosh, double)
LIBRARY(Asinh, asinh, long double)
LIBRARY(Acosh, acosh, long double)
LIBRARY(Atanh, atanh, double)
#undef LIBRARY
#define LIBRARY2(name, function)                                                              \
  struct name {                                                                               \
    static float run(float a, float b) { return float(std::function(double(a), double(b))); } \
    static double run(double a, double b) { return std::function(a, b); }                     \
  };
LIBRARY2(Atan2, atan2)
LIBRARY2(Hypot, hypot)
#undef LIBRARY2

/// Functions with a vector form for common arguments; `rare` lanes are recomputed.
#define REDUCED(name, form, function)                                                        \
  struct name {                                                                              \
    static TILELAB_INLINE float run(float a) { return form(a); }                             \
    static TILELAB_INLINE bool rare(float a) { return !(__builtin_fabsf(a) <= trig_limit); } \
    static float slow(float a) { return float(std::function(double(a))); }                   \
    static double run(double a) { return std::function(a); }                                 \
  };
REDUCED(Sin, sin_f32, sin)
REDUCED(Cos, cos_f32, cos)
REDUCED(Tan, tan_f32, tan)
#undef REDUCED

struct Pow {
  static TILELAB_INLINE float run(float a, float b) { return pow_f32(a, b); }
  static TILELAB_INLINE bool rare(float a, float b) {
    return !(a > 0 && a < __builtin_inff() && __builtin_fabsf(b) < __builtin_inff());
  }
  static float slow(float a, float b) { return float(std::pow(double(a), double(b))); }
  static double run(double a, double b) { return std::pow(a, b); }
};

/// The vector form in all lanes, then the library's function in the rare ones.
template <class Op, class... Operand>
void reduced_lanes(size_t n, float* out, const Operand*... operands) {
  LANE_LOOP
  for (size_t j = 0; j < n; ++j) out[j] = Op::run(operands[j]...);
  int any = 0;
  for (size_t j = 0; j < n; ++j) any |= Op::rare(operands[j]...);
  for (size_t j = 0; any && j < n; ++j)
    if (Op::rare(operands[j]...)) out[j] = Op::slow(operands[j]...);
}
template <class Op> void reduced(void* out, const void* a, const void* b, const void*, size_t n) {
  float x[piece], y[piece];
  for (size_t i = 0; i < n; i += piece) {
    const size_t m = n - i < piece ? n - i : piece;
    float* o = static_cast<float*>(out) + i;
    std::memcpy(x, static_cast<const float*>(a) + i, m * sizeof(float));
    if constexpr (operands_of<Op, float> == 1) {
      reduced_lanes<Op>(m, o, x);
    } else {
      std::memcpy(y, static_cast<const float*>(b) + i, m * sizeof(float));
      reduced_lanes<Op>(m, o, x, y);
    }
  }
}

template <class T>
constexpr bool no_minus_zero = std::is_same_v<T, E4m3fnuz> || std::is_same_v<T, E5m2fnuz>;

/// The neighbour towards b among the kind's values, whose bits, without the sign, are ordered.
template <class T, class Bits, Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1)>
void nextafter_bits(void* out, const void* a, const void* b, const void*, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    T x = static_cast<const T*>(a)[i], y = static_cast<const T*>(b)[i];
    float fx = to_f32(x), fy = to_f32(y);
    if (fx != fx || fy != fy)
      x = fx != fx ? x : y;
    else if (fx == fy)
      x = y;
    else if (fx == 0)
      x.bits = static_cast<Bits>((fy < 0 ? sign : 0) | 1);
    else
      x.bits = static_cast<Bits>(x.bits + ((fy > fx) == (fx > 0) ? 1 : -1));
    if (no_minus_zero<T> && x.bits == sign && fx == fx && fy == fy) x.bits = 0;
    static_cast<T*>(out)[i] = x;
  }
}
struct Nextafter {
  template <class T> static T run(T a, T b) { return std::nextafter(a, b); }
};

template <class Op> void set_reduced(LaneTable& t, LaneOp op) {
  set_floats<reduced<Op>, lanes<Op, double>, operands_of<Op, float>, false>(t, op);
}

void set_library(LaneTable& t) {
  set_float<Log1p>(t, LaneOp::log1p);
  set_float<Expm1>(t, LaneOp::expm1);
  set_float<Asin>(t, LaneOp::asin);
  set_float<Acos>(t, LaneOp::acos);
  set_float<Atan>(t, LaneOp::atan);
  set_float<Sinh>(t, LaneOp::sinh);
  set_float<Cosh>(t, LaneOp::cosh);
  set_float<Asinh>(t, LaneOp::asinh);
  set_float<Acosh>(t, LaneOp::acosh);
  set_float<Atanh>(t, LaneOp::atanh);
  set_float<Atan2>(t, LaneOp::atan2);
  set_float<Hypot>(t, LaneOp::hypot);
  set_float<Nextafter>(t, LaneOp::nextafter);
  LaneFn* next = t.op[int(LaneOp::nextafter)];
  next[int(Elem::f16)] = nextafter_bits<F16, uint16_t>;
  next[int(Elem::bf16)] = nextafter_bits<Bf16, uint16_t>;
  next[int(Elem::e4m3)] = nextafter_bits<E4m3, uint8_t>;
  next[int(Elem::e5m2)] = nextafter_bits<E5m2, uint8_t>;
  next[int(Elem::e4m3fnuz)] = nextafter_bits<E4m3fnuz, uint8_t>;
  next[int(Elem::e5m2fnuz)] = nextafter_bits<E5m2fnuz, uint8_t>;
  next[int(Elem::e8m0)] = nextafter_bits<E8m0, uint8_t>;
  next[int(Elem::e2m1)] = nextafter_bits<E2m1, uint8_t, 8>;
}

}  // namespace

void ISA_NAME(fill_math_)(LaneTable& t) {
  set_float<Sqrt>(t, LaneOp::sqrt);
  set_float<Rsqrt>(t, LaneOp::rsqrt);
  set_float<Exp>(t, LaneOp::exp);
  set_float<Exp2>(t, LaneOp::exp2);
  set_float<Exp10>(t, LaneOp::exp10);
  set_float<Log>(t, LaneOp::log);
  set_float<Log2>(t, LaneOp::log2);
  set_float<Log10>(t, LaneOp::log10);
  set_float<Tanh>(t, LaneOp::tanh);
  set_float<Erf>(t, LaneOp::erf);
  set_float<Sigmoid>(t, LaneOp::sigmoid);
  set_reduced<Sin>(t, LaneOp::sin);
  set_reduced<Cos>(t, LaneOp::cos);
  set_reduced<Tan>(t, LaneOp::tan);
  set_reduced<Pow>(t, LaneOp::pow);
  set_library(t);
}

}  // namespace tilelab::sim
