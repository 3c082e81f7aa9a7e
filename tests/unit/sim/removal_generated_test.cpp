// SPDX-License-Identifier: Apache-2.0
// The same of kernels that the passes have made of TileLang source for the machine's own units:
// nothing that they write to order memory is there for nothing.
#include "core/passes/pipeline/pipeline.h"
#include "core/targets/target.h"
#include "tests/unit/fake_host.h"
#include "tests/unit/sim/removal.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

/// A block for each tile of C.
constexpr const char* kGemm = R"(
def matmul(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(N // BN, M // 64, threads=128) as (bx, by):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, BN), "float16")
        c = T.alloc_fragment((64, BN), "float32")
        T.clear(c)
        for k in T.Pipelined(K // 32, num_stages=3):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * BN], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 64, bx * BN])
)";

/// A persistent block that computes several tiles, so that released slots are acquired again.
constexpr const char* kPersistent = R"(
def matmul(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(1, threads=128) as block:
        a = T.alloc_shared((64, 64), "float16")
        b = T.alloc_shared((64, BN), "float16")
        c = T.alloc_fragment((64, BN), "float32")
        for n, m in T.Persistent([N // BN, M // 64], 1, block):
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[m * 64, k * 64], a)
                T.copy(B[k * 64, n * BN], b)
                T.gemm(a, b, c)
            T.copy(c, C[m * 64, n * BN])
)";

/// Tiles that are too small for products of groups: threads read what the engine has brought.
constexpr const char* kReadByThreads = R"(
def matmul(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(N // BN, M // 32, threads=128) as (bx, by):
        a = T.alloc_shared((32, 64), "float16")
        b = T.alloc_shared((64, BN), "float16")
        c = T.alloc_fragment((32, BN), "float32")
        T.clear(c)
        for k in T.Pipelined(K // 64, num_stages=2):
            T.copy(A[by * 32, k * 64], a)
            T.copy(B[k * 64, bx * BN], b)
            T.gemm(a, b, c)
        for i, j in T.Parallel(32, BN):
            C[by * 32 + i, bx * BN + j] = c[i, j]
)";

constexpr const char* kAttention = R"(
def attention(Q: T.Tensor((1, S, H, D), "float16"), K: T.Tensor((1, S, H, D), "float16"),
              V: T.Tensor((1, S, H, D), "float16"), O: T.Tensor((1, S, H, D), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    scale = 1.44269504 / 8.0
    with T.Kernel(1, threads=128) as block:
        q = T.alloc_shared((64, D), "float16")
        k = T.alloc_shared((32, D), "float16")
        v = T.alloc_shared((32, D), "float16")
        s = T.alloc_fragment((64, 32), "float32")
        p = T.alloc_fragment((64, 32), "float16")
        o = T.alloc_fragment((64, D), "float32")
        top = T.alloc_fragment((64,), "float32")
        old = T.alloc_fragment((64,), "float32")
        part = T.alloc_fragment((64,), "float32")
        total = T.alloc_fragment((64,), "float32")
        for h, m in T.Persistent([H, S // 64], 1, block):
            T.copy(Q[0, m * 64:(m + 1) * 64, h, :], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.Pipelined(S // 32, num_stages=2):
                T.copy(K[0, j * 32:(j + 1) * 32, h, :], k)
                T.gemm(q, k, s, transpose_B=True, policy=1, clear_accum=True)
                T.copy(V[0, j * 32:(j + 1) * 32, h, :], v)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(64):
                    old[i] = T.exp2(old[i] * scale - top[i] * scale)
                for i, c in T.Parallel(64, 32):
                    s[i, c] = T.exp2(s[i, c] * scale - top[i] * scale)
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(64):
                    total[i] = total[i] * old[i] + part[i]
                T.copy(s, p)
                for i, c in T.Parallel(64, D):
                    o[i, c] *= old[i]
                T.gemm(p, v, o, policy=1)
            for i, c in T.Parallel(64, D):
                o[i, c] /= total[i]
            T.copy(o, O[0, m * 64:(m + 1) * 64, h, :])
)";

using Sizes = std::map<std::string, int64_t>;

/// The texts of all levels that the passes make of a source, from where barriers are set on.
std::vector<std::string> generated(const char* source, const char* target, const Sizes& sizes) {
  FakeHost host;
  for (const auto& [name, value] : sizes) host.globals[name] = value;
  elaborate::Request request;
  request.target = target;
  Elaborated made = elaborate_text(source, host, request);
  if (!made.result.func) {
    fail("source", 0, made.messages());
    return {};
  }
  const FuncRef func = for_target(made.result.func, *find_target(target));
  return levels_of(text_after(print(*func), "insert_barriers"));
}

/// Tile operations of a block follow each other without its barriers.
bool orders_tiles(const std::string& line) { return line.find("block_sync") == std::string::npos; }

/// Everywhere, or at the wanted lines, at each level.
template <class Run>
void expect_found_in(const std::vector<std::string>& levels, Run&& run, Wanted wanted = nullptr) {
  std::string sites;
  for (const std::string& text : levels) {
    const Wanted all = &text == &levels[0] ? orders_tiles : every_line;
    const size_t here = expect_found(text, run, wanted ? wanted : all);
    EXPECT(here > 3);
    sites += " " + std::to_string(here);
  }
  if (std::getenv("TILELAB_SHOW_FINDINGS")) std::printf("sites:%s\n", sites.c_str());
}

}  // namespace

TEST(sim_removal_generated_gemm_mp31) {
  const Sizes sizes{{"M", 64}, {"N", 64}, {"K", 160}, {"BN", 64}};
  expect_found_in(generated(kGemm, "mp_31", sizes),
                  [](auto& t, auto& o) { return run_gemm(t, 64, 64, 160, o); });
}

// C leaves in four pieces through two slots.
TEST(sim_removal_generated_gemm_sm90) {
  const Sizes sizes{{"M", 128}, {"N", 256}, {"K", 192}, {"BN", 256}};
  expect_found_in(generated(kPersistent, "sm_90a", sizes),
                  [](auto& t, auto& o) { return run_gemm(t, 128, 256, 192, o); });
}

TEST(sim_removal_generated_gemm_sm80) {
  const Sizes sizes{{"M", 64}, {"N", 64}, {"K", 160}, {"BN", 64}};
  expect_found_in(generated(kGemm, "sm_80", sizes),
                  [](auto& t, auto& o) { return run_gemm(t, 64, 64, 160, o); });
}

TEST(sim_removal_generated_ring_of_stores) {
  const Sizes sizes{{"M", 192}, {"N", 64}, {"K", 192}, {"BN", 64}};
  expect_found_in(generated(kPersistent, "sm_90a", sizes),
                  [](auto& t, auto& o) { return run_gemm(t, 192, 64, 192, o); });
}

// The producer is the thread that sets barriers up: its fence before each slot covers both.
TEST(sim_removal_generated_slots_that_threads_read) {
  const Sizes sizes{{"M", 32}, {"N", 64}, {"K", 320}, {"BN", 64}};
  bool fenced = false;
  for (const std::string& text : generated(kReadByThreads, "sm_90a", sizes)) {
    fenced |= text.find("fence_proxy()") != std::string::npos;
    expect_found(
        text, [](auto& t, auto& o) { return run_gemm(t, 32, 64, 320, o); },
        [](auto& line) { return line.find("init_fence") == std::string::npos; });
  }
  EXPECT(fenced);
}

/// The producer waits for one of two free slots of q.
bool fills_q(const std::string& line) {
  return line.find("ring_2_in_phase ^") != std::string::npos;
}

// A tile of q is released with a tile of k, for which the producer waits as well.
TEST(sim_removal_generated_attention_sm90) {
  const Sizes sizes{{"S", 128}, {"H", 2}, {"D", 64}};
  expect_found_in(
      generated(kAttention, "sm_90a", sizes),
      [](auto& t, auto& o) { return run_attention(t, 128, 2, o, false, 64); },
      [](auto& line) { return !fills_q(line); });
}
