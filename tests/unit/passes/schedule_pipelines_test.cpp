// SPDX-License-Identifier: Apache-2.0
// Remarks of schedule_pipelines about a loop: which copies could be prefetched.
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "core/passes/pass.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/targets/target.h"
#include "tests/unit/sim/kernels.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

/// The remarks about a pipelined loop over k with this body (indented by 12).
std::string said(const std::string& body) {
  FuncRef f = read_kernel("loop", R"text(ir(1, level="tile", target="mp_31")
def f(A: tensor(f16, [64, 512]), n: i32):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        b = shared(f16, [64, 64])
        v = view(a, f16, [4096])
        i = shared(i32, [8])
        c = fragment(f32, [64, 64])
        at = var(i32, 0)
        for k in pipelined(8, stages=3):
)text" + body);
  if (!f) return "";
  Diagnostics diagnostics;
  PassContext context{*find_target("mp_31"), diagnostics, ""};
  schedule_pipelines(f, context);
  const std::string reason = context.reasons.back();
  const size_t from = reason.rfind('(') + 1;
  return reason.substr(from, reason.size() - 1 - from);
}

const std::string kUse =
    "            gemm(a[0:64, 0:64], b[0:64, 0:64], c[0:64, 0:64], clear=False)\n";
const std::string kBoth =
    "            copy(A[0:64, k * 64:k * 64 + 64], a[0:64, 0:64])\n            copy(A[0:64, k * "
    "64:k * 64 + 64], b[0:64, 0:64])\n";

}  // namespace

TEST(schedule_pipelines_names_what_could_be_prefetched) {
  EXPECT_EQ(said(kBoth + kUse), "possible prefetches: the copies into a, b");
  EXPECT_EQ(said(kUse), "it has no copy to prefetch");
}

TEST(schedule_pipelines_writes_of_an_iteration_keep_copies_in_it) {
  // The buffer is written by something else too, here through a view of it.
  EXPECT_EQ(said(kBoth + "            fill(v[0:4096], 0.0)\n" + kUse),
            "possible prefetches: the copies into b");
  // The copied tensor is written in the loop.
  EXPECT_EQ(said(kBoth + kUse + "            copy(c[0:64, 0:64], A[0:64, 0:64])\n"),
            "it has no copy to prefetch");
}

TEST(schedule_pipelines_indices_of_an_iteration_keep_copies_in_it) {
  const std::string moved = "            copy(A[0:64, at:at + 64], a[0:64, 0:64])\n";
  EXPECT_EQ(said(moved + kUse), "possible prefetches: the copies into a");
  EXPECT_EQ(said(moved + kUse + "            at = at + 64\n"), "it has no copy to prefetch");
  // Through the name of a value, and through memory.
  const std::string named =
      "            x = i[0]\n            copy(A[0:64, x:x + 64], a[0:64, 0:64])\n";
  EXPECT_EQ(said(named + kUse), "possible prefetches: the copies into a");
  EXPECT_EQ(said(named + kUse + "            i[0] = 3\n"), "it has no copy to prefetch");
}

// Choices of units, here a layout that another product does not have, can need more than there is.
TEST(schedule_pipelines_plain_lowering_where_units_do_not_fit) {
  for (const char* configs : {"", ", configs={\"tilelab.hardware_units\": True}"}) {
    FuncRef f = read_kernel(
        "full", std::string("ir(1, level=\"tile\", target=\"sm_90a\"") + configs + R"text()
def f(A: tensor(f32, [64, 128])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        all = shared(f32, [54000])
        a = shared(f16, [64, 16])
        b = shared(f16, [128, 16])
        c = fragment(f32, [64, 128])
        fill(all, 0.0)
        fill(a, 1.0)
        fill(b, 1.0)
        gemm(a, b, c, tB=True, clear=True, by="fma")
        gemm(a, b, c, tB=True, clear=False)
        copy(c, A)
        copy(all[0:128], A[0, 0:128])
)text");
    Diagnostics said;
    const PipelineResult result = run_passes(f, said, {});
    EXPECT(result.ok);
    const std::vector<std::string>& reasons = result.after("select_instructions")->reasons;
    EXPECT_EQ(said.all().size(), size_t(1));
    EXPECT_EQ(reasons.at(0).find("compiled as loads, stores and loops without hardware units: "),
              size_t(0));
  }
}

namespace {

/// A pipeline of `stages` that redistributes its sum through 16 KB of 64 KB of shared memory in
/// each iteration, when the stages hold theirs.
FuncRef redistributing(int stages) {
  return read_kernel("loop", R"text(ir(1, level="tile", target="mp_22")
def f(A: tensor(f16, [64, 512]), B: tensor(f16, [512, 64]), C: tensor(f32, [64, 64]), D: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        a = shared(f16, [64, 64])
        b = shared(f16, [64, 64])
        c = fragment(f32, [64, 64])
        d = fragment(f32, [64, 64], lay=[[r(32, 1), t(2, 64)], [t(64, 1)]])
        fill(c, 0.0)
        for k in pipelined(8, stages=)text" +
                                 std::to_string(stages) + R"text():
            copy(A[0:64, k * 64:k * 64 + 64], a)
            copy(B[k * 64:k * 64 + 64, 0:64], b)
            gemm(a, b, c, clear=False)
            for i, j in parallel(64, 64):
                d[i, j] = c[i, j] * 2.0
        copy(c, C)
        copy(d, D)
)text");
}

Stmt body_of_kernel(const Func& func) {
  Stmt out;
  for_each_of_host(func, [&](const Kernel& kernel) { out = kernel.body; });
  return out;
}

}  // namespace

// The memory of layouts is known only after the schedule; texts are compiled in the same way.
TEST(schedule_pipelines_leaves_shared_memory_to_layouts) {
  for (bool keep : {true, false}) {
    PipelineOptions options;
    options.keep = keep;
    Diagnostics said, none, of_text;
    const PipelineResult four = run_passes(redistributing(4), said, options),
                         three = run_passes(redistributing(3), none, options);
    EXPECT(four.ok && three.ok);
    EXPECT_EQ(said.warnings(), none.warnings() + 1);
    EXPECT_EQ(said.all().back().message.find("this kernel is compiled as a kernel with fewer"),
              size_t(0));
    // The same code, but for the attribute that reserves memory.
    EXPECT(equal(body_of_kernel(*four.func()), body_of_kernel(*three.func())));
    EXPECT(run_passes_on_text(redistributing(4), of_text, options).ok);
  }
}

// Rings of the program keep their stages, so nothing is scheduled again.
TEST(schedule_pipelines_keeps_rings_of_the_program) {
  FuncRef f = read_kernel("ring", R"text(ir(1, level="tile", target="sm_80")
def f(A: tensor(f32, [64, 64]), B: tensor(f32, [64, 64])):
    with kernel("k", grid=[1, 1, 1], block=128) as (bx, by, bz):
        r = ring(2, fill="group", bytes=16384, producer="main", consumer="main", unit="warp", arrivals=0)
        a = shared(f32, [2, 64, 64], lay=[[a(2, 4096)], [a(64, 64)], [a(64, 1)]], ring=r)
        all = shared(f32, [40000])
        fill(all, 0.0)
        w = ring_acquire(r)
        copy(A, a[w], by="async")
        ring_commit(r)
        s = ring_wait(r)
        copy(a[s], B)
        ring_release(r)
        copy(all[0:64], B[0, 0:64])
)text");
  Diagnostics said;
  EXPECT(f && !run_passes(f, said, {}).ok);
  EXPECT_EQ(said.errors(), 1);
  EXPECT_EQ(int(said.all().back().id), int(Diag::shared_memory_size));
}
