// SPDX-License-Identifier: Apache-2.0
// Collectives of a warp, at tile and thread level, for each warp size: against the formulas of PTX.
#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

constexpr int kThreads = 256;

struct Case {
  const char* op;  // of the lane's index in the block
  int operand;
};

constexpr Case kShuffles[] = {{"shfl", 5},      {"shfl", -1},       {"shfl", 37},
                              {"shfl_up", 3},   {"shfl_up", -1},    {"shfl_up", 33},
                              {"shfl_down", 3}, {"shfl_down", -30}, {"shfl_down", 33},
                              {"shfl_xor", 9},  {"shfl_xor", 34},   {"shfl_xor", -2}};

/// The lane that PTX's shfl reads, with as many bits as a lane index of this warp has.
int source(const std::string& op, int lane, int operand, int warp) {
  const int bits = ((operand % warp) + warp) % warp;
  const int j = op == "shfl_up"     ? lane - bits
                : op == "shfl_down" ? lane + bits
                : op == "shfl_xor"  ? (lane ^ bits)
                                    : bits;
  return j < 0 || j >= warp ? lane : j;
}

/// The statements at that level on `out: i32[n]`, in one block of kThreads.
std::vector<int32_t> run(const std::string& level, const std::string& target,
                         const std::string& body, size_t n, sim::Watch watch,
                         sim::RunResult* result = nullptr) {
  std::vector<int32_t> out(n);
  const std::string smem = level == "thread" ? ", smem=1024" : "";
  FuncRef f = read_kernel("warp", "ir(1, level=\"" + level + "\", target=\"" + target +
                                      "\")\ndef f(out: tensor(i32, [" + std::to_string(n) +
                                      "])):\n    with kernel(\"k\", grid=[1, 1, 1], block=256" +
                                      smem + ") as (bx, by, bz):\n" + body);
  if (!f) return out;
  sim::Argument args[] = {sim::tensor_argument(DType::i32, {int64_t(n)}, out.data())};
  sim::RunOptions options;
  options.watch = watch;
  const sim::RunResult r = sim::run(*f, args, options);
  if (result)
    *result = r;
  else
    EXPECT(r.ok());
  return out;
}

}  // namespace

TEST(sim_warp_shuffles_read_the_lane_that_ptx_defines) {
  std::string body;
  for (size_t k = 0; k < std::size(kShuffles); ++k) {
    const std::string x = "x" + std::to_string(k);
    body += "        " + x + " = " + kShuffles[k].op + "(tid, " +
            std::to_string(kShuffles[k].operand) + ")\n        out[tid + " +
            std::to_string(k * kThreads) + "] = " + x + "\n";
  }
  for (const char* level : {"tile", "thread"})
    for (const auto& [target, warp] : {std::pair("mp_31", 32), std::pair("mp_22", 128)}) {
      const auto out = run(level, target, body, std::size(kShuffles) * kThreads, {});
      for (size_t k = 0; k < std::size(kShuffles); ++k)
        for (int t = 0; t < kThreads; ++t)
          EXPECT_EQ(
              out[k * kThreads + size_t(t)],
              t / warp * warp + source(kShuffles[k].op, t % warp, kShuffles[k].operand, warp));
    }
}

TEST(sim_warp_votes_count_every_lane) {
  const std::string body =
      "        x = any_sync(tid == 70)\n        y = all_sync(tid != 70)\n"
      "        if lane == 0:\n            out[warp] = select(x, 1, 0)\n"
      "            out[warp + 8] = select(y, 1, 0)\n";
  for (const char* level : {"tile", "thread"})
    for (const auto& [target, warp] : {std::pair("mp_31", 32), std::pair("mp_22", 128)}) {
      const auto out = run(level, target, body, 16, {});
      for (int w = 0; w < kThreads / warp; ++w) {
        EXPECT_EQ(out[size_t(w)], int(w == 70 / warp));
        EXPECT_EQ(out[size_t(w) + 8], int(w != 70 / warp));
      }
    }
}

TEST(sim_warp_collectives_of_a_part_are_findings) {
  for (const char* op : {"x = shfl(tid, 0)", "x = any_sync(tid == 3)", "x = all_sync(tid == 3)",
                         "x = ballot(tid == 3)", "warp_sync()"})
    for (const char* level : {"tile", "thread"}) {
      sim::RunResult r;
      run(level, "mp_31", "        if lane < 16:\n            " + std::string(op) + "\n", 1,
          sim::Watch::all(), &r);
      EXPECT_EQ(r.findings.size(), size_t{1});
      if (r.findings.size() == 1)
        EXPECT_EQ(std::string(sim::finding_name(r.findings[0].kind)), std::string("divergence"));
    }
}
