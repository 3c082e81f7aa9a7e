// SPDX-License-Identifier: Apache-2.0
// Kernels whose layouts are not obvious, through all passes: what a pass leaves runs without a
// finding, with every watcher on, and computes what it was given. Passes that reassociate (multiply
// and add, reductions) are held to a tolerance, all others to the bit.
#include <cmath>
#include <cstring>
#include <random>

#include "core/diagnostics/render.h"
#include "core/ir/build.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/sim/sim.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

using Bytes = std::vector<std::vector<uint8_t>>;

/// The arguments of `func`, filled from one seed, after a run.
Bytes arguments_after(const Func& func, const std::string& what) {
  std::mt19937 random(7);
  Bytes data;
  std::vector<sim::Argument> arguments;
  for (const Stmt& stmt : func.params) {
    const Buffer& b = to<Buffer>(to<Param>(stmt).tensor);
    int64_t count = 1;
    for (int64_t extent : const_shape(b)) count *= extent;
    data.emplace_back(size_t(count * bytes(b.dtype)));
    for (int64_t i = 0; i < count; ++i) {
      uint64_t bits = is_float(b.dtype) ? encode_float(b.dtype, (int(random() % 201) - 100) / 64.0)
                                        : random() % 100;
      std::memcpy(&data.back()[size_t(i * bytes(b.dtype))], &bits, size_t(bytes(b.dtype)));
    }
    arguments.push_back(sim::tensor_argument(b.dtype, const_shape(b), nullptr));
  }
  for (size_t i = 0; i < data.size(); ++i) arguments[i].data = data[i].data();
  sim::RunOptions options;
  options.watch = {false, true, true};
  sim::RunResult result = sim::run(func, arguments, options);
  if (!result.ok())
    test::fail(
        __FILE__, __LINE__,
        what + ": " + result.error + " " + std::to_string(result.findings.size()) + " findings");
  return data;
}

double worst_difference(const Func& func, const Bytes& a, const Bytes& b) {
  double worst = 0;
  for (size_t p = 0; p < a.size(); ++p) {
    DType dtype = to<Buffer>(to<Param>(func.params[p]).tensor).dtype;
    if (!is_float(dtype)) continue;
    for (size_t at = 0; at < a[p].size(); at += size_t(bytes(dtype))) {
      uint64_t x = 0, y = 0;
      std::memcpy(&x, &a[p][at], size_t(bytes(dtype))),
          std::memcpy(&y, &b[p][at], size_t(bytes(dtype)));
      double u = decode_float(dtype, x), v = decode_float(dtype, y);
      worst = std::max(worst, std::abs(u - v) / std::max(1.0, std::abs(v)));
    }
  }
  return worst;
}

void expect_pipeline(const char* name, const char* text, double tolerance) {
  Diagnostics sink;
  FuncRef func = read_ir(name, text, sink);
  if (!func) return test::fail(name, 0, render(sink).plain());
  PipelineResult result = run_passes(func, sink);
  if (!result.ok) return test::fail(name, 0, render(sink).plain());
  Bytes before;
  FuncRef previous;
  bool lowered = false;
  for (const Snapshot& snapshot : result.snapshots) {
    std::string what =
        std::string(name) + " after " + (snapshot.pass ? snapshot.pass->name : "reading");
    if (snapshot.func->level == Level::flat) continue;  // held to thread level by its own tests
    Bytes now = arguments_after(*snapshot.func, what);
    lowered = lowered || snapshot.func->level == Level::thread;
    bool exact = !snapshot.pass || !has_reassociated(*snapshot.pass, *previous, *snapshot.func);
    previous = snapshot.func;
    if (!before.empty() && exact && now != before)
      test::fail(__FILE__, __LINE__, what + ": not the same bits");
    if (!before.empty() && !exact && worst_difference(*func, now, before) > tolerance)
      test::fail(__FILE__, __LINE__,
                 what + ": off by " + std::to_string(worst_difference(*func, now, before)));
    before = std::move(now);
  }
  EXPECT(lowered);
}

}  // namespace

TEST(layout_pipeline_row_softmax) {
  expect_pipeline("softmax", R"(ir(1, level="tile", target="mp_31", after="")
def softmax(X: tensor(f32, [8, 512]), Y: tensor(f32, [8, 512])):
    with kernel("k0", grid=[4, 1, 1], block=128) as (bx, by, bz):
        x = fragment(f32, [2, 512])
        m = fragment(f32, [2])
        s = fragment(f32, [2])
        copy(X[bx * 2:bx * 2 + 2, 0:512], x)
        reduce(x, m, dims=[1], op="max", clear=True)
        for i, j in parallel(2, 512):
            x[i, j] = exp2(x[i, j] * 1.4426950408889634 - m[i] * 1.4426950408889634)
        reduce(x, s, dims=[1], op="sum", clear=True)
        for i, j in parallel(2, 512):
            x[i, j] = x[i, j] / s[i]
        copy(x, Y[bx * 2:bx * 2 + 2, 0:512])
)",
                  1e-6);
}

TEST(layout_pipeline_attention_with_plain_gemm) {
  expect_pipeline("attention", R"(ir(1, level="tile", target="mp_31", after="")
def attn(Q: tensor(f16, [64, 32]), K: tensor(f16, [64, 32]), V: tensor(f16, [64, 32]), O: tensor(f16, [64, 32])):
    with kernel("k0", grid=[2, 1, 1], block=64) as (bx, by, bz):
        Q_s = shared(f16, [32, 32])
        K_s = shared(f16, [32, 32])
        V_s = shared(f16, [32, 32])
        S = fragment(f32, [32, 32])
        P = fragment(f16, [32, 32])
        acc = fragment(f32, [32, 32])
        m = fragment(f32, [32])
        mo = fragment(f32, [32])
        l = fragment(f32, [32])
        sm = fragment(f32, [32])
        copy(Q[bx * 32:bx * 32 + 32, 0:32], Q_s)
        fill(acc, 0.0)
        fill(l, 0.0)
        fill(m, -1000.0)
        for k in serial(0, 2):
            copy(K[k * 32:k * 32 + 32, 0:32], K_s)
            gemm(Q_s, K_s, S, tA=False, tB=True, clear=True, policy="full_row")
            copy(m, mo)
            reduce(S, m, dims=[1], op="max", clear=False)
            for i in parallel(32):
                mo[i] = exp2(mo[i] * 0.25 - m[i] * 0.25)
            for i, j in parallel(32, 32):
                S[i, j] = exp2(S[i, j] * 0.25 - m[i] * 0.25)
            reduce(S, sm, dims=[1], op="sum", clear=True)
            for i in parallel(32):
                l[i] = l[i] * mo[i] + sm[i]
            copy(S, P)
            for i, j in parallel(32, 32):
                acc[i, j] = acc[i, j] * mo[i]
            copy(V[k * 32:k * 32 + 32, 0:32], V_s)
            gemm(P, V_s, acc, tA=False, tB=False, clear=False, policy="full_row")
        for i, j in parallel(32, 32):
            acc[i, j] = acc[i, j] / l[i]
        copy(acc, O[bx * 32:bx * 32 + 32, 0:32])
)",
                  2e-3);
}

TEST(layout_pipeline_padding_transposition_and_broadcast) {
  expect_pipeline("misc", R"(ir(1, level="tile", target="mp_31", after="")
def misc(X: tensor(f32, [64, 24]), Y: tensor(f32, [64, 24]), Z: tensor(f32, [24, 64])):
    with kernel("k0", grid=[8, 1, 1], block=64) as (bx, by, bz):
        x = fragment(f32, [8, 24])
        y = fragment(f32, [24, 8])
        s = fragment(f32, [8])
        t = fragment(f32, [1])
        copy(X[bx * 8:bx * 8 + 8, 0:24], x)
        reduce(x, s, dims=[1], op="sum", clear=True)
        for i, j in parallel(8, 24):
            y[j, i] = x[i, j] + s[i]
        for i, j in parallel(24, 8):
            y[i, j] = y[i, j] + x[j, i]
        reduce(s, t, dims=[0], op="max", clear=True)
        for i, j in parallel(8, 24):
            x[i, j] = x[i, j] + t[0] + s[3]
        copy(x, Y[bx * 8:bx * 8 + 8, 0:24])
        copy(y, Z[0:24, bx * 8:bx * 8 + 8])
)",
                  1e-5);
}

TEST(layout_pipeline_run_time_extents_and_serial_indices) {
  expect_pipeline("dynamic", R"(ir(1, level="tile", target="mp_31", after="")
def dyn(X: tensor(f32, [128, 100]), I: tensor(i32, [128]), Y: tensor(f32, [128, 100]), W: tensor(f32, [32, 16])):
    with kernel("k0", grid=[4, 1, 1], block=128) as (bx, by, bz):
        q = fragment(f32, [32, 16])
        w = fragment(f32, [32, 4])
        h = fragment(f32, [32])
        for i, j in parallel(32, 100):
            Y[bx * 32 + i, j] = X[I[bx * 32 + i], j]
        copy(W, q)
        for i, j in parallel(32, 16):
            q[i, j] = q[i, j] + f32(i // 4)
        for k in serial(0, 4):
            for i in parallel(32):
                w[i, k] = q[i, k * 4]
        for i in parallel(32):
            h[i] = w[i, 0] + w[i, 3]
        for i, j in parallel(32, bx + 5):
            Y[bx * 32 + i, j] = h[i] + Y[bx * 32 + i, j]
        h[7] = 3.0
        copy(h, Y[bx * 32:bx * 32 + 32, 99])
)",
                  0);
}

TEST(layout_pipeline_maps_that_disagree_and_reductions_in_shared_memory) {
  expect_pipeline("conflict", R"(ir(1, level="tile", target="mp_31", after="")
def conflict(X: tensor(f32, [32, 32]), Y: tensor(f32, [32, 32]), S: tensor(f32, [32])):
    with kernel("k0", grid=[1, 1, 1], block=128) as (bx, by, bz):
        x = fragment(f32, [32, 32])
        y = fragment(f32, [32, 32])
        z = shared(f32, [32, 32])
        s = shared(f32, [32])
        copy(X, x)
        copy(Y, y)
        for i, j in parallel(32, 32):
            x[i, j] = x[i, j] + y[j, i]
        for i, j in parallel(32, 32):
            y[i, j] = x[i, j] + y[i, j] * 2.0
        copy(y, z)
        reduce(z, s, dims=[1], op="max", clear=True)
        copy(s, S)
        copy(x, X)
        copy(y, Y)
)",
                  1e-6);
}
