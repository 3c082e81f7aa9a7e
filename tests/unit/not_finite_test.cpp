// SPDX-License-Identifier: Apache-2.0
// What counts as NaN and infinity, by every encoding of every float type.
#include "core/sim/not_finite.h"

#include <cmath>

#include "core/elaborate/ir_text.h"
#include "core/sim/sim.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

FuncRef kernel_of(DType dtype, int64_t count) {
  const std::string type = std::string(name(dtype)), n = std::to_string(count);
  Diagnostics said;
  FuncRef func =
      read_ir("kernel.tile",
              "ir(1, level=\"tile\", target=\"mp_31\")\n"
              "def f(A: tensor(" +
                  type + ", [" + n + "]), B: tensor(" + type + ", [" + n +
                  "])):\n"
                  "    with kernel(\"f_k0\", grid=[1, 1, 1], block=32) as (bx, by, bz):\n"
                  "        copy(A[0:" +
                  n + "], B[0:" + n + "])\n",
              said);
  CHECK(func, "the kernel's text");
  return func;
}

struct Kinds {
  int64_t nan = 0, inf = 0;
};

/// What a watch finds in B, whose memory holds these encodings, all else being 0.
Kinds found_in(const FuncRef& func, DType dtype, const std::vector<uint64_t>& encodings) {
  const size_t size = static_cast<size_t>(bytes(dtype));
  std::vector<uint8_t> a(encodings.size() * size), b(encodings.size() * size);
  const std::vector<int64_t> shape = {static_cast<int64_t>(encodings.size())};
  std::vector<sim::Argument> arguments = {sim::tensor_argument(dtype, shape, a.data()),
                                          sim::tensor_argument(dtype, shape, b.data())};
  sim::NotFiniteWatch watch(*func, arguments);
  for (size_t i = 0; i < encodings.size(); ++i) __builtin_memcpy(&b[i * size], &encodings[i], size);
  Kinds out;
  for (const sim::NotFinite& one : watch.found()) out.nan += one.nan, out.inf += one.inf;
  return out;
}

}  // namespace

TEST(every_encoding_is_a_number_or_is_none) {
  for (DType dtype : {DType::f16, DType::bf16, DType::e4m3, DType::e5m2}) {
    std::vector<uint64_t> all;
    Kinds expected;
    for (uint64_t bits = 0; bits < uint64_t{1} << (8 * bytes(dtype)); ++bits) {
      const double value = decode_float(dtype, bits);
      expected.nan += std::isnan(value), expected.inf += std::isinf(value);
      all.push_back(bits);
    }
    const Kinds found = found_in(kernel_of(dtype, static_cast<int64_t>(all.size())), dtype, all);
    EXPECT_EQ(found.nan, expected.nan);
    EXPECT_EQ(found.inf, expected.inf);
  }
}

TEST(one_encoding_at_any_place_is_seen) {
  for (DType dtype : {DType::f16, DType::f32, DType::f64}) {
    constexpr size_t kCount = 5000;  // more than a chunk
    const FuncRef func = kernel_of(dtype, kCount);
    for (size_t at : {size_t{0}, size_t{1023}, size_t{1024}, size_t{4095}, kCount - 1})
      for (double value : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        std::vector<uint64_t> encodings(kCount, encode_float(dtype, 65504));
        encodings[at] = encode_float(dtype, value);
        const Kinds found = found_in(func, dtype, encodings);
        EXPECT_EQ(found.nan, std::isnan(value) ? 1 : 0);
        EXPECT_EQ(found.inf, std::isinf(value) ? 1 : 0);
      }
  }
}
