// SPDX-License-Identifier: Apache-2.0
// Kernels in IR text through the whole pipeline: after every pass the text is a fixpoint and the
// simulated result is what it was before (bit by bit where the pass reassociates nothing).
#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "core/ir/compare.h"
#include "core/ir/text/print.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/sim/sim.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<float> data;
};

FuncRef parse(const std::string& text) {
  Diagnostics sink;
  FuncRef func = read_ir("<test>", text, sink);
  for (const Diagnostic& d : sink.all())
    std::printf("%s (line %u)\n", d.message.c_str(), d.span.line);
  return func;
}

/// Runs on copies; tensors whose data is empty on entry are outputs, poisoned with NaN.
std::vector<Tensor> run(const FuncRef& func, std::vector<Tensor> tensors) {
  std::vector<sim::Argument> args;
  for (Tensor& t : tensors) {
    size_t n = 1;
    for (int64_t e : t.shape) n *= static_cast<size_t>(e);
    if (t.data.empty()) t.data.assign(n, NAN);
    args.push_back(sim::tensor_argument(DType::f32, t.shape, t.data.data()));
  }
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  sim::RunResult result = sim::run(*func, args, options);
  if (result.status != sim::RunResult::Status::finished)
    std::printf("  status %d %s\n", static_cast<int>(result.status), result.error.c_str());
  for (const auto& finding : result.findings)
    std::printf("  finding: %s %s %s x%lld\n", finding.buffer.c_str(), finding.element.c_str(),
                finding.detail.c_str(), static_cast<long long>(finding.count));
  EXPECT(result.ok());
  return tensors;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < a[i].data.size(); ++j)
      if (std::bit_cast<uint32_t>(a[i].data[j]) != std::bit_cast<uint32_t>(b[i].data[j])) {
        std::printf("  tensor %zu element %zu: %g and %g\n", i, j, a[i].data[j], b[i].data[j]);
        return false;
      }
  return true;
}

double worst(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; j < a[i].data.size(); ++j)
      worst = std::max(worst, std::fabs(double(a[i].data[j]) - double(b[i].data[j])));
  return worst;
}

/// Every snapshot of the pipeline against the one before.
std::vector<Tensor> through_all_passes(const std::string& text, const std::vector<Tensor>& inputs) {
  FuncRef func = parse(text);
  EXPECT(func);
  if (!func) throw std::runtime_error("the text is not read");
  Diagnostics sink;
  PipelineResult result = run_passes(func, sink);
  for (const Diagnostic& d : sink.all()) std::printf("%s\n", d.message.c_str());
  EXPECT(result.ok);
  std::vector<Tensor> before = run(func, inputs);
  FuncRef previous = func;
  for (const Snapshot& snapshot : result.snapshots) {
    if (!snapshot.pass) continue;
    std::string printed = print(*snapshot.func);
    if (std::getenv("TILELAB_SHOW"))
      std::printf("---- %s: %s\n%s", snapshot.pass->name, snapshot.decided.c_str(),
                  printed.c_str());
    FuncRef again = parse(printed);
    EXPECT(again && equal(again, snapshot.func));
    std::vector<Tensor> now = run(snapshot.func, inputs);
    bool exact = !has_reassociated(*snapshot.pass, *previous, *snapshot.func);
    previous = snapshot.func;
    bool good = exact ? same_bits(before, now) : worst(before, now) < 1e-5;
    if (!good) std::printf("after %s\n%s", snapshot.pass->name, printed.c_str());
    EXPECT(good);
    before = now;
  }
  return before;
}

Tensor random_tensor(const std::vector<int64_t>& shape) {
  static std::mt19937 random(static_cast<unsigned>(test::seed()));
  Tensor t{shape, {}};
  size_t n = 1;
  for (int64_t e : shape) n *= static_cast<size_t>(e);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (size_t i = 0; i < n; ++i) t.data.push_back(uniform(random));
  return t;
}

std::string vector_add(int n) {
  std::string N = std::to_string(n);
  return R"(ir(1, level="tile", target="mp_31")
def add(A: tensor(f32, [)" +
         N + "]), B: tensor(f32, [" + N + "]), C: tensor(f32, [" + N + R"(])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    with kernel("add_k0", grid=[)" +
         std::to_string((n + 1023) / 1024) + R"(, 1, 1], block=256) as (bx, by, bz):
        for i in parallel(1024):
            if bx * 1024 + i < )" +
         N + R"(:
                C[bx * 1024 + i] = A[bx * 1024 + i] + B[bx * 1024 + i]
)";
}

const char* kSoftmax = R"(ir(1, level="tile", target="mp_31")
def softmax(X: tensor(f32, [7, 512]), Y: tensor(f32, [7, 512])):
    check_tensor(X, align=16)
    check_tensor(Y, align=16, write=True)
    with kernel("softmax_k0", grid=[4, 1, 1], block=128) as (bx, by, bz):
        x = fragment(f32, [2, 512])
        m = fragment(f32, [2])
        s = fragment(f32, [2])
        copy(X[bx * 2:bx * 2 + 2, 0:512], x[0:2, 0:512])
        reduce(x[0:2, 0:512], m[0:2], dims=[1], op="max", clear=True)
        for i, j in parallel(2, 512):
            x[i, j] = exp2(x[i, j] * 1.4426950408889634 - m[i] * 1.4426950408889634)
        reduce(x[0:2, 0:512], s[0:2], dims=[1], op="sum", clear=True)
        for i, j in parallel(2, 512):
            x[i, j] = x[i, j] / s[i]
        copy(x[0:2, 0:512], Y[bx * 2:bx * 2 + 2, 0:512])
)";

const char* kGemm = R"(ir(1, level="tile", target="mp_31")
def gemm(A: tensor(f32, [40, 50]), B: tensor(f32, [50, 24]), C: tensor(f32, [40, 24])):
    check_tensor(A, align=16)
    check_tensor(B, align=16)
    check_tensor(C, align=16, write=True)
    with kernel("gemm_k0", grid=[2, 2, 1], block=64) as (bx, by, bz):
        a = shared(f32, [32, 16])
        b = shared(f32, [16, 16])
        c = fragment(f32, [32, 16])
        fill(c[0:32, 0:16], 0.0)
        for k in serial(0, 4):
            copy(A[by * 32:by * 32 + 32, k * 16:k * 16 + 16], a[0:32, 0:16])
            copy(B[k * 16:k * 16 + 16, bx * 16:bx * 16 + 16], b[0:16, 0:16])
            gemm(a[0:32, 0:16], b[0:16, 0:16], c[0:32, 0:16])
        copy(c[0:32, 0:16], C[by * 32:by * 32 + 32, bx * 16:bx * 16 + 16])
)";

}  // namespace

TEST(pipeline_vector_add) {
  for (int n : {4096, 3001, 3}) {
    Tensor a = random_tensor({n}), b = random_tensor({n});
    auto out = through_all_passes(vector_add(n), {a, b, {{n}, {}}});
    for (int i = 0; i < n; ++i) EXPECT(out[2].data[i] == a.data[i] + b.data[i]);
  }
}

TEST(pipeline_softmax) {
  Tensor x = random_tensor({7, 512});
  auto out = through_all_passes(kSoftmax, {x, {{7, 512}, {}}});
  for (int r = 0; r < 7; ++r) {
    double sum = 0, biggest = -INFINITY;
    for (int c = 0; c < 512; ++c) biggest = std::max<double>(biggest, x.data[r * 512 + c]);
    for (int c = 0; c < 512; ++c) sum += std::exp(x.data[r * 512 + c] - biggest);
    for (int c = 0; c < 512; ++c)
      EXPECT(std::fabs(out[1].data[r * 512 + c] - std::exp(x.data[r * 512 + c] - biggest) / sum) <
             1e-7);
  }
}

TEST(pipeline_gemm) {
  Tensor a = random_tensor({40, 50}), b = random_tensor({50, 24});
  auto out = through_all_passes(kGemm, {a, b, {{40, 24}, {}}});
  for (int m = 0; m < 40; ++m)
    for (int n = 0; n < 24; ++n) {
      double sum = 0;
      for (int k = 0; k < 50; ++k) sum += double(a.data[m * 50 + k]) * b.data[k * 24 + n];
      EXPECT(std::fabs(out[2].data[m * 24 + n] - sum) < 1e-5);
    }
}

TEST(pipeline_without_snapshots) {
  FuncRef func = parse(kGemm);
  Diagnostics diagnostics;
  PipelineOptions lean;
  lean.keep = false;
  PipelineResult all = run_passes(func, diagnostics), ends = run_passes(func, diagnostics, lean);
  EXPECT(all.ok && ends.ok);
  EXPECT_EQ(ends.snapshots.size(), all.snapshots.size());
  EXPECT(equal(*all.func(), *ends.func()));
  EXPECT(ends.snapshots.front().func);
  for (size_t i = 1; i + 1 < ends.snapshots.size(); ++i) {
    EXPECT(!ends.snapshots[i].func);
    EXPECT(all.snapshots[i].func);
  }
}
