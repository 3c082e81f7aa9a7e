// SPDX-License-Identifier: Apache-2.0
// Each wait, barrier, arrival, fence and commit of the worked kernels is removed, one at a time, at
// each level.
#include "tests/unit/sim/removal.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

bool of_mailbox(const std::string& line) { return line.find("mail_slot") != std::string::npos; }

}  // namespace

TEST(sim_removal_softmax) {
  for (const std::string& text : levels_of(kernel_text("softmax_tile")))
    expect_found(text, [](auto& t, auto& o) { return run_softmax(t, 4, o); });
}

TEST(sim_removal_gemm_mp31) {
  for (const std::string& text : levels_of(
           replaced(kernel_text("gemm_tme_tile"), "M=256, N=256, K=512", "M=128, N=128, K=512")))
    expect_found(text, [](auto& t, auto& o) { return run_gemm(t, 128, 128, 512, o); });
}

TEST(sim_removal_gemm_sm80) {
  for (const std::string& text : levels_of(kernel_text("gemm_cp_async_tile")))
    expect_found(text, [](auto& t, auto& o) { return run_gemm(t, 100, 128, 256, o); });
}

TEST(sim_removal_gemm_sm90) {
  // One block has two tiles, so that what leaves of the first is still under way in the second.
  for (const std::string& text :
       levels_of(replaced(kernel_text("gemm_sm90_tile"), "M=256, N=512, K=256, G=2, R=2",
                          "M=256, N=256, K=384, G=1, R=2")))
    expect_found(text, [](auto& t, auto& o) { return run_gemm(t, 256, 256, 384, o, true); });
}

// Three blocks of keys a tile order the mailbox by themselves (K's ring cannot prefetch beyond it),
// so a missing one there only shows with one block of keys a tile.
TEST(sim_removal_attention) {
  const std::string three = "S=384, H=2, G=1", one = "S=128, H=5, G=1";
  const std::string tile = replaced(kernel_text("attention_tile"), "S=384, H=3, G=2", three);
  auto with_three = [](const std::string& t, const sim::RunOptions& o) {
    return run_attention(t, 384, 2, o);
  };
  auto with_one = [](const std::string& t, const sim::RunOptions& o) {
    return run_attention(t, 128, 5, o);
  };
  expect_found(tile, [&](auto& t, auto& o) {
    KernelRun run = with_three(t, o);
    return run.result.findings.empty() ? with_one(replaced(t, three, one), o) : run;
  });
  const auto levels = levels_of(tile), short_levels = levels_of(replaced(tile, three, one));
  for (size_t i : {1, 2}) {
    if (every == 1)
      expect_found(levels[i], with_three, [](auto& line) { return !of_mailbox(line); });
    expect_found(short_levels[i], with_one, of_mailbox);
  }
}
