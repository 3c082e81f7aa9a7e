// SPDX-License-Identifier: Apache-2.0
// Findings of a run of wrong and of special kernels, at thread level.
#include <thread>

#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

struct Outcome {
  sim::RunResult result;
  std::vector<int32_t> out;
};

/// Runs `body` (indented by 8) on `out: i32[n]`, zero at first, with `threads` threads a block.
Outcome run_watched(const std::string& body, int64_t n = 256, const std::string& grid = "1",
                    int threads = 64, const std::string& target = "mp_31", sim::RunOptions o = {},
                    const std::string& host = "") {
  std::string text =
      "ir(1, level=\"thread\", target=\"" + target + "\")\ndef f(out: tensor(i32, [" +
      std::to_string(n) + "])):\n" + host + "    with kernel(\"k\", grid=[" + grid +
      ", 1, 1], block=" + std::to_string(threads) + ", smem=1024) as (bx, by, bz):\n" + body;
  Outcome r;
  r.out.assign(static_cast<size_t>(n), 0);
  FuncRef f = read_kernel("watch", text);
  if (!f) return r;
  sim::Argument args[] = {sim::tensor_argument(DType::i32, {n}, r.out.data())};
  if (!o.interrupt) o.watch = sim::Watch::all();
  o.threads = 2;
  r.result = sim::run(*f, args, o);
  return r;
}

/// The finding of that name, or null.
const sim::Finding* find(const Outcome& r, const std::string& name) {
  for (const sim::Finding& f : r.result.findings)
    if (sim::finding_name(f.kind) == name) return &f;
  return nullptr;
}

/// There is such a finding and its first place is in line `line` of the text (the body begins in
/// 4).
void expect_finding(const Outcome& r, const std::string& name, uint32_t line,
                    const std::string& detail = "") {
  const sim::Finding* f = find(r, name);
  bool placed = false, reported = detail.empty();
  if (f) {
    for (const sim::FindingSide& w : f->where)
      placed |= w.span.line == line, reported |= w.verb.find(detail) != std::string::npos;
    reported |= f->detail.find(detail) != std::string::npos;
  }
  if (!f || !placed || !reported)
    fail(name.c_str(), static_cast<int>(line), "got:\n" + describe(r.result));
}

}  // namespace

TEST(sim_watch_deadlock_names_who_waits_where) {
  Outcome r = run_watched(
      "        full = barrier([2], count=2, unit=\"warp\", tx=False, id=1)\n"
      "        if leader(\"block\"):\n"
      "            bar_init(full)\n"
      "        block_sync()\n"
      "        if warp == 0:\n"
      "            bar_arrive(full[1])\n"
      "        bar_wait(full[1], 0)\n");
  expect_finding(r, "deadlock", 10, "waits for full[1], parity 0");
  expect_finding(r, "deadlock", 10, "full[1] misses 1 arrivals");
  EXPECT(r.result.status == sim::RunResult::Status::stopped);
}

TEST(sim_watch_divergence) {
  expect_finding(run_watched("        if warp == 0:\n            block_sync()\n"), "divergence", 5);
  expect_finding(run_watched("        if lane < 7:\n            block_sync()\n"), "divergence", 5,
                 "the first is lane 7");
  expect_finding(
      run_watched("        if warp == 0:\n            block_sync()\n        else:\n            "
                  "block_sync()\n"),
      "divergence", 5);
  expect_finding(run_watched("        x = uniform(lane // 8)\n        out[tid] = x\n"),
                 "divergence", 4, "not equal");
  expect_finding(
      run_watched(
          "        if lane < 16:\n            x = shfl_xor(tid, 1)\n            out[tid] = x\n"),
      "divergence", 5);
}

TEST(sim_watch_over_arrival_and_use_before_init) {
  expect_finding(
      run_watched(
          "        b = barrier([1], count=1, unit=\"warp\", tx=True, id=1)\n"
          "        if tid == 0:\n            bar_init(b)\n            bar_expect(b[0], 64)\n"
          "            bar_arrive(b[0])\n            bar_arrive(b[0])\n"),
      "over-arrival", 9, "expects 1");
  expect_finding(
      run_watched("        b = barrier([1], count=1, unit=\"warp\", tx=False, id=1)\n        "
                  "bar_wait(b[0], 1)\n"),
      "barrier-init", 5);
}

TEST(sim_watch_barriers_are_initialised_once_and_within_their_array) {
  const std::string two =
      "        b = barrier([2], count=1, unit=\"warp\", tx=False, id=1)\n"
      "        c = barrier([1], count=1, unit=\"warp\", tx=False, id=3)\n"
      "        if tid == 0:\n";
  expect_finding(run_watched(two + "            bar_init(b[1:3])\n"), "out-of-bounds", 7);
  expect_finding(run_watched(two + "            bar_init(b[0:1])\n        block_sync()\n"
                                   "        bar_wait(b[1], 1)\n"),
                 "barrier-init", 9);
  expect_finding(run_watched(two + "            bar_init(b[0:2])\n            bar_init(b[1])\n"),
                 "barrier-init", 8, "again");
  EXPECT(run_watched(two +
                     "            bar_init(b)\n            bar_init(c)\n        block_sync()\n"
                     "        bar_wait(b[1], 1)\n")
             .result.findings.empty());
}

TEST(sim_watch_an_engine_needs_the_fence_of_who_initialised) {
  const std::string head =
      "        b = barrier([1], count=1, unit=\"lane\", tx=True, id=0)\n        s = shared(i32, "
      "[16], "
      "at=0)\n        if tid == 0:\n            bar_init(b)\n";
  auto load = [&](const std::string& fence) {
    return run_watched(head + fence +
                           "        block_sync(mem=\"all\")\n        if tid == 0:\n"
                           "            bar_arrive_expect(b[0], 64)\n"
                           "            tma_load(s[0:16], map, [0], b[0])\n"
                           "        bar_wait(b[0], 0)\n        out[tid] = s[tid % 16]\n",
                       256, "1", 64, "sm_90a", {},
                       "    map = tensor_map(out, dims=[256], strides=[], box=[16])\n");
  };
  EXPECT(!find(load("            init_fence()\n"), "missing-fence"));
  EXPECT(find(load(""), "missing-fence"));
  EXPECT(find(load("        if tid == 32:\n            init_fence()\n"), "missing-fence"));
}

TEST(sim_watch_parts_synchronize_at_initialized_barriers) {
  const std::string role =
      "        block_sync(mem=\"all\")\n        with role(\"a\", 0, 64):\n            "
      "role_sync(id=3, threads=64)\n";
  auto with = [&](const std::string& set_up) {
    return run_watched(
        "        sync_point = barrier([1], count=2, unit=\"warp\", tx=False, id=3)\n"
        "        if tid == 0:\n            " +
            set_up + "\n" + role,
        256, "1", 128);
  };
  EXPECT(with("bar_init(sync_point)").result.findings.empty());
  expect_finding(with("bar_init(sync_point, 1)"), "over-arrival", 9, "2 warps arrive");
  expect_finding(with("bar_init(sync_point, 3)"), "deadlock", 9, "expects 3 arrivals");
  expect_finding(with("pass"), "barrier-init", 9);
}

TEST(sim_watch_bounds_and_division) {
  Outcome r = run_watched("        out[tid + 200] = 1\n");
  expect_finding(r, "out-of-bounds", 4, "256 is not in [0, 256)");
  EXPECT_EQ(r.out[255], 1);
  expect_finding(run_watched("        s = shared(f32, [16], at=0)\n        s[tid % 32] = 0.0\n"),
                 "out-of-bounds", 5, "not in [0, 16)");
  expect_finding(
      run_watched("        a = local(i32, [4])\n        a[tid] = 1\n        out[tid] = a[0]\n"),
      "out-of-bounds", 5, "not in [0, 4)");
  Outcome d = run_watched("        out[tid] = 7 // (tid - 3)\n");
  expect_finding(d, "divide-by-zero", 4);
  EXPECT_EQ(d.out[3], 0);
  EXPECT_EQ(d.out[2], -7);
  expect_finding(
      run_watched(
          "        if tid < 8:\n            out[tid * 4 + 1:tid * 4 + 5] = broadcast(tid, 4)\n"),
      "misaligned", 5);
  // A copy of several elements that would extend past its granule, and so past the memory.
  expect_finding(
      run_watched("        s = shared(i32, [256], lay=[[a(256, 1)]], swz=(16, 128, 7), at=0)\n"
                  "        if tid == 63:\n"
                  "            cp_async(s[tid * 4 - 1:tid * 4 + 3], out[tid * 4:tid * 4 + 4])\n"
                  "        cp_commit()\n        cp_wait(0)\n"),
      "misaligned", 6);
  expect_finding(
      run_watched("        s = shared(i32, [256], lay=[[a(256, 1)]], swz=(16, 128, 7), at=0)\n"
                  "        if tid == 31:\n"
                  "            cp_async(s[tid * 8:tid * 8 + 8], out[tid * 8:tid * 8 + 8])\n"
                  "        cp_commit()\n        cp_wait(0)\n"),
      "misaligned", 6);
}

TEST(sim_watch_each_reference_of_a_statement_has_its_bounds) {
  for (int n = 8; n <= 40; n += 8)
    for (int elements = n + 8; elements <= 64; elements += 8) {
      const std::string extent = std::to_string(n);
      expect_finding(
          run_watched("        s = shared(i32, [" + extent + "], at=0)\n        if tid < " +
                          extent + ":\n            s[tid] = 1\n        block_sync()\n" +
                          "        if tid < " + std::to_string(n + 3) +
                          ":\n            out[tid] = out[tid] + s[tid]\n",
                      elements),
          "out-of-bounds", 9, "not in [0, " + extent + ")");
    }
}

TEST(sim_watch_uninitialized_shared_memory_by_element) {
  Outcome r = run_watched(
      "        s = shared(i32, [4, 16], at=64)\n        if tid != 21:\n            s[tid // "
      "16, tid % 16] = tid\n"
      "        block_sync()\n        out[tid] = s[tid // 16, tid % 16]\n");
  expect_finding(r, "uninitialized", 8);
  if (const sim::Finding* f = find(r, "uninitialized")) {
    EXPECT_EQ(f->buffer, std::string("s"));
    EXPECT_EQ(f->element, std::string("[1, 5]"));
  }
}

TEST(sim_watch_races_inside_a_block) {
  Outcome shared = run_watched(
      "        s = shared(i32, [64], at=0)\n        s[tid] = tid\n        out[tid] = s[(tid + "
      "32) % 64]\n");
  expect_finding(shared, "race", 5);
  expect_finding(shared, "race", 6);
  Outcome warp_only = run_watched(
      "        s = shared(i32, [64], at=0)\n        s[tid] = tid\n        warp_sync()\n        "
      "out[tid] = s[tid // 32 * 32 + (tid + 1) % 32]\n");
  if (!warp_only.result.ok()) fail("warp_sync", 0, describe(warp_only.result));
  EXPECT_EQ(warp_only.out[31], 0);
  expect_finding(
      run_watched("        s = shared(i32, [64], at=0)\n        s[tid] = tid\n        out[tid] "
                  "= s[tid // 32 * 32 + (tid + 1) % 32]\n"),
      "race", 5);
  expect_finding(run_watched("        out[tid // 2] = tid\n"), "race", 4);
  EXPECT(run_watched("        out[0] = 5\n").result.ok());  // everybody stores the same
}

TEST(sim_watch_races_between_blocks) {
  Outcome r = run_watched("        out[tid + bx * 32] = bx * 100 + tid\n", 256, "2");
  expect_finding(r, "race", 4);
  if (const sim::Finding* f = find(r, "race")) {
    EXPECT_EQ(f->element, std::string("[32]"));
    EXPECT_EQ(f->count, int64_t{32});
    EXPECT(f->where[0].actor.find("block (0, 0)") != std::string::npos);
    EXPECT(f->where[1].actor.find("block (1, 0)") != std::string::npos);
  }
  EXPECT(run_watched("        out[tid + bx * 64] = tid\n", 256, "4").result.ok());
  Outcome a = run_watched("        old = atomic_add(out[tid % 4], 1)\n", 256, "4");
  if (!a.result.ok()) fail("atomics", 0, describe(a.result));
  EXPECT_EQ(a.out[2], 64);
  expect_finding(
      run_watched("        old = atomic_add(out[tid % 4], 1)\n        if bx == 3:\n            "
                  "if tid == 9:\n                out[1] = 7\n",
                  256, "4"),
      "race", 7);
}

TEST(sim_watch_prints_and_asserts_are_records) {
  Outcome r = run_watched("        out[tid] = 1\n");
  EXPECT(r.result.records.empty());
  Outcome p = run_watched("        if tid == 33:\n            print(\"x\", tid * 2)\n", 256, "2");
  EXPECT_EQ(p.result.records.size(), size_t{2});
  if (p.result.records.size() == 2) {
    EXPECT_EQ(p.result.records[1].block[0], int64_t{1});
    EXPECT_EQ(p.result.records[0].thread, int64_t{33});
    EXPECT_EQ(p.result.records[0].values[0], uint64_t{66});
  }
  Outcome a = run_watched("        device_assert(\"small\", tid < 40)\n        out[tid] = 1\n");
  expect_finding(a, "assertion", 4, "small");
  EXPECT(a.result.status == sim::RunResult::Status::stopped);
  EXPECT_EQ(a.result.records.size(), size_t{24});
}

TEST(sim_watch_a_warp_of_mp_22_has_128_lanes) {
  Outcome r = run_watched(
      "        x = shfl_xor(tid, 64)\n        if lane == 5:\n            out[0] = x\n          "
      "  out[1] = warp\n",
      256, "1", 128, "mp_22");
  if (!r.result.ok()) fail("mp_22", 0, describe(r.result));
  EXPECT_EQ(r.out[0], 69);
  EXPECT_EQ(r.out[1], 0);
}

TEST(sim_watch_partial_warps_and_local_arrays) {
  Outcome r = run_watched(
      "        a = local(i32, [8])\n        for i in unroll(0, 8):\n            a[i] = i * i\n"
      "        out[tid] = a[tid % 8]\n        a[tid % 8] = 100\n        out[tid + 64] = a[3]\n",
      256, "1", 40);
  if (!r.result.ok()) fail("local", 0, describe(r.result));
  EXPECT_EQ(r.out[39], 49);
  EXPECT_EQ(r.out[40], 0);
  EXPECT_EQ(r.out[64 + 11], 100);
  EXPECT_EQ(r.out[64 + 12], 9);
}

TEST(sim_watch_an_endless_kernel_can_be_interrupted) {
  std::atomic<bool> stop{false};
  sim::RunOptions o;
  o.interrupt = &stop;
  std::thread later([&] {
    timespec t{0, 20'000'000};
    nanosleep(&t, nullptr);
    stop = true;
  });
  // It never is 0, and no value comes again for two billion iterations.
  Outcome r = run_watched("        x = var(i32, 1)\n        while x != 0:\n            x = x + 2\n",
                          256, "4", 64, "mp_31", o);
  later.join();
  EXPECT(r.result.status == sim::RunResult::Status::interrupted);
}

TEST(sim_watch_what_the_level_cannot_run_is_refused) {
  Outcome r = run_watched("        x = fragment(f32, [8])\n");
  EXPECT(r.result.status == sim::RunResult::Status::refused);
  EXPECT(r.result.error.find("fragment") != std::string::npos);
  EXPECT_EQ(r.result.error_span.line, 4u);
}

TEST(sim_watch_copies_that_fill_the_memory_are_refused) {
  std::string loop = "        for i in unroll(1000000000):\n            out[tid] = i\n";
  std::string nested =
      "        for i in unroll(60000):\n            for j in unroll(60000):\n"
      "                out[tid] = i + j\n";
  for (const std::string& body : {loop, nested}) {
    Outcome r = run_watched(body);
    EXPECT(r.result.status == sim::RunResult::Status::refused);
    EXPECT(r.result.error.find("an unrolled loop that is too large") != std::string::npos);
    EXPECT(r.result.error_span.line >= 4);
  }
}

TEST(sim_watch_registers_that_nothing_has_written) {
  const std::string declared = "        a = local(i32, [4])\n";
  expect_finding(run_watched(declared + "        a[0] = tid\n        out[tid] = a[1]\n"),
                 "uninitialized", 6);
  expect_finding(run_watched(declared + "        if tid < 40:\n            a[2] = 1\n"
                                        "        out[tid] = a[2]\n"),
                 "uninitialized", 7);
  expect_finding(run_watched(declared + "        for i in serial(3):\n            a[i] = i\n"
                                        "        out[tid] = a[tid % 4]\n"),
                 "uninitialized", 7);
  for (const char* fine :
       {"        for i in serial(4):\n            a[i] = i\n        out[tid] = a[tid % 4]\n",
        "        a[0] = 0\n        for i in serial(4):\n            a[0] = a[0] + i\n"
        "        out[tid] = a[0]\n",
        "        if tid < 9:\n            a[2] = 1\n        if tid < 8:\n            out[tid] = "
        "a[2]\n",
        "        if tid < 9:\n            a[2] = 1\n"
        "        out[tid] = a[2] if tid < 9 else 0\n"}) {
    Outcome r = run_watched(declared + fine);
    if (!r.result.ok()) fail("written registers", 0, std::string(fine) + describe(r.result));
  }
}

TEST(sim_watch_output_that_nothing_has_written) {
  const char* text = R"(ir(1, level="thread", target="mp_31")
def f(out: tensor(i32, [64])):
    with kernel("k", grid=[1, 1, 1], block=64, smem=0) as (bx, by, bz):
        if tid < 32:
            out[tid] = 1
        out[tid] = out[tid] + 1
)";
  FuncRef f = read_kernel("fresh", text);
  std::vector<int32_t> out(64, 0);
  sim::Argument args[] = {sim::tensor_argument(DType::i32, {64}, out.data())};
  sim::RunOptions o;
  o.watch.uninitialized = true;  // alone: the race detector has no shadow memory then
  EXPECT(sim::run(*f, args, o).ok());
  args[0].fresh = true;
  Outcome r{sim::run(*f, args, o), out};
  expect_finding(r, "uninitialized", 6);
  EXPECT_EQ(r.result.findings.at(0).element, std::string("[32]"));
  EXPECT_EQ(r.result.findings.at(0).count, int64_t{32});
}
