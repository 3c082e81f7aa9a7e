// SPDX-License-Identifier: Apache-2.0
// Encodings of NaN and infinity, by every encoding of every float type.
#include "core/sim/not_finite.h"

#include <cmath>

#include "core/ir_text/ir_text.h"
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

/// The result of a watch on B, whose memory holds these encodings, all else being 0.
Kinds found_in(const FuncRef& func, DType dtype, const std::vector<uint64_t>& encodings,
               int threads = 1) {
  const size_t size = static_cast<size_t>(bytes(dtype));
  std::vector<uint8_t> a(encodings.size() * size), b(encodings.size() * size);
  const std::vector<int64_t> shape = {static_cast<int64_t>(encodings.size())};
  std::vector<sim::Argument> arguments = {sim::tensor_argument(dtype, shape, a.data()),
                                          sim::tensor_argument(dtype, shape, b.data())};
  sim::NotFiniteWatch watch(*func, arguments, threads);
  for (size_t i = 0; i < encodings.size(); ++i) __builtin_memcpy(&b[i * size], &encodings[i], size);
  Kinds out;
  for (const sim::NotFinite& one : watch.found()) out.nan += one.nan, out.inf += one.inf;
  return out;
}

}  // namespace

TEST(every_encoding_is_a_number_or_is_none) {
  for (DType dtype : {DType::f16, DType::bf16, DType::e4m3, DType::e5m2, DType::e4m3fnuz,
                      DType::e5m2fnuz, DType::e8m0}) {
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
  for (DType dtype : {DType::e5m2, DType::f16, DType::f32, DType::f64}) {
    constexpr size_t kCount =
        test::less_in_debug(600000, 270000);  // several pieces, the last not whole
    const FuncRef func = kernel_of(dtype, kCount);
    std::vector<uint64_t> encodings(kCount, encode_float(dtype, 57344));
    for (size_t at :
         {size_t{0}, size_t{1023}, size_t{1024}, size_t{262143}, size_t{262144}, kCount - 1})
      for (double value : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
        const uint64_t finite = encodings[at];
        encodings[at] = encode_float(dtype, value);
        for (int threads : {1, 3}) {
          const Kinds found = found_in(func, dtype, encodings, threads);
          EXPECT_EQ(found.nan, std::isnan(value) ? 1 : 0);
          EXPECT_EQ(found.inf, std::isinf(value) ? 1 : 0);
        }
        encodings[at] = finite;
      }
  }
}

// The run writes over what an input held: by the same name it is seen before, by another one too.
TEST(an_input_that_the_run_overwrites_excuses_its_outputs) {
  for (size_t count : {size_t{100}, size_t{100000}}) {
    const FuncRef func = kernel_of(DType::f32, static_cast<int64_t>(count));
    std::vector<float> memory(count, 1.0F);
    const std::vector<int64_t> shape = {static_cast<int64_t>(count)};
    std::vector<sim::Argument> arguments(2, sim::tensor_argument(DType::f32, shape, memory.data()));
    for (bool had : {true, false}) {
      memory[0] = had ? NAN : 1.0F;
      memory[1] = 1.0F;
      sim::NotFiniteWatch watch(*func, arguments, 2);
      memory[0] = 1.0F;
      memory[1] = NAN;
      EXPECT_EQ(watch.found().size(), had ? 0U : 1U);
    }
  }
}
