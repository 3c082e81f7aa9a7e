// SPDX-License-Identifier: Apache-2.0
// The matrix instruction of doubles, which no pass chooses yet: its maps, its meaning and its C.
#include <cmath>

#include "codegen/codegen.h"
#include "core/diagnostics/render.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pass.h"
#include "core/sim/sim.h"
#include "core/targets/target.h"
#include "tests/codegen/harness.h"
#include "tests/emulation/lint.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

const char* const kText = R"text(ir(1, level="thread", target="TARGET", after="vectorize")
def f(A: tensor(f64, [8, 4]), B: tensor(f64, [4, 8]), C: tensor(f64, [8, 8])):
    check_tensor(A)
    check_tensor(B)
    check_tensor(C, write=True)
    with kernel("f_k0", grid=[1, 1, 1], block=32, smem=0) as (bx, by, bz):
        a = local(f64, [1])
        b = local(f64, [1])
        c = local(f64, [2])
        a[0] = A[tid // 4, tid % 4]
        b[0] = B[tid % 4, tid // 4]
        c[0] = 0.5
        c[1] = 0.5
        mma(c[0:2], a[0:1], b[0:1], shape="m8n8k4")
        C[tid // 4, tid % 4 * 2] = c[0]
        C[tid // 4, tid % 4 * 2 + 1] = c[1]
)text";

/// Each element one chain of fused multiply-adds, in increasing k.
void expect_product(const Func& func, const char* what) {
  std::vector<double> a(32), b(32), c(64);
  for (size_t i = 0; i < 32; ++i) a[i] = 1.0 / double(i + 3), b[i] = double(i) - 10.0 / 7;
  sim::Argument arguments[] = {sim::tensor_argument(DType::f64, {8, 4}, a.data()),
                               sim::tensor_argument(DType::f64, {4, 8}, b.data()),
                               sim::tensor_argument(DType::f64, {8, 8}, c.data())};
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  const sim::RunResult result = sim::run(func, arguments, options);
  if (!result.ok() || !result.findings.empty()) return fail(what, 0, "not clean: " + result.error);
  for (size_t i = 0; i < 8; ++i)
    for (size_t j = 0; j < 8; ++j) {
      double want = 0.5;
      for (size_t k = 0; k < 4; ++k) want = std::fma(a[i * 4 + k], b[k * 8 + j], want);
      if (c[i * 8 + j] != want) return fail(what, int(i * 8 + j), "another value");
    }
}

/// Whether nvcc, where there is one, takes the text.
void expect_compiles(const std::string& text, const std::string& architecture) {
  if (!has_nvcc()) return;
  std::string log;
  codegen::ScratchDirectory scratch;
  const int status =
      codegen::run_program({"nvcc", "-x", "cu", "-std=c++17", "-gencode=" + architecture,
                            "-fmad=false", "-I" + codegen::device_directory(), "-c",
                            scratch.write("k.cu", text), "-o", scratch.path() + "/k.o"},
                           &log);
  if (status != 0) fail("nvcc", status, log + text);
}

}  // namespace

TEST(dmma_has_one_meaning) {
  for (const auto& [name, architecture] : {std::pair("sm_80", "arch=compute_80,code=sm_80"),
                                           std::pair("sm_90a", "arch=compute_90a,code=sm_90a")}) {
    std::string text = kText;
    text.replace(text.find("TARGET"), 6, name);
    Diagnostics sink;
    const FuncRef thread = read_ir("dmma", text, sink);
    const PipelineResult result = thread ? run_passes(thread, sink) : PipelineResult{};
    if (!result.ok) return fail(name, 0, render(sink).plain());
    expect_product(*thread, "thread level");
    expect_product(*result.func(), "flat level");
    const Target& target = *find_target(name);
    for (const std::string& complaint : codegen::lint(*result.func(), target))
      fail(name, 0, complaint);
    const auto written = codegen::render(*result.func(), target, {.host = true}, sink);
    if (!written) return fail(name, 0, render(sink).plain());
    EXPECT(written->text.find("tl_mma_m8n8k4(") != std::string::npos);
    expect_compiles(written->text, architecture);
  }
}
