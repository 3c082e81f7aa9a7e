// SPDX-License-Identifier: Apache-2.0
// The matrix product has the bits of the plain fma loop, on every instruction set and layout.
#include "core/sim/lanes/gemm.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "core/support/dtype_codec.h"
#include "tests/unit/sim/use_best.h"
#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::sim;

namespace {

/// `rows` x `cols` values of kind `elem`, and the same as f32; row-major or transposed, with a gap.
struct TestMatrix {
  std::vector<uint8_t> bytes;
  std::vector<float> values;
  Matrix view;
  int64_t cols;

  TestMatrix(std::mt19937& random, Elem elem, int64_t rows, int64_t columns, bool transposed,
             int64_t gap = 3)
      : cols(columns) {
    int64_t inner = transposed ? rows : cols, outer = transposed ? cols : rows,
            stride = inner + gap;
    bytes.resize(static_cast<size_t>(outer * stride * elem_bytes(elem)));
    values.resize(static_cast<size_t>(rows * cols));
    view = {bytes.data(), elem, transposed ? 1 : stride, transposed ? stride : 1};
    std::normal_distribution<float> normal;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) {
        float x = normal(random);
        void* place = bytes.data() + (i * view.row_stride + j * view.col_stride) * elem_bytes(elem);
        cast_fn(elem, Elem::f32)(place, &x, nullptr, nullptr, 1);
        cast_fn(Elem::f32, elem)(&x, place, nullptr, nullptr, 1);
        values[static_cast<size_t>(i * cols + j)] = x;
      }
    }
  }
  float operator()(int64_t i, int64_t j) const { return values[static_cast<size_t>(i * cols + j)]; }
};

size_t mismatches(std::mt19937& random, Elem in, Elem out, int64_t m, int64_t n, int64_t k, bool tA,
                  bool tB, bool clear) {
  TestMatrix a(random, in, m, k, tA), b(random, in, k, n, tB), c(random, out, m, n, false, n % 5);
  gemm(c.view, a.view, b.view, m, n, k, clear);
  size_t wrong = 0;
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float want = clear ? 0.0f : c(i, j), got;
      for (int64_t l = 0; l < k; ++l) want = std::fmaf(a(i, l), b(l, j), want);
      cast_fn(out, Elem::f32)(&want, &want, nullptr, nullptr, 1);
      cast_fn(Elem::f32, out)(&want, &want, nullptr, nullptr, 1);
      const void* place = c.bytes.data() + (i * c.view.row_stride + j) * elem_bytes(out);
      cast_fn(Elem::f32, out)(&got, place, nullptr, nullptr, 1);
      wrong += float_bits(want) != float_bits(got);
    }
  }
  return wrong;
}

}  // namespace

TEST(gemm_is_the_plain_fma_loop) {
  UseBest restore;
  const int64_t sizes[][3] = {{1, 1, 1},      {7, 5, 3},     {8, 32, 64}, {33, 65, 17},
                              {13, 100, 300}, {24, 31, 513}, {5, 48, 0}};
  for (Isa isa : {Isa::base, Isa::avx2, Isa::avx512}) {
    if (isa > best_isa()) continue;
    use_isa(isa);
    std::mt19937 random(static_cast<uint32_t>(test::seed()));
    for (auto& s : sizes) {
      for (int mode = 0; mode < 8; ++mode) {
        bool tA = mode & 1, tB = mode & 2, clear = mode & 4;
        EXPECT_EQ(mismatches(random, Elem::f16, Elem::f32, s[0], s[1], s[2], tA, tB, clear),
                  size_t{0});
        EXPECT_EQ(mismatches(random, Elem::bf16, Elem::f32, s[0], s[1], s[2], tA, tB, clear),
                  size_t{0});
        EXPECT_EQ(mismatches(random, Elem::f32, Elem::f32, s[0], s[1], s[2], tA, tB, clear),
                  size_t{0});
        EXPECT_EQ(mismatches(random, Elem::f16, Elem::f16, s[0], s[1], s[2], tA, tB, clear),
                  size_t{0});
        EXPECT_EQ(mismatches(random, Elem::e4m3, Elem::f32, s[0], s[1], s[2], tA, tB, clear),
                  size_t{0});
      }
    }
  }
}

TEST(gemm_of_integers_and_doubles) {
  std::mt19937 random(static_cast<uint32_t>(test::seed()));
  constexpr int64_t m = 9, n = 21, k = 130;
  std::vector<int8_t> a(m * k), b(k * n);
  for (int8_t& x : a) x = static_cast<int8_t>(random());
  for (int8_t& x : b) x = static_cast<int8_t>(random());
  std::vector<int32_t> c(m * n, 5);
  gemm({c.data(), Elem::i32, n, 1}, {a.data(), Elem::i8, k, 1}, {b.data(), Elem::i8, n, 1}, m, n, k,
       false);
  std::vector<double> ad(a.begin(), a.end()), bd(b.begin(), b.end()), cd(m * n);
  gemm({cd.data(), Elem::f64, n, 1}, {ad.data(), Elem::f64, k, 1}, {bd.data(), Elem::f64, n, 1}, m,
       n, k, true);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int32_t want = 0;
      for (int64_t l = 0; l < k; ++l)
        want += a[static_cast<size_t>(i * k + l)] * b[static_cast<size_t>(l * n + j)];
      EXPECT_EQ(c[static_cast<size_t>(i * n + j)], want + 5);
      EXPECT_EQ(cd[static_cast<size_t>(i * n + j)], static_cast<double>(want));
    }
  }
}

/// Operands are converted to the type of the sums: C's own, or f32 for narrower floats.
TEST(gemm_of_any_types) {
  const Elem types[] = {Elem::i8,  Elem::u8,  Elem::i16,  Elem::u32, Elem::i64, Elem::u64,
                        Elem::f16, Elem::f32, Elem::bf16, Elem::f64, Elem::e4m3};
  constexpr int64_t m = 3, n = 2, k = 4;
  auto matrix = [](Elem elem, int64_t count) {
    std::vector<uint64_t> values(static_cast<size_t>(count));
    uint8_t* place = reinterpret_cast<uint8_t*>(values.data());
    for (int32_t i = 0; i < count; ++i, place += elem_bytes(elem)) {
      const int32_t value = i % 3 - (is_unsigned(elem) ? 0 : 1);
      cast_fn(elem, Elem::i32)(place, &value, nullptr, nullptr, 1);
    }
    return values;
  };
  auto number = [](const std::vector<uint64_t>& values, Elem elem, int64_t i) {
    double out = 0;
    const auto* from = reinterpret_cast<const uint8_t*>(values.data()) + i * elem_bytes(elem);
    cast_fn(Elem::f64, elem)(&out, from, nullptr, nullptr, 1);
    return out;
  };
  for (Elem in : types)
    for (Elem out : types) {
      if (!is_unsigned(in) && is_unsigned(out)) continue;  // has no -1
      std::vector<uint64_t> a = matrix(in, m * k), b = matrix(in, k * n), c = matrix(out, m * n);
      const std::vector<uint64_t> old = c;
      gemm({c.data(), out, n, 1}, {a.data(), in, k, 1}, {b.data(), in, n, 1}, m, n, k, false);
      for (int64_t i = 0; i < m * n; ++i) {
        double want = number(old, out, i);
        for (int64_t l = 0; l < k; ++l)
          want += number(a, in, i / n * k + l) * number(b, in, l * n + i % n);
        EXPECT_EQ(number(c, out, i), want);
      }
    }
}
