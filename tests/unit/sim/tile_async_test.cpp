// SPDX-License-Identifier: Apache-2.0
// Schedules at tile level: each right text is clean and right, each wrong twin is found there, and
// where the kernel still ends its values are wrong too.
#include <cmath>

#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

// Matmuls run one step late: the slot of step k is released in step k + 1.
constexpr const char* lagging = R"text(ir(1, level="tile", target="sm_90a")
def main(A: tensor(f16, [32, 256]), B: tensor(f16, [256, 32]), C: tensor(f32, [32, 32])):
    with kernel("k", grid=[1, 1, 1], block=256) as (bx, by, bz):
        r = ring(3, fill="tx", bytes=4096, producer="p", consumer="c", lag=1)
        A_s = shared(f16, [3, 32, 32], ring=r)
        B_s = shared(f16, [3, 32, 32], ring=r)
        with role("p", 128, 256):
            for k in serial(8):
                s = ring_acquire(r)
                copy(A[0:32, k * 32:k * 32 + 32], A_s[s], by="engine")
                copy(B[k * 32:k * 32 + 32, 0:32], B_s[s], by="engine")
                ring_commit(r)
        with role("c", 0, 128):
            C_l = fragment(f32, [32, 32])
            fill(C_l, 0.0)
            for k in serial(8):
                s = ring_wait(r)
                gemm(A_s[s], B_s[s], C_l, clear=False, by="wgmma", wait=1)
                if k > 0:
                    ring_release(r)
            mma_wait(0)
            ring_release(r)
            copy(C_l, C[0:32, 0:32])
)text";

// One agent that prefetches two slots and multiplies completed ones.
constexpr const char* prefetching = R"text(ir(1, level="tile", target="sm_80")
def main(A: tensor(f16, [32, 256]), B: tensor(f16, [256, 32]), C: tensor(f32, [32, 32])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        r = ring(3, fill="group", bytes=4096, producer="main", consumer="main")
        A_s = shared(f16, [3, 32, 32], ring=r)
        B_s = shared(f16, [3, 32, 32], ring=r)
        C_l = fragment(f32, [32, 32])
        fill(C_l, 0.0)
        for p in unroll(2):
            w = ring_acquire(r)
            copy(A[0:32, p * 32:p * 32 + 32], A_s[w], by="async")
            copy(B[p * 32:p * 32 + 32, 0:32], B_s[w], by="async")
            ring_commit(r)
        for k in serial(8):
            s = ring_wait(r)
            w = ring_acquire(r)
            if k + 2 < 8:
                copy(A[0:32, k * 32 + 64:k * 32 + 96], A_s[w], by="async")
                copy(B[k * 32 + 64:k * 32 + 96, 0:32], B_s[w], by="async")
            ring_commit(r)
            gemm(A_s[s], B_s[s], C_l, clear=False, by="mma", wait=0)
            ring_release(r)
        copy(C_l, C[0:32, 0:32])
)text";

// A result leaves through a slot; the product of the second half runs while the first is stored.
constexpr const char* leaving = R"text(ir(1, level="tile", target="sm_90a")
def main(A: tensor(f16, [32, 256]), B: tensor(f16, [256, 32]), C: tensor(f32, [32, 32])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        o = ring(1, fill="store", bytes=2048, producer="main", consumer="main")
        A_s = shared(f16, [32, 256])
        B_s = shared(f16, [256, 32])
        P_l = fragment(f16, [16, 256])
        C_l = fragment(f32, [16, 32])
        O_s = shared(f32, [1, 16, 32], ring=o)
        copy(A[0:32, 0:256], A_s)
        copy(B[0:256, 0:32], B_s)
        for h in serial(2):
            copy(A_s[h * 16:h * 16 + 16, 0:256], P_l)
            gemm(P_l, B_s, C_l, clear=True, by="wgmma", wait=1)
            mma_wait(0)
            w = ring_acquire(o)
            for i, j in parallel(16, 32):
                O_s[w, i, j] = C_l[i, j]
            ring_commit(o)
            e = ring_wait(o)
            copy(O_s[e], C[h * 16:h * 16 + 16, 0:32], by="engine")
            ring_release(o)
)text";

struct AsyncOutcome {
  sim::RunResult result;
  bool right = false;
};

AsyncOutcome run(const std::string& text, bool watched) {
  sim::Random random(11);
  Tensor a(DType::f16, {32, 256}), b(DType::f16, {256, 32}), c(DType::f32, {32, 32});
  a.fill(random, 1), b.fill(random, 1);
  AsyncOutcome out;
  FuncRef f = read_kernel("<schedule>", text);
  if (!f) return out;
  sim::RunOptions options;
  options.threads = 1;
  if (watched) options.watch = sim::Watch::all();
  sim::Argument args[] = {a.argument(), b.argument(), c.argument()};
  out.result = sim::run(*f, args, options);
  if (out.result.status == sim::RunResult::Status::refused)
    fail("<schedule>", int(out.result.error_span.line), out.result.error);
  out.right = true;
  for (int64_t i = 0; i < 32; ++i)
    for (int64_t j = 0; j < 32; ++j) {
      double want = 0;
      for (int64_t k = 0; k < 256; ++k)
        want += a.values[size_t(i * 256 + k)] * b.values[size_t(k * 32 + j)];
      out.right &= std::abs(c.at(i * 32 + j) - want) < 1e-3;
    }
  return out;
}

void expect_clean(const std::string& text) {
  for (bool watched : {false, true}) {
    AsyncOutcome o = run(text, watched);
    if (!o.result.ok() || !o.right) fail("<schedule>", 0, text + describe(o.result));
  }
}

/// `kind` is among the findings, with a line, and names `word`; unwatched, the run either reports
/// something too or its values are wrong.
void expect_found(const std::string& text, const std::string& kind, const std::string& word) {
  const AsyncOutcome watched = run(text, true), plain = run(text, false);
  bool found = false;
  for (const sim::Finding& f : watched.result.findings) {
    std::string all = f.detail + " ";
    bool line = false;
    for (const sim::FindingSide& w : f.where) {
      all += w.actor + " " + w.verb + "; ";
      line |= w.span.known();
    }
    found |= line && kind == sim::finding_name(f.kind) && all.find(word) != std::string::npos;
  }
  if (!found)
    fail("<schedule>", 0, "no " + kind + " with \"" + word + "\":\n" + describe(watched.result));
  if (plain.result.ok() && plain.right) fail("<schedule>", 0, "unwatched, nothing shows:\n" + text);
}

}  // namespace

TEST(tile_async_right_schedules_are_clean) {
  expect_clean(lagging);
  expect_clean(prefetching);
  expect_clean(leaving);
}

TEST(tile_async_worked_kernels_are_clean) {
  const std::string tme =
      replaced(kernel_text("gemm_tme_tile"), "M=256, N=256, K=512", "M=128, N=128, K=128");
  const std::string cp = replaced(kernel_text("gemm_cp_async_tile"), "K=256", "K=128");
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  for (const std::string& text : {tme, cp}) {
    KernelRun k = run_gemm(text, 128, 128, 128, options);
    if (!k.result.ok() || !k.right()) fail("worked", 0, describe(k.result));
  }
}

TEST(tile_async_missing_wait) {
  // Each slot is guessed instead of waited for.
  expect_found(replaced(prefetching, "            s = ring_wait(r)\n", "            s = k % 3\n"),
               "ring-slot", "without a wait for it");
  expect_found(
      replaced(lagging, "                s = ring_wait(r)\n", "                s = k % 3\n"),
      "ring-slot", "reads slot 0 of ring r");
  expect_found(replaced(leaving, "            e = ring_wait(o)\n", "            e = 0\n"),
               "ring-slot", "of ring o");
  // The matmuls are never awaited.
  expect_found(replaced(leaving, "            mma_wait(0)\n", ""), "pending",
               "reads its result before the wait");
  expect_found(replaced(lagging, "            mma_wait(0)\n            ring_release(r)\n", ""),
               "pending", "reads its result before the wait");
}

TEST(tile_async_bytes_of_a_slot) {
  expect_found(replaced(lagging, "bytes=4096", "bytes=2048"), "ring-slot",
               "of 2048 bytes, but its copies deliver 4096");
}

TEST(tile_async_release_too_early) {
  const std::string early = replaced(prefetching, "            ring_release(r)\n", "");
  expect_found(
      replaced(early, "            gemm(", "            ring_release(r)\n            gemm("),
      "ring-slot", "releases it");
  // The last slot goes back before the last product is over.
  expect_found(replaced(lagging, "            mma_wait(0)\n            ring_release(r)\n",
                        "            ring_release(r)\n            mma_wait(0)\n"),
               "ring-slot", "which it reads");
  expect_found(replaced(leaving,
                        "            copy(O_s[e], C[h * 16:h * 16 + 16, 0:32], by=\"engine\")\n    "
                        "        ring_release(o)\n",
                        "            ring_release(o)\n            copy(O_s[e], C[h * 16:h * 16 + "
                        "16, 0:32], by=\"engine\")\n"),
               "ring-slot", "releases it");
}

TEST(tile_async_wrong_lag) {
  expect_found(replaced(lagging, "                if k > 0:\n                    ring_release(r)\n",
                        "                ring_release(r)\n"),
               "ring-slot", "which it reads");
  expect_found(
      replaced(lagging, "clear=False, by=\"wgmma\", wait=1", "clear=False, by=\"wgmma\", wait=2"),
      "ring-slot", "too early");
}

TEST(tile_async_missing_commit) {
  expect_found(replaced(lagging, "                ring_commit(r)\n", ""), "deadlock",
               "role c waits for a slot of ring r to be committed");
  expect_found(
      replaced(prefetching, "            ring_commit(r)\n            gemm", "            gemm"),
      "deadlock", "the block waits for a slot of ring r");
  expect_found(replaced(leaving, "            ring_commit(o)\n", ""), "deadlock", "of ring o");
  expect_found(
      replaced(lagging, "                if k > 0:\n                    ring_release(r)\n", ""),
      "deadlock", "role p waits for a free slot of ring r");
}

TEST(tile_async_slots_that_are_not_mine) {
  expect_found(
      replaced(lagging, "                s = ring_acquire(r)\n", "                s = k % 3\n"),
      "ring-slot", "that is not acquired");
  // A copy after its commit.
  expect_found(
      replaced(
          replaced(prefetching, "            ring_commit(r)\n            gemm", "            gemm"),
          "            if k + 2 < 8:", "            ring_commit(r)\n            if k + 2 < 8:"),
      "ring-slot", "without acquiring it");
  expect_found(replaced(leaving, "O_s[w, i, j] = C_l", "O_s[0, i, j] = O_s[0, i, j] + C_l"),
               "uninitialized", "reads");
}

TEST(tile_async_operands_in_flight) {
  expect_found(replaced(leaving, "            mma_wait(0)\n",
                        "            fill(P_l, 0.0)\n            mma_wait(0)\n"),
               "pending", "writes its operands before the wait");
  // The wait comes after the use.
  const std::string unwaited = replaced(leaving, "            mma_wait(0)\n", "");
  expect_found(replaced(unwaited, "            e = ring_wait",
                        "            mma_wait(0)\n            e = ring_wait"),
               "pending", "reads its result before the wait");
}

TEST(tile_async_left_over) {
  expect_found(replaced(prefetching, "            if k + 2 < 8:", "            if k + 2 < 9:"),
               "pending", "which is never waited for");
}
