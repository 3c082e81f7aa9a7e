// SPDX-License-Identifier: Apache-2.0
// The vector kernels: the same bits on every instruction set, exact where IEEE says so
// (functions: accuracy_test.cpp).
#include "core/sim/lanes/lanes.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/sim/program/compile.h"
#include "core/support/dtype_codec.h"
#include "tests/unit/sim/use_best.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::sim;

namespace {

using Bytes = std::vector<uint8_t>;
constexpr size_t lanes = 777;  // no multiple of any vector

/// Lanes of kind e: special values first, then random bits, half of them floats of moderate size.
Bytes inputs(Elem e, uint64_t salt) {
  std::mt19937_64 random(test::seed() + salt);
  size_t size = static_cast<size_t>(elem_bytes(e));
  Bytes bytes(lanes * size);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  if (e == Elem::bool_) {
    for (uint8_t& b : bytes) b &= 1;
  } else if (is_float(e)) {
    std::vector<float> moderate(lanes);
    std::uniform_real_distribution<float> spread(-20, 20);
    for (float& x : moderate) x = spread(random);
    float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -2.5f, INFINITY, -INFINITY, 1e-45f, 3e38f};
    std::memcpy(moderate.data(), special, sizeof special);
    Bytes converted(lanes * size);
    cast_fn(e, Elem::f32)(converted.data(), moderate.data(), nullptr, nullptr, lanes);
    std::memcpy(bytes.data(), converted.data(), bytes.size() / 2);
  } else {
    std::memset(bytes.data(), 0, size);
    std::memset(bytes.data() + size, 0xff, size);
    std::memset(bytes.data() + 2 * size, 0, size);
    bytes[3 * size - 1] = 0x80;
    for (size_t i = lanes / 2; i < lanes; ++i) {  // small numbers: divisors, shifts
      std::memset(bytes.data() + i * size, 0, size);
      bytes[i * size] = static_cast<uint8_t>(random() % 70);
    }
  }
  return bytes;
}

/// Makes all NaNs equal: the payload of a NaN made from two is unspecified.
void unify_nans(Bytes& bytes, Elem e) {
  std::vector<uint8_t> nan(lanes);
  size_t size = static_cast<size_t>(elem_bytes(e));
  lane_fn(LaneOp::is_nan, e)(nan.data(), bytes.data(), nullptr, nullptr, lanes);
  for (size_t i = 0; i < lanes; ++i)
    if (nan[i]) std::memset(bytes.data() + i * size, 0xff, size);
}

Bytes apply(LaneOp op, Elem e, const Bytes& a, const Bytes& b, const Bytes& c) {
  bool mask = lane_op_gives_mask(op);
  Bytes out(lanes * (mask ? 1 : static_cast<size_t>(elem_bytes(e))));
  lane_fn(op, e)(out.data(), a.data(), b.data(), c.data(), lanes);
  if (!mask && is_float(e)) unify_nans(out, e);
  return out;
}

template <class T> T one(LaneOp op, Elem e, T a, T b = T{}, T c = T{}) {
  T out;
  lane_fn(op, e)(&out, &a, &b, &c, 1);
  return out;
}
template <class To, class From> To one_cast(Elem to, Elem from, From x) {
  To out;
  cast_fn(to, from)(&out, &x, nullptr, nullptr, 1);
  return out;
}

std::vector<Isa> other_isas() {
  std::vector<Isa> isas = {Isa::base};
  if (best_isa() >= Isa::avx2) isas.push_back(Isa::avx2);
  return isas;
}

}  // namespace

TEST(lanes_exist_for_the_kinds_of_their_row) {
  constexpr int I = 1, F = 2, B = 4;
  const int kinds[] = {
#define LANE_OP(name, operands, result, kinds, meaning) (kinds),
#include "core/sim/lanes/lanes.def"
#undef LANE_OP
  };
  for (int op = 0; op < lane_op_count; ++op) {
    for (int e = 0; e < elem_count; ++e) {
      Elem elem = static_cast<Elem>(e);
      int kind = elem == Elem::bool_ ? B : is_float(elem) ? F : I;
      bool want = kinds[op] & kind, have = lane_fn(static_cast<LaneOp>(op), elem) != nullptr;
      if (want != have)
        test::fail(__FILE__, __LINE__,
                   std::string(lane_op_name(static_cast<LaneOp>(op))) + " of " + name(elem));
    }
  }
}

/// The simulator supports every elementwise intrinsic that the verifier accepts.
TEST(lanes_exist_for_the_operands_of_intrinsics) {
  for (int i = 0; i < kIntrinsicCount; ++i) {
    const auto intrinsic = static_cast<Intrinsic>(i);
    const auto op = lane_op_of(intrinsic);
    if (!op) continue;
    const OperandKind kind = info(intrinsic).operands[0].kind;
    for (int e = 0; e <= int(Elem::f64); ++e) {
      const bool whole = is_integer(Elem(e)), real = is_float(Elem(e));
      const bool allowed = (kind == OperandKind::floats && real) ||
                           (kind == OperandKind::wholes && whole) ||
                           (kind == OperandKind::numbers && (whole || real));
      EXPECT(kind == OperandKind::floats || kind == OperandKind::wholes ||
             kind == OperandKind::numbers);
      if (allowed && !lane_fn(*op, Elem(e)))
        test::fail(__FILE__, __LINE__, std::string(name(intrinsic)) + " of " + name(Elem(e)));
    }
  }
}

TEST(lanes_give_the_same_bits_on_every_instruction_set) {
  UseBest restore;
  for (int op = 0; op < lane_op_count; ++op) {
    for (int e = 0; e < elem_count; ++e) {
      LaneOp lane_op = static_cast<LaneOp>(op);
      Elem elem = static_cast<Elem>(e);
      use_isa(best_isa());
      if (lane_fn(lane_op, elem) == nullptr) continue;
      Bytes a = inputs(elem, 1), b = inputs(elem, 2), c = inputs(elem, 3);
      Bytes want = apply(lane_op, elem, a, b, c);
      for (Isa isa : other_isas()) {
        use_isa(isa);
        if (apply(lane_op, elem, a, b, c) != want)
          test::fail(__FILE__, __LINE__,
                     std::string(lane_op_name(lane_op)) + " of " + name(elem) + " on isa " +
                         std::to_string(static_cast<int>(isa)));
      }
    }
  }
}

TEST(casts_give_the_same_bits_on_every_instruction_set) {
  UseBest restore;
  for (int from = 0; from < elem_count; ++from) {
    for (int to = 0; to < elem_count; ++to) {
      Elem source = static_cast<Elem>(from), target = static_cast<Elem>(to);
      use_isa(best_isa());
      Bytes in = inputs(source, 5), want(lanes * static_cast<size_t>(elem_bytes(target)));
      cast_fn(target, source)(want.data(), in.data(), nullptr, nullptr, lanes);
      for (Isa isa : other_isas()) {
        use_isa(isa);
        Bytes got(want.size());
        cast_fn(target, source)(got.data(), in.data(), nullptr, nullptr, lanes);
        if (got != want)
          test::fail(__FILE__, __LINE__,
                     std::string(name(source)) + " to " + name(target) + " on isa " +
                         std::to_string(static_cast<int>(isa)));
      }
    }
  }
}

TEST(lanes_integer_rules) {
  EXPECT_EQ(one<int32_t>(LaneOp::add, Elem::i32, INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(one<int8_t>(LaneOp::mul, Elem::i8, 100, 3), int8_t(300 - 256));
  EXPECT_EQ(one<int32_t>(LaneOp::floor_div, Elem::i32, -7, 2), -4);
  EXPECT_EQ(one<int32_t>(LaneOp::floor_mod, Elem::i32, -7, 2), 1);
  EXPECT_EQ(one<int32_t>(LaneOp::trunc_div, Elem::i32, -7, 2), -3);
  EXPECT_EQ(one<int32_t>(LaneOp::trunc_mod, Elem::i32, -7, 2), -1);
  EXPECT_EQ(one<int32_t>(LaneOp::floor_mod, Elem::i32, 7, -2), -1);
  EXPECT_EQ(one<int32_t>(LaneOp::floor_div, Elem::i32, 5, 0), 0);
  EXPECT_EQ(one<int64_t>(LaneOp::floor_mod, Elem::i64, 5, 0), 0);
  EXPECT_EQ(one<int32_t>(LaneOp::floor_div, Elem::i32, INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(one<int64_t>(LaneOp::floor_div, Elem::i64, INT64_MIN, -1), INT64_MIN);
  EXPECT_EQ(one<uint32_t>(LaneOp::trunc_div, Elem::u32, 4294967295u, 2), 2147483647u);
  EXPECT_EQ(one<uint64_t>(LaneOp::floor_div, Elem::u64, ~uint64_t{0}, 3), ~uint64_t{0} / 3);
  EXPECT_EQ(one<int32_t>(LaneOp::shl, Elem::i32, 1, 31), INT32_MIN);
  EXPECT_EQ(one<int32_t>(LaneOp::shl, Elem::i32, 1, 32), 0);
  EXPECT_EQ(one<int32_t>(LaneOp::shl, Elem::i32, 1, -1), 0);
  EXPECT_EQ(one<int32_t>(LaneOp::shr, Elem::i32, -8, 1), -4);
  EXPECT_EQ(one<int32_t>(LaneOp::shr, Elem::i32, -8, 40), -1);
  EXPECT_EQ(one<uint32_t>(LaneOp::shr, Elem::u32, 0x80000000u, 40), 0u);
  EXPECT_EQ(one<uint8_t>(LaneOp::shr, Elem::u8, 0xf0, 4), 0x0f);
  EXPECT_EQ(one<int32_t>(LaneOp::abs, Elem::i32, INT32_MIN), INT32_MIN);
  EXPECT_EQ(one<int16_t>(LaneOp::clz, Elem::i16, 1), 15);
  EXPECT_EQ(one<uint64_t>(LaneOp::clz, Elem::u64, 0), 64u);
  EXPECT_EQ(one<int8_t>(LaneOp::popcount, Elem::i8, -1), 8);
  EXPECT_EQ(one<uint8_t>(LaneOp::not_, Elem::bool_, 1), 0);
}

/// Random123's kat_vectors: counter and key 0. That counter is the block and the stream, in 128
/// bits.
TEST(lanes_philox_gives_published_words) {
  const uint64_t zero[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  for (uint64_t word = 0; word < 4; ++word) {
    uint64_t key = 0, stream = 0, out = 0;
    lane_fn(LaneOp::philox, Elem::u64)(&out, &key, &stream, &word, 1);
    EXPECT_EQ(out, zero[word]);
  }
}

TEST(lanes_division_matches_c_on_random_integers) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 20000; ++i) {
    int32_t a = static_cast<int32_t>(random()),
            b = static_cast<int32_t>(random()) >> (random() % 31);
    if (b == 0 || (a == INT32_MIN && b == -1)) continue;
    int32_t q = a / b, r = a % b;
    EXPECT_EQ(one(LaneOp::trunc_div, Elem::i32, a, b), q);
    EXPECT_EQ(one(LaneOp::trunc_mod, Elem::i32, a, b), r);
    bool below = r != 0 && (r < 0) != (b < 0);
    EXPECT_EQ(one(LaneOp::floor_div, Elem::i32, a, b), q - below);
    EXPECT_EQ(one(LaneOp::floor_mod, Elem::i32, a, b), r + (below ? b : 0));
  }
}

TEST(lanes_float_rules) {
  EXPECT_EQ(one(LaneOp::min, Elem::f32, NAN, 2.0f), 2.0f);
  EXPECT_EQ(one(LaneOp::max, Elem::f32, 2.0f, NAN), 2.0f);
  EXPECT(std::isnan(one(LaneOp::max, Elem::f32, NAN, NAN)));
  EXPECT(!std::signbit(one(LaneOp::max, Elem::f32, 0.0f, -0.0f)));
  EXPECT(!std::signbit(one(LaneOp::max, Elem::f32, -0.0f, 0.0f)));
  EXPECT(std::signbit(one(LaneOp::min, Elem::f64, 0.0, -0.0)));
  EXPECT_EQ(one(LaneOp::floor_mod, Elem::f32, -1.5f, 1.0f), 0.5f);
  EXPECT_EQ(one(LaneOp::trunc_mod, Elem::f32, -1.5f, 1.0f), -0.5f);
  EXPECT_EQ(one(LaneOp::round, Elem::f32, 2.5f), 3.0f);
  EXPECT_EQ(one(LaneOp::round, Elem::f32, 0.49999997f), 0.0f);
  EXPECT_EQ(one(LaneOp::nearbyint, Elem::f32, 2.5f), 2.0f);
  EXPECT_EQ(one(LaneOp::exp2, Elem::f32, -INFINITY), 0.0f);
  EXPECT_EQ(one(LaneOp::exp2, Elem::f32, 200.0f), INFINITY);
  EXPECT_EQ(one(LaneOp::exp2, Elem::f32, -149.0f), 0x1p-149f);
  EXPECT_EQ(one(LaneOp::exp2, Elem::f32, 10.0f), 1024.0f);
  EXPECT_EQ(one(LaneOp::exp, Elem::f32, -INFINITY), 0.0f);
  EXPECT_EQ(one(LaneOp::log2, Elem::f32, 8.0f), 3.0f);
  EXPECT_EQ(one(LaneOp::log2, Elem::f32, 0x1p-149f), -149.0f);
  EXPECT_EQ(one(LaneOp::log, Elem::f32, 0.0f), -INFINITY);
  EXPECT_EQ(one(LaneOp::log, Elem::f32, INFINITY), INFINITY);
  EXPECT(std::isnan(one(LaneOp::log, Elem::f32, -1.0f)));
  EXPECT(std::isnan(one(LaneOp::exp2, Elem::f32, NAN)));
  EXPECT(std::isnan(one(LaneOp::sin, Elem::f32, INFINITY)));
  EXPECT_EQ(one(LaneOp::pow, Elem::f32, -2.0f, 3.0f), -8.0f);
  EXPECT_EQ(one(LaneOp::pow, Elem::f32, 0.0f, 0.0f), 1.0f);
  EXPECT_EQ(one(LaneOp::pow, Elem::f32, 3.0f, 2.0f), 9.0f);
  EXPECT_EQ(one(LaneOp::tanh, Elem::f32, 1e-30f), 1e-30f);
  EXPECT_EQ(one(LaneOp::erf, Elem::f32, -9.0f), -1.0f);
  EXPECT_EQ(one<uint16_t>(LaneOp::nextafter, Elem::f16, 0, 0xbc00), 0x8001);
}

TEST(lanes_fma_rounds_once_on_every_instruction_set) {
  UseBest restore;
  std::mt19937_64 random(test::seed());
  constexpr size_t n = 100000;
  std::vector<float> a(n), b(n), c(n), out(n);
  for (size_t i = 0; i < n; ++i) {
    a[i] = bits_float(static_cast<uint32_t>(random()));
    b[i] = bits_float(static_cast<uint32_t>(random()));
    c[i] = bits_float(static_cast<uint32_t>(random()));
    if (i % 2) c[i] = -a[i] * b[i] * (1 + static_cast<float>(random() % 3) * 0x1p-23f);
    if (i % 16 == 1) c[i] *= 0x1p-30f;
  }
  for (Isa isa : {Isa::base, Isa::avx2, Isa::avx512}) {
    if (isa > best_isa()) continue;
    use_isa(isa);
    lane_fn(LaneOp::fma, Elem::f32)(out.data(), a.data(), b.data(), c.data(), n);
    size_t wrong = 0;
    for (size_t i = 0; i < n; ++i) {
      float want = std::fmaf(a[i], b[i], c[i]);
      wrong += std::isnan(want) ? !std::isnan(out[i]) : float_bits(want) != float_bits(out[i]);
    }
    EXPECT_EQ(wrong, size_t{0});
  }
}

TEST(lanes_half_arithmetic_rounds_once) {
  std::mt19937_64 random(test::seed());
  for (int i = 0; i < 20000; ++i) {
    uint16_t a = static_cast<uint16_t>(random()), b = static_cast<uint16_t>(random());
    if ((a & 0x7c00) == 0x7c00 || (b & 0x7c00) == 0x7c00) continue;
    float x = f16_to_f32(a), y = f16_to_f32(b);
    double exact = static_cast<double>(x) * static_cast<double>(y);
    EXPECT_EQ(one(LaneOp::mul, Elem::f16, a, b), f32_to_f16(f64_to_f32_odd(exact)));
    EXPECT_EQ(one(LaneOp::add, Elem::f16, a, b), f32_to_f16(x + y));
  }
}

TEST(lanes_half_fma_rounds_once_on_every_instruction_set) {
  UseBest restore;
  for (Isa isa : {Isa::base, Isa::avx2, Isa::avx512}) {
    if (isa > best_isa()) continue;
    use_isa(isa);
    // 1 + 2^-10 + 2^-11 - 2^-31: f32 rounds it to the midpoint of two f16 numbers.
    const uint16_t x = f32_to_f16(0x1p-6f + 0x1p-16f), y = f32_to_f16(0x1p-5f - 0x1p-15f);
    EXPECT_EQ(one(LaneOp::fma, Elem::f16, x, y, f32_to_f16(1 + 0x1p-10f)),
              f32_to_f16(1 + 0x1p-10f));
    // The product is the midpoint of two bf16 numbers.
    const uint16_t a = f32_to_bf16(1.5f), b = f32_to_bf16(1 + 0x1p-7f);
    EXPECT_EQ(one(LaneOp::fma, Elem::bf16, a, b, f32_to_bf16(-0x1p-40f)),
              f32_to_bf16(1.5f + 0x1p-7f));
    EXPECT_EQ(one(LaneOp::fma, Elem::bf16, a, b, f32_to_bf16(0x1p-40f)),
              f32_to_bf16(1.5f + 0x1p-6f));
    EXPECT_EQ(one(LaneOp::fma, Elem::f16, x, uint16_t{0}, uint16_t{0}), 0);
    EXPECT_EQ(one(LaneOp::fma, Elem::f16, uint16_t{0x7c00}, y, x), 0x7c00);
  }
}

TEST(casts_follow_the_rules) {
  EXPECT_EQ(one_cast<int32_t>(Elem::i32, Elem::f32, -2.9f), -2);
  EXPECT_EQ(one_cast<int32_t>(Elem::i32, Elem::f32, 3e9f), INT32_MAX);
  EXPECT_EQ(one_cast<int32_t>(Elem::i32, Elem::f32, -INFINITY), INT32_MIN);
  EXPECT_EQ(one_cast<int32_t>(Elem::i32, Elem::f32, NAN), 0);
  EXPECT_EQ(one_cast<uint8_t>(Elem::u8, Elem::f32, -1.0f), 0);
  EXPECT_EQ(one_cast<uint8_t>(Elem::u8, Elem::f32, 255.9f), 255);
  EXPECT_EQ(one_cast<int8_t>(Elem::i8, Elem::f64, 1e300), 127);
  EXPECT_EQ(one_cast<uint64_t>(Elem::u64, Elem::f64, 1.8446744073709552e19), ~uint64_t{0});
  EXPECT_EQ(one_cast<int64_t>(Elem::i64, Elem::f32, 1e10f), int64_t{10000000000});
  EXPECT_EQ(one_cast<uint8_t>(Elem::u8, Elem::i32, 300), 44);
  EXPECT_EQ(one_cast<int64_t>(Elem::i64, Elem::i8, int8_t{-1}), int64_t{-1});
  EXPECT_EQ(one_cast<uint8_t>(Elem::bool_, Elem::f32, NAN), 1);
  EXPECT_EQ(one_cast<uint8_t>(Elem::bool_, Elem::f16, uint16_t{0x8000}), 0);
  EXPECT_EQ(one_cast<uint8_t>(Elem::bool_, Elem::i32, 256), 1);
  EXPECT_EQ(one_cast<float>(Elem::f32, Elem::bool_, uint8_t{1}), 1.0f);
  EXPECT_EQ(one_cast<uint16_t>(Elem::f16, Elem::f64, 1 + 0x1p-11 + 0x1p-40), 0x3c01);
  // 2^24 + 2^16 + 1 is above the midpoint of two bf16; 2^24 + 2^16 ties to even.
  EXPECT_EQ(one_cast<uint16_t>(Elem::bf16, Elem::i32, (1 << 24) + (1 << 16) + 1), 0x4b81);
  EXPECT_EQ(one_cast<uint16_t>(Elem::bf16, Elem::i32, (1 << 24) + (1 << 16)), 0x4b80);
  EXPECT_EQ(one_cast<uint16_t>(Elem::bf16, Elem::i64, (int64_t{1} << 62) + (int64_t{1} << 54) + 1),
            0x5e81);
  EXPECT_EQ(one_cast<uint16_t>(Elem::bf16, Elem::i64, -((int64_t{1} << 62) + (int64_t{1} << 54))),
            0xde80);
}

TEST(lanes_move) {
  int32_t old[4] = {1, 2, 3, 4}, in[4] = {10, 20, 30, 40};
  uint8_t mask[4] = {1, 0, 1, 0};
  select_fn(4)(old, mask, in, old, 4);
  EXPECT(old[0] == 10 && old[1] == 2 && old[2] == 30 && old[3] == 4);
  int64_t index[4] = {3, 3, 0, 1};
  int32_t out[4];
  gather(out, in, index, 4, 4);
  EXPECT(out[0] == 40 && out[1] == 40 && out[2] == 10 && out[3] == 20);
  scatter(out, in, index, nullptr, 4, 4);
  EXPECT(out[3] == 20 && out[0] == 30 && out[1] == 40 && out[2] == 10);
  scatter(out, old, index, mask, 4, 4);
  EXPECT(out[3] == 10 && out[0] == 30 && out[1] == 40);
  int64_t ramp[5];
  iota(ramp, Elem::i64, 7, -3, 5);
  EXPECT(ramp[0] == 7 && ramp[4] == -5);
  EXPECT(any_zero(index, Elem::i64, nullptr, 4));
  EXPECT(!any_zero(index, Elem::i64, mask + 1, 3));
  EXPECT_EQ(count(mask, 4), size_t{2});
}

TEST(lanes_rows_and_steps_move_what_they_name) {
  UseBest restore;
  std::mt19937_64 random(test::seed());
  std::vector<uint8_t> from(40000), out;
  for (uint8_t& b : from) b = static_cast<uint8_t>(random());
  for (Isa isa : {Isa::base, Isa::avx2, Isa::avx512}) {
    if (isa > best_isa()) continue;
    use_isa(isa);
    for (int64_t bytes : {1, 31, 32, 64, 100, 128, 256, 512, 513}) {
      constexpr int64_t rows = 33, to_step = 520, from_step = 700;
      out.assign(rows * to_step, 0xEE);
      std::vector<uint8_t> want = out;
      for (int64_t r = 0; r < rows; ++r)
        std::memcpy(&want[static_cast<size_t>(r * to_step)],
                    &from[static_cast<size_t>(r * from_step)], static_cast<size_t>(bytes));
      copy_rows(out.data(), to_step, from.data(), from_step, rows, bytes);
      EXPECT(out == want);
    }
    for (int bytes : {1, 2, 4, 8}) {
      for (int64_t step : {1, 2, 3, 7}) {
        constexpr size_t n = 77;
        const size_t size = static_cast<size_t>(bytes);
        out.assign(n * static_cast<size_t>(step) * size, 0xEE);
        std::vector<uint8_t> want = out;
        for (size_t i = 0; i < n; ++i)
          std::memcpy(&want[i * static_cast<size_t>(step) * size], &from[i * size], size);
        put_step(out.data(), from.data(), step, bytes, n);
        EXPECT(out == want);
      }
    }
  }
}
