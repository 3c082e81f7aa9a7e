// SPDX-License-Identifier: Apache-2.0
// Which blocks represent all, and what keeps a launch from being proved.
#include "core/prove/prove.h"

#include <cmath>

#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

/// A kernel of `grid` over A and B of `elements` floats each, and S of 64 integers.
std::string kernel_of(const std::string& grid, const std::string& body, int64_t elements = 1024) {
  const std::string n = std::to_string(elements);
  std::string text = "ir(1, level=\"tile\", target=\"mp_31\")\ndef main(A: tensor(f32, [" + n +
                     "]), B: tensor(f32, [" + n + "]), S: tensor(i32, [64])):\n" +
                     "    with kernel(\"k\", grid=[" + grid + "], block=64) as (bx, by, bz):\n";
  for (size_t at = 0, end = 0; at < body.size(); at = end + 1) {
    end = std::min(body.find('\n', at), body.size());
    text += "        " + body.substr(at, end - at) + "\n";
  }
  return text;
}

Proof proof_of(const std::string& text, int64_t elements = 1024, bool one_memory = false) {
  FuncRef f = read_kernel("<prove>", text);
  if (!f) return {};
  std::vector<float> a(static_cast<size_t>(elements)), b(a);
  std::vector<int32_t> s(64);
  return prove(*f, std::vector{sim::tensor_argument(DType::f32, {elements}, a.data()),
                               sim::tensor_argument(DType::f32, {elements},
                                                    one_memory ? a.data() : b.data()),
                               sim::tensor_argument(DType::i32, {64}, s.data())});
}

std::string why(const std::string& grid, const std::string& body) {
  const Proof proof = proof_of(kernel_of(grid, body));
  EXPECT(!proof.proved());
  return proof.unproved.empty() ? "" : proof.unproved[0].why;
}

const char* const kTiles = "copy(A[bx * 64:bx * 64 + 64], B[bx * 64:bx * 64 + 64])";

}  // namespace

TEST(prove_takes_two_of_many_blocks_that_are_alike) {
  const Proof proof = proof_of(kernel_of("16, 1, 1", kTiles));
  EXPECT(proof.proved());
  EXPECT_EQ(proof.blocks, 16);
  EXPECT_EQ(proof.sample.blocks.size(), size_t{2});
  EXPECT_EQ(proof.sample.blocks[0], 0);
}

TEST(prove_takes_each_block_at_an_end) {
  const Proof tail = proof_of(kernel_of("16, 1, 1", kTiles, 1000), 1000);
  EXPECT_EQ(tail.sample.blocks.size(), size_t{3});
  EXPECT_EQ(tail.sample.blocks.back(), 15);
  const Proof head = proof_of(kernel_of("16, 1, 1",
                                        "for i in parallel(64):\n"
                                        "    B[bx * 64 + i] = A[bx * 64 + i - 1]"));
  EXPECT_EQ(head.sample.blocks.size(), size_t{3});
  EXPECT_EQ(head.sample.blocks[1], 1);
  const Proof first = proof_of(kernel_of("16, 1, 1",
                                         "for i in parallel(64):\n"
                                         "    if bx == 0:\n"
                                         "        B[bx * 64 + i] = A[2000]\n"
                                         "    else:\n"
                                         "        B[bx * 64 + i] = A[bx * 64 + i]"));
  EXPECT(first.proved());
}

TEST(prove_follows_two_axes_in_one_dimension) {
  EXPECT(
      proof_of(kernel_of("4, 4, 1", "copy(A[0:64], B[by * 256 + bx * 64:by * 256 + bx * 64 + 64])"))
          .proved());
  EXPECT_EQ(why("4, 4, 1", "copy(A[0:64], B[by * 192 + bx * 64:by * 192 + bx * 64 + 64])"),
            "blocks along bx may access the same elements of B");
}

TEST(prove_reports_what_blocks_share) {
  EXPECT_EQ(why("16, 1, 1", "copy(A[bx * 60:bx * 60 + 64], B[bx * 60:bx * 60 + 64])"),
            "blocks along bx may access the same elements of B");
  EXPECT_EQ(why("16, 2, 1", kTiles), "blocks along by may access the same elements of B");
  const Proof shared = proof_of(kernel_of("16, 1, 1", kTiles), 1024, true);
  EXPECT_EQ(shared.unproved[0].why, "B and A share memory");
}

TEST(prove_reports_what_depends_on_the_block_or_on_data) {
  EXPECT_EQ(why("16, 1, 1", "for k in serial(bx):\n    B[bx * 64 + k] = A[k]"),
            "how often a loop runs depends on bx");
  EXPECT_EQ(why("16, 1, 1", "for i in parallel(4):\n    B[bx * 64 + i] = A[S[i]]"),
            "an index into A depends on data");
  EXPECT_EQ(
      why("16, 1, 1", "for i in parallel(4):\n    if S[i] > 0:\n        B[bx * 64 + i] = 1.0"),
      "a condition depends on data");
  EXPECT_EQ(why("16, 1, 1",
                "for i in parallel(4):\n    if bx // 2 % 2 == 0:\n        B[bx * 64 + i] = 1.0"),
            "a condition depends on bx");
  EXPECT_EQ(why("16, 1, 1", "s = shared(f32, [16])\nfor i in parallel(1):\n    s[bx] = A[i]"),
            "an index into s depends on bx");
  EXPECT_EQ(why("16, 1, 1", "for i in parallel(4):\n    B[bx * 64 + i] = f32(S[0] // S[1])"),
            "a divisor that may be 0 depends on data");
  EXPECT_EQ(why("16, 1, 1",
                "for i in parallel(4):\n    B[bx * 64 + i] = A[bx * 64 + i] if S[i] > 0 else A[i + "
                "2000]"),
            "the value selected by a condition on data may fail");
}

TEST(prove_lets_data_choose_between_values) {
  EXPECT(proof_of(kernel_of("16, 1, 1",
                            "for i in parallel(64):\n"
                            "    B[bx * 64 + i] = A[bx * 64 + i] if S[i] > 0 else 0.0"))
             .proved());
}

TEST(prove_sees_a_variable_change_under_a_condition) {
  EXPECT_EQ(why("16, 1, 1",
                "x = var(i32, 0)\n"
                "if x >= 0 and x < 8:\n"
                "    x = x + 100\n"
                "    B[bx * 64 + x] = 1.0"),
            "an index into B is not inside in all blocks along bx");
}

TEST(prove_samples_say_whose_an_element_is) {
  sim::Sample sample;
  sample.grid = {4, 3, 1};
  sample.blocks = {0, 6};  // (0, 0) and (2, 1)
  sample.parts = {{"C", {{0, 7, {{1, 8}}}, {24, 7, {{0, -8}}}}}};
  EXPECT(sample.decides("C", {0, 24}));   // of (0, 0)
  EXPECT(!sample.decides("C", {0, 16}));  // of (1, 0)
  EXPECT(sample.decides("C", {15, 8}));   // of (2, 1)
  EXPECT(!sample.decides("C", {16, 8}));  // of (2, 2)
  EXPECT(sample.decides("C", {24, 0}));   // in no block
  EXPECT(sample.decides("D", {5}));
}

TEST(prove_runs_the_sample_alone) {
  FuncRef f = read_kernel("<prove>", kernel_of("16, 1, 1", kTiles));
  std::vector<float> a(1024, 1), b(1024, 0);
  std::vector<int32_t> s(64);
  const std::vector arguments = {sim::tensor_argument(DType::f32, {1024}, a.data()),
                                 sim::tensor_argument(DType::f32, {1024}, b.data()),
                                 sim::tensor_argument(DType::i32, {64}, s.data())};
  const Proof proof = prove(*f, arguments);
  for (const std::string& text : levels_of(kernel_of("16, 1, 1", kTiles))) {
    std::fill(b.begin(), b.end(), std::nanf(""));  // which blocks that do not run leave
    sim::RunOptions options;
    options.watch = sim::Watch::all();
    options.not_finite = true;
    options.sample = &proof.sample;
    const sim::RunResult r = sim::run(*read_kernel("<prove>", text), arguments, options);
    EXPECT(r.ok());
    EXPECT(r.unwritten.empty());
    EXPECT(r.not_finite.empty());
    EXPECT_EQ(r.blocks, 2);
    EXPECT_EQ(r.all_blocks, 2);
    EXPECT_EQ(r.proved, 16);
    EXPECT_EQ(std::count(b.begin(), b.end(), 1.0f), std::ptrdiff_t{128});
  }
}

TEST(sim_thread_reads_again_what_may_have_changed) {
  // The second load of a line reads memory again after the store; without one it does not.
  const char* text = R"text(ir(1, level="thread", target="mp_31", after="vectorize")
def main(A: tensor(f32, [64]), B: tensor(f32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as (bx, by, bz):
        for v in unroll(3):
            A[tid] = A[tid] + 1.0
        for v in unroll(4):
            B[tid] = B[tid] if v > 0 else A[tid] + A[tid] + A[tid]
)text";
  std::vector<float> a(64, 1), b(64, 0);
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  const sim::RunResult r = sim::run(*read_kernel("<thread>", text),
                                    std::vector{sim::tensor_argument(DType::f32, {64}, a.data()),
                                                sim::tensor_argument(DType::f32, {64}, b.data())},
                                    options);
  EXPECT(r.ok());
  EXPECT_EQ(a[5], 4.0f);
  EXPECT_EQ(b[5], 12.0f);
  EXPECT_EQ(r.accesses, 64 * (3 * 2 + 2 + 3 * 2));
}
