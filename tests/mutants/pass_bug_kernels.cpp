// SPDX-License-Identifier: Apache-2.0
#include "tests/mutants/pass_bug_kernels.h"

#include <cstdio>

#include "core/diagnostics/render.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/targets/target.h"
#include "tests/unit/fake_host.h"

namespace tilelab::test {
namespace {

constexpr const char* kGemm = R"(
def gemm(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    with T.Kernel(T.ceildiv(N, 32), T.ceildiv(M, 64), threads=128) as (bx, by):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 32), "float16")
        c = T.alloc_fragment((64, 32), "float32")
        T.clear(c)
        for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 32], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 64, bx * 32])
)";

constexpr const char* kRoles = R"(
def roles(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(1, threads=128) as block:
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        for n, m in T.Persistent([N // 64, M // 64], 1, block):
            T.clear(c)
            for k in T.Pipelined(K // 32, num_stages=2):
                T.copy(A[m * 64, k * 32], a)
                T.copy(B[k * 32, n * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[m * 64, n * 64])
)";

constexpr const char* kAttention = R"(
def attention(Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"), V: T.Tensor((S, D), "float16"),
              O: T.Tensor((S, D), "float16")):
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
        for m, n in T.Persistent([S // 64, 1], 1, block):
            T.copy(Q[m * 64, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(top, -1e30)
            for j in T.Pipelined(S // 32, num_stages=2):
                T.copy(K[j * 32, 0], k)
                T.gemm(q, k, s, transpose_B=True, policy=1, clear_accum=True)
                T.copy(V[j * 32, 0], v)
                T.copy(top, old)
                T.reduce_max(s, top, dim=1, clear=False)
                for i in T.Parallel(64):
                    old[i] = T.exp2(old[i] - top[i])
                for i, c in T.Parallel(64, 32):
                    s[i, c] = T.exp2(s[i, c] - top[i])
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(64):
                    total[i] = total[i] * old[i] + part[i]
                T.copy(s, p)
                for i, c in T.Parallel(64, D):
                    o[i, c] *= old[i]
                T.gemm(p, v, o, policy=1)
            for i, c in T.Parallel(64, D):
                o[i, c] /= total[i]
            T.copy(o, O[m * 64, 0])
)";

constexpr const char* kSoftmax = R"(
def softmax(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
    with T.Kernel(T.ceildiv(M, 4), threads=128) as b:
        x = T.alloc_fragment((4, 128), "float32")
        top = T.alloc_fragment((4,), "float32")
        total = T.alloc_fragment((4,), "float32")
        T.copy(X[b * 4, 0], x)
        for i, j in T.Parallel(4, 128):
            x[i, j] = T.if_then_else(j < N, x[i, j], -3.0e38)
        T.reduce_max(x, top, dim=1)
        for i, j in T.Parallel(4, 128):
            x[i, j] = T.exp(x[i, j] - top[i])
        T.reduce_sum(x, total, dim=1)
        for i, j in T.Parallel(4, 128):
            x[i, j] = x[i, j] / total[i]
        T.copy(x, Y[b * 4, 0])
)";

constexpr const char* kScan = R"(
def scan(X: T.Tensor((M, N), "int32"), Y: T.Tensor((M, N), "int32")):
    with T.Kernel(T.ceildiv(M, 4), threads=64) as b:
        x = T.alloc_shared((4, 64), "int32")
        T.copy(X[b * 4, 0], x)
        T.cumsum(x, dim=1)
        T.copy(x, Y[b * 4, 0])
)";

constexpr const char* kTranspose = R"(
def transpose(X: T.Tensor((M, N), "float16"), Y: T.Tensor((N, M), "float16")):
    with T.Kernel(T.ceildiv(M, 32), T.ceildiv(N, 16), threads=64) as (p, q):
        s = T.alloc_shared((32, 16), "float16")
        t = T.alloc_shared((16, 32), "float16")
        T.copy(X[p * 32, q * 16], s)
        for i, j in T.Parallel(32, 16):
            t[j, i] = s[i, j]
        T.copy(t, Y[q * 16, p * 32])
)";

constexpr const char* kDynamic = R"(ir(1, level="tile", target="mp_22", after="")
def tails(A: tensor(f32, [M, N]), B: tensor(f32, [N]), C: tensor(f32, [M, N]), *, M: dim(i32, 0, 65536),
          N: dim(i32, 0, 65536)):
    bind(M, A, 0)
    bind(N, A, 1)
    check_tensor(A)
    check_tensor(B)
    check_tensor(C)
    with kernel("tails_k0", grid=[ceildiv(N, 32), ceildiv(M, 8), 1], block=64) as (bx, by, bz):
        a = shared(f32, [8, 32])
        c = fragment(f32, [8, 32])
        copy(A[by * 8:by * 8 + 8, bx * 32:bx * 32 + 32], a[0:8, 0:32])
        for i, j in parallel(8, 32):
            c[i, j] = a[7 - i, j] + B[bx * 32 + j]
        copy(c[0:8, 0:32], C[by * 8:by * 8 + 8, bx * 32:bx * 32 + 32])
)";

constexpr const char* kSplit = R"(
def split(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float32")):
    with T.Kernel(N // 32, M // 32, 2, threads=64) as (bx, by, bz):
        a = T.alloc_shared((32, 16), "float16")
        b = T.alloc_shared((16, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        T.clear(c)
        for k in T.Pipelined(K // 32, num_stages=2):
            T.copy(A[by * 32, (bz * (K // 32) + k) * 16], a)
            T.copy(B[(bz * (K // 32) + k) * 16, bx * 32], b)
            T.gemm(a, b, c)
        T.atomic_add(C[by * 32, bx * 32], c)
)";

constexpr const char* kDequantised = R"(
def dequantised(A: T.Tensor((M, K), "float16"), B: T.Tensor((N, K // 2), "uint8"), C: T.Tensor((M, N), "float32")):
    with T.Kernel(N // 32, M // 64, threads=128) as (bx, by):
        a = T.alloc_shared((64, 64), "float16")
        q = T.alloc_shared((32, 32), "uint8")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 32), "float32")
        T.clear(c)
        for k in T.Pipelined(K // 64, num_stages=2):
            T.copy(A[by * 64, k * 64], a)
            T.copy(B[bx * 32, k * 32], q)
            for i, j in T.Parallel(32, 64):
                b[i, j] = T.cast((T.cast(q[i, j // 2], "int32") >> (j % 2 * 4)) % 16 - 8, "float16")
            T.gemm(a, b, c, transpose_B=True)
        T.copy(c, C[by * 64, bx * 32])
)";

constexpr const char* kGathered = R"(
def gathered(A: T.Tensor((M, K), "float16"), R: T.Tensor((M,), "int32"), B: T.Tensor((K // 8, 8, N), "float16"),
             C: T.Tensor((M, N), "float32")):
    with T.Kernel(N // 32, M // 32, threads=64) as (bx, by):
        held = T.alloc_shared((32 * 32,), "float16")
        b = T.alloc_shared((32, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        a = T.view(held, (32, 32))
        seen = T.view(B, (K, N))
        T.clear(c)
        for k in T.Pipelined(K // 32, num_stages=2):
            for i, j in T.Parallel(32, 32):
                a[i, j] = T.if_then_else((by * 32 + i) % 3 > 0, A[R[by * 32 + i] % M, k * 32 + j], 0)
            T.copy(seen[k * 32, bx * 32], b)
            T.gemm(a, b, c)
        T.copy(c, C[by * 32, bx * 32])
)";

constexpr const char* kMasked = R"(
def masked(A: T.Tensor((32, K), "float16"), B: T.Tensor((K, 32), "float16"), On: T.Tensor((K // 16,), "int32"),
           C: T.Tensor((32, 32), "float32")):
    T.annotate_pass_configs({"tilelab.hardware_units": True})
    with T.Kernel(1, threads=64):
        a = T.alloc_shared((32, 16), "float16")
        b = T.alloc_shared((16, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        on = T.alloc_fragment((K // 16,), "int32")
        T.copy(On, on)
        T.clear(c)
        for k in T.Pipelined(K // 16, num_stages=2):
            if on[k] % 2 == 0:
                T.copy(A[0, k * 16], a)
                T.copy(B[k * 16, 0], b)
                T.gemm(a, b, c)
        T.copy(c, C)
)";

}  // namespace

const std::vector<BugKernel>& bug_kernels() {
  static const std::vector<BugKernel> kernels = {
      {"gemm_ring", "mp_31", kGemm, {{"M", 64}, {"N", 32}, {"K", 288}}, {"C"}},
      {"gemm_tails", "sm_80", kGemm, {{"M", 72}, {"N", 40}, {"K", 152}}, {"C"}},
      {"roles_mp31", "mp_31", kRoles, {{"M", 128}, {"N", 64}, {"K", 160}}, {"C"}},
      {"roles_sm90", "sm_90a", kRoles, {{"M", 256}, {"N", 64}, {"K", 160}}, {"C"}},
      {"attention", "sm_90a", kAttention, {{"S", 224}, {"D", 32}}, {"O"}},
      {"softmax", "mp_31", kSoftmax, {{"M", 6}, {"N", 120}}, {"Y"}},
      {"scan", "mp_22", kScan, {{"M", 6}, {"N", 60}}, {"Y"}},
      {"transpose", "sm_80", kTranspose, {{"M", 64}, {"N", 24}}, {"Y"}},
      {"dynamic_tails", "mp_22", kDynamic, {{"M", 132}, {"N", 150}}, {"C"}},
      {"split_atomics", "sm_80", kSplit, {{"M", 32}, {"N", 64}, {"K", 128}}, {"C"}},
      // Thirteen iterations: only then does a missing arrival shift a phase.
      {"dequantised", "mp_31", kDequantised, {{"M", 64}, {"N", 32}, {"K", 832}}, {"C"}},
      {"gathered", "sm_80", kGathered, {{"M", 64}, {"N", 32}, {"K", 160}}, {"C"}},
      {"masked", "sm_80", kMasked, {{"K", 128}}, {"C"}}};
  return kernels;
}

FuncRef elaborated(const BugKernel& kernel) {
  const std::string source = kernel.source;
  if (source.starts_with("ir(")) {
    Diagnostics sink;
    FuncRef func = read_ir(kernel.name, source, sink);
    if (!func) std::printf("%s: %s\n", kernel.name, render(sink).plain().c_str());
    return func;
  }
  FakeHost host;
  for (const auto& [name, value] : kernel.sizes) host.globals[name] = value;
  elaborate::Request request;
  request.target = kernel.target;
  Elaborated made = elaborate_text(source, host, request);
  if (!made.result.func) {
    std::printf("%s: %s\n", kernel.name, made.messages().c_str());
    return nullptr;
  }
  return for_target(made.result.func, *find_target(kernel.target));
}

}  // namespace tilelab::test
