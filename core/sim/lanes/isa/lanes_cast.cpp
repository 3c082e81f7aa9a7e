// SPDX-License-Identifier: Apache-2.0
// Conversions and moves of lanes (compiled once per instruction set).
#include <limits>
#include <utility>

#include "core/sim/lanes/isa/lane_loops.h"

namespace tilelab::sim {
namespace {

/// Converts an integer to an f32 that rounds to every narrow float as the integer itself would.
/// Wide integers first fold their low bits into a sticky bit, so that the conversion to f64 is
/// exact.
template <class From> TILELAB_INLINE float odd_f32(From x) {
  if constexpr (sizeof(From) <= 2) {
    return float(x);  // exact
  } else if constexpr (sizeof(From) == 4) {
    return f64_to_f32_odd(double(x));
  } else {
    bool negative = std::is_signed_v<From> && x < 0;
    uint64_t a = negative ? uint64_t{0} - uint64_t(x) : uint64_t(x);
    uint64_t sticky = (a & ~uint64_t{0x7ff}) | ((a & 0x7ff) != 0 ? 0x800u : 0u);
    double d = double(a >> 53 != 0 ? sticky : a);
    return f64_to_f32_odd(negative ? -d : d);
  }
}

template <class To, class From> TILELAB_INLINE To saturate(From x) {
  constexpr From lo = static_cast<From>(std::numeric_limits<To>::min());
  constexpr From hi = static_cast<From>(std::numeric_limits<To>::max());  // perhaps one too large
  From inside = x <= lo ? From(0) : (x >= hi ? From(0) : x);
  inside = __builtin_isnan(x) ? From(0) : inside;
  To result = static_cast<To>(inside);
  result = x <= lo ? std::numeric_limits<To>::min() : result;
  return x >= hi ? std::numeric_limits<To>::max() : result;
}

/// Between direct kinds (integers, f32, f64).
template <class To, class From> TILELAB_INLINE To convert(From x) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return saturate<To>(x);
  else
    return static_cast<To>(x);
}

template <class To, class From>
void cast_lanes(void* out, const void* a, const void*, const void*, size_t n) {
  To* o = static_cast<To*>(out);
  const From* x = static_cast<const From*>(a);
  if constexpr (std::is_same_v<To, From>) {
    if (out != a) std::memmove(out, a, n * sizeof(To));
  } else if constexpr (narrow_float<From> && !std::is_same_v<To, float>) {
    float mid[piece];
    for (size_t i = 0; i < n; i += piece) {
      size_t m = n - i < piece ? n - i : piece;
      widen(mid, x + i, m);
      cast_lanes<To, float>(o + i, mid, nullptr, nullptr, m);
    }
  } else if constexpr (narrow_float<From>) {
    widen(o, x, n);
  } else if constexpr (std::is_same_v<From, float> && narrow_float<To>) {
    narrow(o, x, n);
  } else if constexpr (std::is_same_v<From, Bool>) {
    cast_lanes<To, uint8_t>(out, a, nullptr, nullptr, n);
  } else if constexpr (narrow_float<To>) {
    float mid[piece];
    for (size_t i = 0; i < n; i += piece) {
      size_t m = n - i < piece ? n - i : piece;
      LANE_LOOP
      for (size_t j = 0; j < m; ++j) {
        if constexpr (std::is_same_v<From, double>)
          mid[j] = f64_to_f32_odd(x[i + j]);
        else
          mid[j] = odd_f32(x[i + j]);
      }
      narrow(o + i, mid, m);
    }
  } else if constexpr (std::is_same_v<To, Bool>) {
    LANE_LOOP
    for (size_t i = 0; i < n; ++i) o[i].bits = x[i] != 0;
  } else {
    LANE_LOOP
    for (size_t i = 0; i < n; ++i) o[i] = convert<To>(x[i]);
  }
}

template <size_t to, size_t... from> void set_casts_to(LaneTable& t, std::index_sequence<from...>) {
  ((t.cast[to][from] = cast_lanes<Lane<static_cast<Elem>(to)>, Lane<static_cast<Elem>(from)>>),
   ...);
}
template <size_t... to> void set_casts(LaneTable& t, std::index_sequence<to...> all) {
  (set_casts_to<to>(t, all), ...);
}

template <class T>
void select_lanes(void* out, const void* mask, const void* b, const void* c, size_t n) {
  T* o = static_cast<T*>(out);
  const uint8_t* m = static_cast<const uint8_t*>(mask);
  const T *x = static_cast<const T*>(b), *y = static_cast<const T*>(c);
  LANE_LOOP
  for (size_t i = 0; i < n; ++i) {
    T yes = x[i], no = y[i];  // read both: a condition on the reads would prevent vectorization
    o[i] = m[i] ? yes : no;
  }
}

void broadcast_lanes(void* out, const void* value, int bytes, size_t n) {
  with_word(bytes, [=](auto kind) {
    using T = decltype(kind);
    T v;
    std::memcpy(&v, value, sizeof(T));
    T* o = static_cast<T*>(out);
    for (size_t i = 0; i < n; ++i) o[i] = v;
  });
}
void iota_lanes(void* out, Elem e, int64_t start, int64_t step, size_t n) {
  with_word(elem_bytes(e), [=](auto kind) {
    using T = decltype(kind);
    T* o = static_cast<T*>(out);
    T s = T(start), d = T(step);
    for (size_t i = 0; i < n; ++i) o[i] = T(s + d * T(i));
  });
}
void gather_lanes(void* out, const void* base, const int64_t* index, int bytes, size_t n) {
  with_word(bytes, [=](auto kind) {
    using T = decltype(kind);
    T* o = static_cast<T*>(out);
    const T* b = static_cast<const T*>(base);
    for (size_t i = 0; i < n; ++i) o[i] = b[index[i]];
  });
}
void scatter_lanes(void* base, const void* in, const int64_t* index, const uint8_t* mask, int bytes,
                   size_t n) {
  with_word(bytes, [=](auto kind) {
    using T = decltype(kind);
    T* b = static_cast<T*>(base);
    const T* v = static_cast<const T*>(in);
    if (mask == nullptr) {
      for (size_t i = 0; i < n; ++i) b[index[i]] = v[i];
    } else {
      for (size_t i = 0; i < n; ++i)
        if (mask[i]) b[index[i]] = v[i];
    }
  });
}

}  // namespace

void ISA_NAME(fill_cast_)(LaneTable& t) {
  set_casts(t, std::make_index_sequence<elem_count>());
  t.select[0] = select_lanes<uint8_t>;
  t.select[1] = select_lanes<uint16_t>;
  t.select[2] = select_lanes<uint32_t>;
  t.select[3] = select_lanes<uint64_t>;
  t.broadcast = broadcast_lanes;
  t.iota = iota_lanes;
  t.gather = gather_lanes;
  t.scatter = scatter_lanes;
}

}  // namespace tilelab::sim
