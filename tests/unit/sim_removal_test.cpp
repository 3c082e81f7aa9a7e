// SPDX-License-Identifier: Apache-2.0
// Each wait, barrier, arrival, fence and commit of the worked kernels is taken away in turn: every
// time there must be a finding that names lines.
#include <cstdlib>

#include "core/support/text.h"
#include "tests/unit/sim_kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

bool synchronises(const std::string& line) {
  for (const char* word :
       {"bar_wait(", "bar_arrive(", "bar_arrive_expect(", "bar_expect(", "bar_init(", "block_sync(",
        "group_sync(", "mma_wait(", "mma_commit(", "cp_wait(", "cp_commit(", "fence_proxy(",
        "bulk_wait(", "bulk_wait_read(", "bulk_commit(", "mma_fence(", "init_fence(", "warp_sync(",
        "role_sync("})
    if (line.find(word) != std::string::npos) return true;
  return false;
}

struct Removal {
  std::string line, text;
};

/// The text without each of its synchronising lines, one at a time. `pass` takes the place.
std::vector<Removal> removals(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  std::vector<Removal> out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!synchronises(lines[i])) continue;
    std::vector<std::string> changed = lines;
    changed[i] = lines[i].substr(0, lines[i].find_first_not_of(' ')) + "pass";
    out.push_back(
        {std::to_string(i + 1) + ": " + std::string(strip(lines[i])), join(changed, "\n")});
  }
  return out;
}

template <class Run> void expect_found(const std::string& text, Run&& run) {
  const bool show = std::getenv("TILELAB_SHOW_FINDINGS") != nullptr;
  const std::vector<Removal> all = removals(text);
  for (size_t i = seed() % every; i < all.size(); i += every) {
    const Removal& r = all[i];
    sim::RunOptions o;
    o.watch = sim::Watch::all();
    o.threads = 1;
    KernelRun k = run(r.text, o);
    if (show)
      std::printf("== %s   [error %g]\n%s", r.line.c_str(), k.error, describe(k.result).c_str());
    bool named = false;
    for (const sim::Finding& f : k.result.findings)
      for (const sim::FindingSide& w : f.where) named |= w.span.known();
    if (!named) fail("without line", 0, r.line + "\n" + describe(k.result));
  }
}

}  // namespace

TEST(sim_removal_softmax) {
  expect_found(kernel_text("softmax_thread"),
               [](auto& text, auto& o) { return run_softmax(text, 4, o); });
}

TEST(sim_removal_gemm_mp31) {
  std::string text =
      replaced(kernel_text("gemm_tme_thread"), "M=256, N=256, K=512", "M=128, N=128, K=512");
  expect_found(text, [](auto& t, auto& o) { return run_gemm(t, 128, 128, 512, o); });
}

TEST(sim_removal_gemm_mp31_flat) {
  std::string text =
      replaced(kernel_text("gemm_tme_thread"), "M=256, N=256, K=512", "M=128, N=128, K=512");
  expect_found(flat_text(text), [](auto& t, auto& o) { return run_gemm(t, 128, 128, 512, o); });
}

TEST(sim_removal_gemm_sm80) {
  expect_found(kernel_text("gemm_cp_async_thread"),
               [](auto& t, auto& o) { return run_gemm(t, 100, 128, 256, o); });
}

// Three blocks of keys a tile order the mailbox by themselves (K's ring cannot run ahead of it), so
// what is left out there only shows with one block of keys a tile.
TEST(sim_removal_attention) {
  std::string three = "S=384, H=2, G=1", one = "S=128, H=5, G=1";
  std::string text = replaced(kernel_text("attention_thread"), "S=384, H=3, G=2", three);
  expect_found(text, [&](auto& t, auto& o) {
    KernelRun run = run_attention(t, 384, 2, o);
    return run.result.findings.empty() ? run_attention(replaced(t, three, one), 128, 5, o) : run;
  });
}
