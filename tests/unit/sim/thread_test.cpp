// SPDX-License-Identifier: Apache-2.0
// The worked kernels at thread and flat level: equal to their references under several schedules
// and with every watcher on, without a finding.
#include "tests/unit/sim/kernels.h"

#include "core/ir_text/ir_text.h"

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
  for (const char* level : {"vector_add_thread", "vector_add_flat"})
    for (int64_t n : {1, 5, 1023, 1024, 1025, 3000, 4096}) {
      KernelRun run = run_vector_add(kernel_text(level), n, options(0));
      expect_clean(level, run);
      int64_t outside = 0;
      for (const sim::Note& note : run.result.notes) outside += note.count;
      // The lanes of the vector that straddles N, and whole vectors after it.
      EXPECT_EQ(outside, (1024 - n % 1024) % 1024);
    }
  EXPECT_EQ(run_vector_add(kernel_text("vector_add_thread"), 0, options(0)).result.blocks,
            int64_t{0});
}

TEST(sim_thread_softmax) {
  for (int64_t m : {1, 2, 7, 8})
    for (uint64_t seed : {0, 1, 2})
      expect_clean("softmax", run_softmax(kernel_text("softmax_thread"), m, options(seed)));
}

// The worked kernels, from one text each, at tile, thread and flat level.

TEST(sim_levels_gemm_mp31) {
  for (const std::string& text : levels_of(
           replaced(kernel_text("gemm_tme_tile"), "M=256, N=256, K=512", "M=128, N=256, K=320")))
    for (uint64_t seed : {0, 1, 2})
      expect_clean("gemm_tme", run_gemm(text, 128, 256, 320, options(seed)));
}

TEST(sim_levels_gemm_sm90) {
  for (const std::string& text : levels_of(kernel_text("gemm_sm90_tile")))
    for (uint64_t seed : {0, 1})
      expect_clean("gemm_sm90", run_gemm(text, 256, 512, 256, options(seed), true));
}

TEST(sim_levels_gemm_sm80) {
  for (const std::string& text :
       levels_of(replaced(kernel_text("gemm_cp_async_tile"), "K=256", "K=160")))
    for (const auto& [seed, m] : {std::pair(0, 100), {1, 200}})
      expect_clean("gemm_cp_async", run_gemm(text, m, 128, 160, options(seed)));
}

TEST(sim_levels_attention) {
  for (const std::string& text :
       levels_of(replaced(kernel_text("attention_tile"), "S=384, H=3, G=2", "S=256, H=2, G=2")))
    for (uint64_t seed : {0, 1})
      expect_clean("attention", run_attention(text, 256, 2, options(seed)));
}

TEST(sim_levels_causal_attention) {
  for (const std::string& text : levels_of(
           replaced(kernel_text("attention_causal_tile"), "S=384, H=3, G=2", "S=384, H=2, G=2")))
    expect_clean("attention_causal", run_attention(text, 384, 2, options(0), true));
}

TEST(sim_thread_local_array_lives_through_a_loop) {
  // w is first touched inside the loop; what the loop needs before that may not share its memory.
  const char* text = R"(ir(1, level="thread", target="mp_31", after="lower_tile_ops")
def f(X: tensor(f32, [32, 8]), I: tensor(i32, [32]), Y: tensor(f32, [32, 8])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=0) as (bx, by, bz):
        w = local(f32, [4])
        if tid < 31:
            Y[tid, 1] = X[I[tid], 0]
        for k in serial(4):
            w[k] = X[tid, k * 2]
        Y[tid, 0] = w[0] + w[3]
)";
  Diagnostics sink;
  FuncRef func = read_ir("<loop>", text, sink);
  EXPECT(bool(func));
  std::vector<float> x(256), y(256, 0);
  std::vector<int32_t> index(32, 3);
  for (int i = 0; i < 256; ++i) x[i] = float(i);
  sim::Argument arguments[] = {sim::tensor_argument(DType::f32, {32, 8}, x.data()),
                               sim::tensor_argument(DType::i32, {32}, index.data()),
                               sim::tensor_argument(DType::f32, {32, 8}, y.data())};
  EXPECT(sim::run(*func, arguments, options(0)).ok());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(y[i * 8], float(i * 16 + 6));
}

TEST(sim_thread_one_element_to_several) {
  // Whether it was written goes with it, to each of them.
  const char* text = R"(ir(1, level="thread", target="mp_31", after="lower_tile_ops")
def f(X: tensor(f32, [32]), Y: tensor(f32, [32, 4])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=256) as (bx, by, bz):
        s = shared(f32, [64], lay=[[a(64, 1)]], at=0, of="w@1")
        w = local(f32, [4], origin="w@1")
        s[tid] = X[tid]
        for k in unroll(2):
            w[k * 2:k * 2 + 2] = s[tid + k * 32:tid + k * 32 + 1]
        Y[tid, 0:4] = w[1]
)";
  Diagnostics sink;
  FuncRef func = read_ir("<several>", text, sink);
  EXPECT(bool(func));
  std::vector<float> x(32), y(128, 0);
  for (size_t i = 0; i < 32; ++i) x[i] = float(i);
  sim::Argument arguments[] = {sim::tensor_argument(DType::f32, {32}, x.data()),
                               sim::tensor_argument(DType::f32, {32, 4}, y.data())};
  EXPECT_EQ(describe(sim::run(*func, arguments, options(0))), std::string());
  for (size_t i = 0; i < 128; ++i) EXPECT_EQ(y[i], float(i / 4));
  const char* reads = "Y[tid, 0:4] = w[3]";
  std::string wrong = text;
  wrong.replace(wrong.find("Y[tid, 0:4] = w[1]"), std::string(reads).size(), reads);
  func = read_ir("<several>", wrong, sink);
  EXPECT(bool(func));
  const sim::RunResult result = sim::run(*func, arguments, options(0));
  EXPECT(!result.findings.empty() && result.findings[0].kind == sim::FindingKind::uninitialized);
}

TEST(sim_thread_stmatrix_as_ptx_defines_it) {
  // PTX ISA, "stmatrix": lane l names row l % 8 of matrix l / 8; of each matrix it brings elements
  // 2 (l % 4) and the next one of row l / 4, or where .trans exchanges them of column l / 4.
  for (const bool trans : {false, true}) {
    const std::string text = R"(ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
def f(Y: tensor(u16, [32, 8])):
    with kernel("k", grid=[1, 1, 1], block=32, smem=512) as (bx, by, bz):
        s = shared(u16, [32, 8], lay=[[a(32, 8)], [a(8, 1)]], at=0)
        m = local(u16, [8])
        for i in unroll(8):
            m[i] = u16(lane * 8 + i)
        stmatrix(s[31 - lane, 0], m[0:8])" +
                             std::string(trans ? ", trans=True)" : ")") + R"(
        block_sync()
        for i in unroll(8):
            Y[lane, i] = s[lane, i]
)";
    Diagnostics sink;
    FuncRef func = read_ir("<stmatrix>", text, sink);
    EXPECT(bool(func));
    if (!func) return;
    std::vector<uint16_t> y(256, 0xFFFF);
    sim::Argument arguments[] = {sim::tensor_argument(DType::u16, {32, 8}, y.data())};
    EXPECT(sim::run(*func, arguments, options(0)).ok());
    for (int row = 0; row < 32; ++row)
      for (int column = 0; column < 8; ++column) {
        const int named = 31 - row, matrix = named / 8;
        const int along = trans ? column : named % 8, across = trans ? named % 8 : column;
        const int lane = 4 * along + across / 2, held = 2 * matrix + across % 2;
        EXPECT_EQ(int(y[size_t(row * 8 + column)]), lane * 8 + held);
      }
  }
}

TEST(sim_thread_operands_of_wgmma_have_its_rows_and_columns) {
  // 16 x 64 are as many elements as 64 x 16.
  for (const char* a : {"a[0:64, 0:16]", "a[0:16, 0:64]"})
    for (const char* b : {"b[0:8, 0:16]", "b[0:16, 0:8]"}) {
      const std::string text = R"(ir(1, level="thread", target="sm_90a", after="lower_tile_ops")
def f(Y: tensor(f32, [128])):
    with kernel("k", grid=[1, 1, 1], block=128, smem=8704) as (bx, by, bz):
        a = shared(f16, [64, 64], lay=[[a(64, 64)], [a(64, 1)]], at=0)
        b = shared(f16, [16, 16], lay=[[a(16, 16)], [a(16, 1)]], at=8192)
        c = local(f32, [4])
        for i in unroll(32):
            a[i * 2 + tid // 64, tid % 64] = 1
        for i in unroll(2):
            b[i * 8 + tid // 16, tid % 16] = 1
        fence_proxy()
        block_sync()
        mma_fence(c[0:4])
        wgmma(c[0:4], )" + std::string(a) +
                               ", " + b +
                               R"(, shape="m64n8k16", zero=True, tA=False, tB=False)
        mma_commit()
        mma_wait(0)
        Y[tid] = c[0]
)";
      Diagnostics sink;
      FuncRef func = read_ir("<wgmma>", text, sink);
      EXPECT(bool(func));
      if (!func) return;
      std::vector<float> y(128, 0);
      sim::Argument arguments[] = {sim::tensor_argument(DType::f32, {128}, y.data())};
      const sim::RunResult result = sim::run(*func, arguments, options(0, false));
      const bool right = std::string(a) == "a[0:64, 0:16]" && std::string(b) == "b[0:8, 0:16]";
      EXPECT_EQ(result.findings.empty(), right);
      EXPECT_EQ(y[0], right ? 16.0F : 0.0F);
      if (!right) EXPECT(result.findings[0].kind == sim::FindingKind::descriptor);
    }
}

TEST(sim_thread_boxes_start_at_multiples_of_16_bytes) {
  for (int column : {4, 3}) {
    const std::string text = R"(ir(1, level="thread", target="sm_90a")
def f(A: tensor(f32, [8, 64])):
    A_map = tensor_map(A, dims=[64, 8], strides=[256], box=[32, 8])
    with kernel("k", grid=[1, 1, 1], block=32, smem=1024) as (bx, by, bz):
        s = shared(f32, [8, 32], at=0)
        s[tid // 4, tid % 4] = 1.0
        for i in serial(7):
            s[tid // 4, tid % 4 + i * 4 + 4] = 1.0
        fence_proxy()
        block_sync()
        if leader("block"):
            tma_add(A_map, [)" +
                             std::to_string(column) +
                             R"(, 0], s[0:8, 0:32])
            bulk_commit()
            bulk_wait(0)
)";
    Diagnostics sink;
    FuncRef func = read_ir("<box>", text, sink);
    EXPECT(bool(func));
    if (!func) return;
    std::vector<float> a(8 * 64, 2);
    sim::Argument arguments[] = {sim::tensor_argument(DType::f32, {8, 64}, a.data())};
    const sim::RunResult result = sim::run(*func, arguments, options(0, false));
    EXPECT_EQ(result.findings.empty(), column == 4);
    EXPECT_EQ(a[size_t(column)], column == 4 ? 3.0F : 2.0F);
    EXPECT_EQ(a[0], 2.0F);
    if (column != 4) EXPECT(result.findings[0].kind == sim::FindingKind::descriptor);
  }
}
