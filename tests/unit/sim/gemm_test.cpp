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
  int64_t rows, cols;

  TestMatrix(std::mt19937& random, Elem elem, int64_t m, int64_t n) : rows(m), cols(n) {
    values.resize(static_cast<size_t>(rows * cols));
    std::normal_distribution<float> normal;
    for (float& x : values) x = normal(random);
    store(elem, false, 0);
    for (int64_t at = 0; at < rows * cols; ++at)
      cast_fn(Elem::f32, elem)(&values[size_t(at)], &bytes[size_t(at * elem_bytes(elem))], nullptr,
                               nullptr, 1);
  }

  void store(Elem elem, bool transposed, int64_t gap) {
    const int64_t inner = transposed ? rows : cols, outer = transposed ? cols : rows;
    const int64_t stride = inner + gap;
    bytes.assign(static_cast<size_t>(outer * stride * elem_bytes(elem)), 0);
    view = {bytes.data(), elem, transposed ? 1 : stride, transposed ? stride : 1};
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j)
        cast_fn(elem, Elem::f32)(place(i, j), &values[size_t(i * cols + j)], nullptr, nullptr, 1);
  }

  uint8_t* place(int64_t i, int64_t j) {
    return bytes.data() + (i * view.row_stride + j * view.col_stride) * elem_bytes(view.elem);
  }
};

/// A product of random matrices by the plain loop; the loop runs once for all layouts and
/// instruction sets.
struct TestProduct {
  Elem in, out;
  bool clear;
  TestMatrix a, b, c;
  std::vector<float> wanted;

  TestProduct(std::mt19937& random, Elem from, Elem to, const int64_t (&size)[3], bool cleared)
      : in(from),
        out(to),
        clear(cleared),
        a(random, from, size[0], size[2]),
        b(random, from, size[2], size[1]),
        c(random, to, size[0], size[1]) {
    for (int64_t i = 0; i < c.rows; ++i) {
      for (int64_t j = 0; j < c.cols; ++j) {
        float want = clear ? 0.0f : c.values[size_t(i * c.cols + j)];
        for (int64_t l = 0; l < a.cols; ++l)
          want = std::fmaf(a.values.data()[i * a.cols + l], b.values.data()[l * b.cols + j], want);
        cast_fn(out, Elem::f32)(&want, &want, nullptr, nullptr, 1);
        cast_fn(Elem::f32, out)(&want, &want, nullptr, nullptr, 1);
        wanted.push_back(want);
      }
    }
  }

  size_t mismatches(bool tA, bool tB) {
    a.store(in, tA, 3), b.store(in, tB, 3), c.store(out, false, c.cols % 5);
    gemm(c.view, a.view, b.view, c.rows, c.cols, a.cols, clear);
    size_t wrong = 0;
    for (int64_t at = 0; at < c.rows * c.cols; ++at) {
      float got;
      cast_fn(Elem::f32, out)(&got, c.place(at / c.cols, at % c.cols), nullptr, nullptr, 1);
      wrong += float_bits(wanted[size_t(at)]) != float_bits(got);
    }
    return wrong;
  }
};

}  // namespace

TEST(gemm_is_the_plain_fma_loop) {
  UseBest restore;
  const int64_t sizes[][3] = {{1, 1, 1},      {7, 5, 3},     {8, 32, 64}, {33, 65, 17},
                              {13, 100, 300}, {24, 31, 513}, {5, 48, 0}};
  const Elem types[][2] = {{Elem::f16, Elem::f32},
                           {Elem::bf16, Elem::f32},
                           {Elem::f32, Elem::f32},
                           {Elem::f16, Elem::f16},
                           {Elem::e4m3, Elem::f32}};
  std::mt19937 random(static_cast<uint32_t>(test::seed()));
  for (auto& size : sizes)
    for (auto& [in, out] : types)
      for (bool clear : {false, true}) {
        TestProduct product(random, in, out, size, clear);
        for (Isa isa : {Isa::base, Isa::avx2, Isa::avx512}) {
          if (isa > best_isa()) continue;
          use_isa(isa);
          for (int mode = 0; mode < 4; ++mode)
            EXPECT_EQ(product.mismatches(mode & 1, mode & 2), size_t{0});
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
