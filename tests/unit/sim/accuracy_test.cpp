// SPDX-License-Identifier: Apache-2.0
// The functions of accuracy.def against x87 long double: within their bounds, and bounds so tight
// that errors twice as large are noticed.
#include <bit>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "core/sim/lanes/lanes.h"
#include "core/support/dtype_codec.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::sim;

namespace {

struct Range {
  float lo = 0, hi = 0;
};
struct Row {
  LaneOp op;
  long double (*exact)(long double, long double);
  double f32_ulps, f64_ulps;
  std::vector<Range> x;
  Range y;
};

#define UNWRAP(...) __VA_ARGS__
const Row kRows[] = {
#define ACCURACY(name, value, f32_ulps, f64_ulps, ranges, range_y)                     \
  {LaneOp::name,                                                                       \
   [](long double x, [[maybe_unused]] long double y) -> long double { return value; }, \
   f32_ulps,                                                                           \
   f64_ulps,                                                                           \
   std::vector<Range>                                                                  \
       UNWRAP ranges,                                                                  \
   Range UNWRAP range_y},
#include "tests/unit/sim/accuracy.def"
#undef ACCURACY
};

/// The distance of neighbours at `x` among floats with `digits` bits and least exponent `least`.
long double unit(long double x, int digits, int least) {
  const int exponent = x == 0 ? least : std::max(std::ilogb(x), least);
  return std::ldexp(1.0L, exponent - digits);
}

/// The largest error of a function in ulp; `doubled` has every error twice as large.
struct Worst {
  double ulps = 0, doubled = 0;
  void take(long double got, long double want, long double ulp) {
    const long double error = got - want;
    ulps = std::fmax(ulps, double(std::fabs(error) / ulp));
    doubled = std::fmax(doubled, double(std::fabs(want + 2 * error - want) / ulp));
  }
};

template <class T> Worst worst_of(const Row& row, Elem e, size_t n) {
  constexpr int digits = sizeof(T) == 4 ? 23 : 52, least = sizeof(T) == 4 ? -126 : -1022;
  std::mt19937_64 random(test::seed());
  Worst worst;
  for (const Range& range : row.x) {
    std::uniform_real_distribution<T> spread(range.lo, range.hi), second(row.y.lo, row.y.hi);
    std::vector<T> x(n), y(n), out(n);
    for (size_t i = 0; i < n; ++i) x[i] = spread(random), y[i] = second(random);
    lane_fn(row.op, e)(out.data(), x.data(), y.data(), nullptr, n);
    for (size_t i = 0; i < n; ++i) {
      const long double want = row.exact(x[i], y[i]);
      if (std::fabs(want) > std::numeric_limits<T>::max()) continue;
      worst.take(out[i], want, unit(want, digits, least));
    }
  }
  return worst;
}

void expect_within(const Row& row, const char* kind, const Worst& worst, double bound) {
  const std::string what = std::string(lane_op_name(row.op)) + " of " + kind + ": ";
  if (!(worst.ulps <= bound))
    test::fail(__FILE__, __LINE__,
               what + std::to_string(worst.ulps) + " ulp, bound " + std::to_string(bound));
  if (!(worst.doubled > bound))
    test::fail(__FILE__, __LINE__,
               what + "errors twice as large would pass: worst " + std::to_string(worst.ulps) +
                   " ulp, bound " + std::to_string(bound));
}

}  // namespace

TEST(accuracy_table_has_every_function) {
  std::set<LaneOp> rows;
  for (const Row& row : kRows) rows.insert(row.op);
  for (int op = int(LaneOp::sqrt); op <= int(LaneOp::hypot); ++op)
    if (!rows.count(LaneOp(op))) test::fail(__FILE__, __LINE__, lane_op_name(LaneOp(op)));
}

TEST(accuracy_of_f32_functions) {
  for (const Row& row : kRows)
    expect_within(row, "f32", worst_of<float>(row, Elem::f32, 100000), row.f32_ulps);
}

TEST(accuracy_of_f64_functions) {
  for (const Row& row : kRows)
    expect_within(row, "f64", worst_of<double>(row, Elem::f64, 20000), row.f64_ulps);
}

// Every f16 there is: rounded once from f32, so within half an ulp and a little.
TEST(accuracy_of_f16_functions) {
  std::vector<uint16_t> x(1 << 16), out(1 << 16), y(1 << 16, f32_to_f16(1.5f));
  for (size_t i = 0; i < x.size(); ++i) x[i] = uint16_t(i);
  for (const Row& row : kRows) {
    Worst worst;
    lane_fn(row.op, Elem::f16)(out.data(), x.data(), y.data(), nullptr, x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const long double want = row.exact(f16_to_f32(x[i]), 1.5L), got = f16_to_f32(out[i]);
      if (std::isnan(want) || std::isnan(got)) {
        if (std::isnan(want) != std::isnan(got)) test::fail(lane_op_name(row.op), int(i), "NaN");
        continue;
      }
      if (std::fabs(want) >= 65520 || std::isinf(want)) {
        if (got != std::copysign(INFINITY, want)) test::fail(lane_op_name(row.op), int(i), "inf");
        continue;
      }
      worst.take(got, want, unit(want, 10, -14));
    }
    expect_within(row, "f16", worst, 0.51);
  }
}

// The emulation of MUSA C asks for one lane at a time, the simulator for arrays.
TEST(accuracy_one_lane_at_a_time_gives_the_same_bits) {
  std::mt19937_64 random(test::seed());
  constexpr size_t n = 1003;
  std::vector<float> x(n), y(n), all(n), one(n);
  for (const Row& row : kRows) {
    for (size_t i = 0; i < n; ++i) {
      x[i] = bits_float(uint32_t(random()));
      y[i] = i % 2 ? bits_float(uint32_t(random())) : float(random() % 100) / 7;
    }
    lane_fn(row.op, Elem::f32)(all.data(), x.data(), y.data(), nullptr, n);
    for (size_t i = 0; i < n; ++i) {
      lane_fn(row.op, Elem::f32)(&one[i], &x[i], &y[i], nullptr, 1);
      if (std::isnan(one[i]) && std::isnan(all[i])) continue;
      if (std::bit_cast<uint32_t>(one[i]) != std::bit_cast<uint32_t>(all[i]))
        test::fail(lane_op_name(row.op), int(i), std::to_string(x[i]));
    }
  }
}
