// SPDX-License-Identifier: Apache-2.0
// The tensor engine, barriers and SQMMA under the emulation: a GEMM written manually, and what
// happens when one of its waits, counts, bytes or granules is wrong.
#include "tests/codegen/harness.h"

using namespace tilelab;
using namespace tilelab::test;
using tilelab::codegen::GuardedBuffer;

namespace {

constexpr int M = 256, N = 256, K = 320;

struct Problem {
  std::vector<uint16_t> a, b;
  std::vector<double> want, bound;
};

const Problem& problem() {
  static const Problem p = [] {
    Problem q;
    for (float x : random_floats(M * K)) q.a.push_back(half_bits(x));
    for (float x : random_floats(K * N)) q.b.push_back(half_bits(x));
    q.want.assign(M * N, 0);
    q.bound.assign(M * N, 0);
    for (int i = 0; i < M; ++i)
      for (int k = 0; k < K; ++k)
        for (int j = 0; j < N; ++j) {
          const double product = double(half_value(q.a[i * K + k])) * half_value(q.b[k * N + j]);
          q.want[i * N + j] += product;
          q.bound[i * N + j] += std::fabs(product);
        }
    return q;
  }();
  return p;
}

struct Outcome {
  emu::LaunchReport report;
  int wrong = 0;
  bool seen() const { return !report.ok || wrong > 0; }
};

Outcome run(const std::string& text, uint64_t schedule = 0) {
  Outcome out;
  auto module = compiled(text, 310);
  if (!module) return out;
  const Problem& p = problem();
  GuardedBuffer A = buffer_of(p.a), B = buffer_of(p.b), C(M * N * 2);
  tl_emu_map a_map, b_map;
  const uint64_t a_dims[] = {K, M}, a_strides[] = {K * 2}, b_dims[] = {N, K}, b_strides[] = {N * 2};
  EXPECT_EQ(emu::make_map(a_map, 4, 2, A.data(), a_dims, a_strides), std::string());
  EXPECT_EQ(emu::make_map(b_map, 4, 2, B.data(), b_dims, b_strides), std::string());
  void* pc = C.data();
  int steps = K / 64;
  emu::LaunchOptions options;
  options.smem = 98304;
  options.seed = schedule;
  out.report = module->launch("gemm", {N / 128, M / 128, 1}, {384, 1, 1},
                              {&a_map, &b_map, &pc, &steps}, options);
  if (!out.report.ok) return out;
  for (int i = 0; i < M * N; ++i) {
    const double got = half_value(C.as<uint16_t>()[i]);
    const double tolerance = 2 * 4.9e-4 * std::fabs(p.want[i]) + 4 * K * 6e-8 * p.bound[i];
    out.wrong += !(std::fabs(got - p.want[i]) <= tolerance);
  }
  return out;
}

void expect_seen(const char* from, const char* to, const char* message) {
  const Outcome out = run(mutated(text_of("kernels/gemm_mp31.mu"), from, to));
  if (!out.seen()) fail(from, 0, "not seen");
  if (message && out.report.fault.find(message) == std::string::npos)
    fail(from, 0, std::string("expected: ") + message + "\n  got: " + out.report.fault);
}

}  // namespace

TEST(gemm_is_right_under_every_schedule) {
  const std::string text = text_of("kernels/gemm_mp31.mu");
  for (uint64_t schedule : {uint64_t(0), seed(), seed() + 1}) {
    const Outcome out = run(text, schedule);
    EXPECT_EQ(out.report.fault, std::string());
    EXPECT_EQ(out.wrong, 0);
  }
}

TEST(gemm_without_a_wait_is_seen) {
  expect_seen("tl_bar_wait(1 + slot, phase);", "", nullptr);
  expect_seen("tl_mma_wait<0>();", "", "never waited for");
  expect_seen("tl_bar_wait(4 + slot, phase ^ 1);", "", "one more arrival");
  expect_seen("tl_bar_wait(4 + slot, phase ^ 1);", "tl_bar_wait(4 + slot, phase);", "deadlock");
}

TEST(gemm_with_wrong_bytes_is_seen) {
  expect_seen("32768);", "24576);", "not announced");
  expect_seen("32768);", "32784);", "deadlock");
}

TEST(gemm_with_a_wrong_granule_or_address_is_seen) {
  expect_seen("tl_tma_load<16>(smem + slot * 16384", "tl_tma_load<32>(smem + slot * 16384",
              nullptr);
  expect_seen("(2 << 21 | 5 << 18)", "(1 << 21 | 5 << 18)", nullptr);
  expect_seen("(1 << 21 | 5 << 18)", "(1 << 21 | 4 << 18)", nullptr);
  expect_seen("smem + 49152 + slot", "smem + 49152 + 64 + slot", "multiple of 256");
}

TEST(gemm_with_a_wrong_barrier_is_seen) {
  expect_seen("tl_bar_init(1 + s, 1);", "tl_bar_init(s, 1);", "barrier 0 does not exist");
  expect_seen("tl_bar_init(4 + s, 8);", "tl_bar_init(4 + s, 7);", "ends within a phase");
  expect_seen("tl_bar_arrive(1 + slot);", "tl_bar_arrive(1 + slot);tl_bar_arrive(1 + slot);",
              "one more arrival");
  expect_seen("tl_bar_init(4 + s, 8);", "tl_bar_init(4 + s, 9);", "deadlock");
  expect_seen("tl_bar_init(4 + s, 8);", "tl_bar_init(4 + s, 256);", "256 warps");
  expect_seen("tl_bar_reserve(6);", "tl_bar_reserve(5);", "was not reserved");
  expect_seen("tl_bar_init(1 + s, 1);", "", "before it is initialized");
  expect_seen("}\n  tl_block_sync_full();\n  int slot", "}\n  tl_block_sync();\n  int slot",
              "before a full block sync");
  expect_seen("tl_bar_arrive(4 + slot);", "", "deadlock");
}

TEST(tiles_are_clipped_at_the_edges) {
  auto module = compiled(text_of("kernels/gemm_mp31.mu"), 310);
  if (!module) return;
  const int rows = 21, columns = 76, pitch = 80;
  const std::vector<float> x = random_floats(rows * pitch);
  GuardedBuffer X = buffer_of(x), Y(rows * pitch * 4);
  for (int i = 0; i < rows * pitch; ++i) Y.as<float>()[i] = 9;
  tl_emu_map x_map, y_map;
  const uint64_t dims[] = {columns, rows}, strides[] = {pitch * 4};
  EXPECT_EQ(emu::make_map(x_map, 8, 2, X.data(), dims, strides), std::string());
  EXPECT_EQ(emu::make_map(y_map, 8, 2, Y.data(), dims, strides), std::string());
  emu::LaunchOptions options;
  options.smem = 1024;
  // 256 floats by 128 threads: the kernel doubles the first half of each tile only.
  const auto report =
      module->launch("copy_tile", {3, 3, 1}, {128, 1, 1}, {&x_map, &y_map}, options);
  EXPECT_EQ(report.fault, std::string());
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < pitch; ++j) {
      const float want = j < columns ? x[i * pitch + j] * (i % 8 < 4 ? 2.f : 1.f) : 9.f;
      EXPECT_EQ(Y.as<float>()[i * pitch + j], want);
    }
  const uint64_t odd[] = {pitch * 4 + 4};
  EXPECT(!emu::make_map(x_map, 8, 2, X.data(), dims, odd).empty());
}
