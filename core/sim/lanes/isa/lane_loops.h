// SPDX-License-Identifier: Apache-2.0
// Makes kernels on arrays from functors on single lanes. Included by the per-ISA files only.
#pragma once

#include "core/sim/lanes/isa/widen.h"

namespace tilelab::sim {
namespace {

template <class Op, class T>
concept Unary = requires(T x) {
  Op::run(x);
};
template <class Op, class T>
concept Binary = requires(T x) {
  Op::run(x, x);
};
template <class Op, class T> constexpr int operands_of = Unary<Op, T> ? 1 : Binary<Op, T> ? 2 : 3;

/// The functor's result in lane `i`.
template <class Op, class T>
TILELAB_INLINE auto lane(const T* x, const T* y, const T* z, size_t i) {
  if constexpr (operands_of<Op, T> == 1)
    return Op::run(x[i]);
  else if constexpr (operands_of<Op, T> == 2)
    return Op::run(x[i], y[i]);
  else
    return Op::run(x[i], y[i], z[i]);
}
template <class Op, class T>
constexpr bool is_test = std::is_same_v<decltype(lane<Op, T>(nullptr, nullptr, nullptr, 0)), bool>;

template <class Op, class T>
void lanes(void* out, const void* a, const void* b, const void* c, size_t n) {
  auto* o = static_cast<std::conditional_t<is_test<Op, T>, uint8_t, T>*>(out);
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b),
          *z = static_cast<const T*>(c);
  LANE_LOOP
  for (size_t i = 0; i < n; ++i) o[i] = lane<Op, T>(x, y, z, i);
}

/// A kernel of narrow floats from the f32 kernel: widen, compute, round.
template <class T, LaneFn f32, int operands, bool mask>
void through_f32(void* out, const void* a, const void* b, const void* c, size_t n) {
  alignas(64) float in[3][piece];
  const T* x[3] = {static_cast<const T*>(a), static_cast<const T*>(b), static_cast<const T*>(c)};
  for (size_t i = 0; i < n; i += piece) {
    size_t m = n - i < piece ? n - i : piece;
    for (int k = 0; k < operands; ++k) widen(in[k], x[k] + i, m);
    if constexpr (mask) {
      f32(static_cast<uint8_t*>(out) + i, in[0], in[1], in[2], m);
    } else {
      f32(in[0], in[0], in[1], in[2], m);
      narrow(static_cast<T*>(out) + i, in[0], m);
    }
  }
}

/// Enters a float operation for every kind: `f32` and `f64` are its kernels.
template <LaneFn f32, LaneFn f64, int operands, bool mask>
void set_floats(LaneTable& table, LaneOp op) {
  LaneFn* row = table.op[int(op)];
  row[int(Elem::f32)] = f32;
  row[int(Elem::f64)] = f64;
  row[int(Elem::f16)] = through_f32<F16, f32, operands, mask>;
  row[int(Elem::bf16)] = through_f32<Bf16, f32, operands, mask>;
  row[int(Elem::e4m3)] = through_f32<E4m3, f32, operands, mask>;
  row[int(Elem::e5m2)] = through_f32<E5m2, f32, operands, mask>;
  row[int(Elem::e4m3fnuz)] = through_f32<E4m3fnuz, f32, operands, mask>;
  row[int(Elem::e5m2fnuz)] = through_f32<E5m2fnuz, f32, operands, mask>;
  row[int(Elem::e8m0)] = through_f32<E8m0, f32, operands, mask>;
  row[int(Elem::e2m1)] = through_f32<E2m1, f32, operands, mask>;
}
template <class Op> void set_float(LaneTable& t, LaneOp op) {
  set_floats<lanes<Op, float>, lanes<Op, double>, operands_of<Op, float>, is_test<Op, float>>(t,
                                                                                              op);
}

}  // namespace
}  // namespace tilelab::sim
