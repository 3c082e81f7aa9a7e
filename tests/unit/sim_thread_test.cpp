// SPDX-License-Identifier: Apache-2.0
// The worked kernels at thread and flat level: equal to their references under several schedules
// and with every watcher on, without a finding.
#include "tests/unit/sim_kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

sim::RunOptions options(uint64_t seed, bool watch = true) {
  sim::RunOptions o;
  o.seed = seed;
  o.threads = 2;
  if (watch) o.watch = sim::Watch::all();
  return o;
}

void expect_clean(const char* what, const KernelRun& run) {
  if (!run.right()) fail(what, 0, "error is " + std::to_string(run.error) + " of the tolerance");
  if (!run.result.ok()) fail(what, 0, describe(run.result));
}

}  // namespace

TEST(sim_thread_vector_add_with_tails) {
  for (const char* level : {"vector_add", "vector_add_flat"})
    for (int64_t n : {1, 5, 1023, 1024, 1025, 3000, 4096}) {
      KernelRun run = run_vector_add(kernel_text(level), n, options(0));
      expect_clean(level, run);
      int64_t outside = 0;
      for (const sim::Note& note : run.result.notes) outside += note.count;
      // The lanes of the vector that straddles N, and whole vectors behind it.
      EXPECT_EQ(outside, (1024 - n % 1024) % 1024);
    }
  EXPECT_EQ(run_vector_add(kernel_text("vector_add"), 0, options(0)).result.blocks, int64_t{0});
}

TEST(sim_thread_softmax) {
  for (int64_t m : {1, 2, 7, 8})
    for (uint64_t seed : {0, 1, 2}) expect_clean("softmax", run_softmax(kernel_text("softmax"), m, options(seed)));
}

TEST(sim_thread_gemm_mp31) {
  for (const char* level : {"gemm_mp31", "gemm_mp31_flat"})
    for (uint64_t seed : {0, 1, 2}) {
      std::string text = replaced(kernel_text(level), "M=256, N=256, K=512", "M=128, N=256, K=320");
      expect_clean(level, run_gemm(text, 128, 256, 320, std::string(level) == "gemm_mp31_flat", options(seed)));
    }
}

TEST(sim_thread_gemm_sm80) {
  for (uint64_t seed : {0, 1})
    for (int64_t m : {100, 200})
      expect_clean("gemm_sm80", run_gemm(replaced(kernel_text("gemm_sm80"), "K=256", "K=160"), m, 128, 160, false, options(seed)));
}

TEST(sim_thread_attention) {
  for (uint64_t seed : {0, 1}) {
    std::string text = replaced(kernel_text("attention_sm90"), "S=384, H=3, G=2", "S=256, H=2, G=2");
    expect_clean("attention", run_attention(text, 256, 2, options(seed)));
  }
}
