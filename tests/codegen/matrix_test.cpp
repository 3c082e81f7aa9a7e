// SPDX-License-Identifier: Apache-2.0
// One kernel for each row of the table of matrix instructions: its operands stored as the table
// says, lowered by the passes. Tile level, thread level, flat level and, for MUSA, the emitted C
// under the emulation give the same bits.
#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "codegen/codegen.h"
#include "core/diagnostics/render.h"
#include "core/ir/text/print.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/layout/fragments.h"
#include "core/passes/pass.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "tests/codegen/harness.h"
#include "tests/emulation/lint.h"
#include "tests/emulation/run_flat.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

struct Product {
  const char *row, *target;
  int64_t m, n, k;  // of the block
  MatrixShape inst;
  int64_t warps_m, warps_n;
  bool trans_a = false, trans_b = false;
};

std::string digits_text(const Layout& layout) {
  std::string out;
  for (const Digits& dim : layout.dims) {
    std::string items;
    for (const Digit& d : dim)
      items += (items.empty() ? "" : ", ") + std::string("a(") + std::to_string(d.extent) + ", " +
               std::to_string(d.stride) + ")";
    out += (out.empty() ? "[" : ", [") + items + "]";
  }
  return "[" + out + "]";
}

/// An operand [mn, k] (or [k, mn]) as its instruction wants it.
std::string shared_text(const Product& c, const char* name, MatrixOperand operand, int64_t mn) {
  const bool k_first = !k_major(operand);
  const int64_t rows = k_first ? c.k : mn, cols = k_first ? mn : c.k;
  const auto stored = operand_in_shared(*find_matrix(c.row), operand, rows, cols, 16, c.inst);
  CHECK(stored, name);
  const Swizzle s = stored->swizzle;
  std::string out = "        " + std::string(name) + " = shared(f16, [" + std::to_string(rows) +
                    ", " + std::to_string(cols) + "], lay=" + digits_text(stored->layout);
  if (s.known())
    out += ", swz=(" + std::to_string(s.granule) + ", " + std::to_string(s.line) + ", " +
           std::to_string(s.mask) + ")";
  return out + ")\n";
}

std::string kernel_text(const Product& c) {
  const auto a = c.trans_a ? MatrixOperand::a_mn : MatrixOperand::a;
  const auto b = c.trans_b ? MatrixOperand::b : MatrixOperand::b_mn;  // trans_b: stored [n, k]
  auto shape = [](bool swapped, int64_t x, int64_t y) {
    return "[" + std::to_string(swapped ? y : x) + ", " + std::to_string(swapped ? x : y) + "]";
  };
  const MatrixInstruction& row = *find_matrix(c.row);
  const int64_t threads = c.warps_m * c.warps_n * find_target(c.target)->lanes;
  std::string out =
      "ir(1, level=\"tile\", target=\"" + std::string(c.target) +
      "\", after=\"select_instructions\")\ndef product(A: tensor(f16, " +
      shape(c.trans_a, c.m, c.k) + "), B: tensor(f16, " + shape(c.trans_b, c.k, c.n) +
      "), C: tensor(f32, " + shape(false, c.m, c.n) +
      ")):\n    check_tensor(A)\n    check_tensor(B)\n" +
      "    check_tensor(C, write=True)\n    with kernel(\"product_k0\", grid=[1, 1, " +
      "1], block=" + std::to_string(threads) + ") as (bx, by, bz):\n";
  out += shared_text(c, "A_s", a, c.m) + shared_text(c, "B_s", b, c.n);
  out += "        C_l = fragment(f32, " + shape(false, c.m, c.n) + ")\n";
  out += "        copy(A[0:" + std::to_string(c.trans_a ? c.k : c.m) + "], A_s, by=\"simt\")\n";
  out += "        copy(B[0:" + std::to_string(c.trans_b ? c.n : c.k) + "], B_s, by=\"simt\")\n";
  if (row.intrinsic == "wgmma") out += "        fence_proxy()\n        block_sync()\n";
  out += "        fill(C_l, 0.5)\n";
  out += "        gemm(A_s, B_s, C_l, tA=" + std::string(c.trans_a ? "True" : "False") +
         ", tB=" + (c.trans_b ? "True" : "False") + ", clear=False, by=\"" + c.row + "\", inst=[" +
         std::to_string(c.inst.m) + ", " + std::to_string(c.inst.n) + ", " +
         std::to_string(c.inst.k) + "], warps=[" + std::to_string(c.warps_m) + ", " +
         std::to_string(c.warps_n) + "])\n";
  out += "        copy(C_l, C[0:" + std::to_string(c.m) + "], by=\"simt\")\n";
  return out;
}

std::string name_of(const Product& c) {
  return std::string(c.row) + " " + to_text(c.inst) + (c.trans_a ? " tA" : "") +
         (c.trans_b ? " tB" : "") + " on " + c.target;
}

/// For tests/gpu/run.py, which runs them on a GPU.
void keep_text(std::string name, const std::string& text) {
  const char* folder = std::getenv("TILELAB_KEEP_TEXTS");
  if (!folder) return;
  std::replace(name.begin(), name.end(), ' ', '_');
  std::ofstream(std::string(folder) + "/product_" + name + ".tile") << text;
}

void expect_one_meaning(const Product& c) {
  const std::string what = name_of(c), text = kernel_text(c);
  keep_text(what, text);
  Diagnostics sink;
  const FuncRef tile = read_ir("product", text, sink);
  const PipelineResult result = tile ? run_passes(tile, sink) : PipelineResult{};
  if (!result.ok) return fail(what.c_str(), 0, render(sink).plain() + text);
  std::vector<uint16_t> a, b;
  for (float x : random_floats(size_t(c.m * c.k))) a.push_back(half_bits(x));
  for (float x : random_floats(size_t(c.k * c.n))) b.push_back(half_bits(x));
  const std::vector<int64_t> as = c.trans_a ? std::vector{c.k, c.m} : std::vector{c.m, c.k};
  const std::vector<int64_t> bs = c.trans_b ? std::vector{c.n, c.k} : std::vector{c.k, c.n};
  auto run = [&](auto&& device) {
    std::vector<float> out(size_t(c.m * c.n), NAN);
    const sim::RunResult r = device({sim::tensor_argument(DType::f16, as, a.data()),
                                     sim::tensor_argument(DType::f16, bs, b.data()),
                                     sim::tensor_argument(DType::f32, {c.m, c.n}, out.data())});
    if (!r.ok()) fail(what.c_str(), 0, "does not run cleanly: " + r.error);
    for (const sim::Finding& f : r.findings)
      fail(what.c_str(), 0,
           std::string(sim::finding_name(f.kind)) + " " + f.buffer + " " + f.detail);
    return out;
  };
  auto simulated = [&](const FuncRef& f) {
    return run([&](std::vector<sim::Argument> args) {
      sim::RunOptions options;
      options.watch = sim::Watch::all();
      return sim::run(*f, args, options);
    });
  };
  const std::vector<float> want = simulated(tile);
  for (const char* pass : {"lower_tile_ops", "flatten", "simplify"})
    if (simulated(result.after(pass)->func) != want)
      fail(what.c_str(), 0, std::string("after ") + pass);
  const Target& target = *find_target(c.target);
  for (const std::string& complaint : codegen::lint(*result.func(), target))
    fail(what.c_str(), 0, complaint);
  const auto c_text = codegen::render(*result.func(), target, {.host = true}, sink);
  if (!c_text) return fail(what.c_str(), 0, render(sink).plain());
  if (target.family != Family::musa) return;
  std::string log;
  const auto emulated = musa::EmulatedFunctions::make({result.func().get()}, target, &log);
  if (!emulated) return fail(what.c_str(), 0, log);
  const auto got = run(
      [&](std::vector<sim::Argument> args) { return emulated->run(*result.func(), args, seed()); });
  if (got != want) fail(what.c_str(), 0, "under the emulation");
}

}  // namespace

TEST(matrix_mma_has_one_meaning) {
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      expect_one_meaning({"mma", "sm_80", 64, 64, 32, {16, 8, 16}, 2, 2, ta, tb});
      expect_one_meaning({"mma", "sm_90a", 32, 128, 64, {16, 8, 16}, 1, 4, ta, tb});
    }
}

TEST(matrix_wgmma_has_one_meaning) {
  for (bool ta : {false, true})
    for (bool tb : {false, true})
      expect_one_meaning({"wgmma", "sm_90a", 128, 128, 64, {64, 64, 16}, 4, 2, ta, tb});
  expect_one_meaning({"wgmma", "sm_90a", 128, 32, 32, {64, 32, 16}, 8, 1, false, true});
  expect_one_meaning({"wgmma", "sm_90a", 64, 256, 16, {64, 256, 16}, 4, 1, false, false});
}

TEST(matrix_sqmma_has_one_meaning) {
  for (bool ta : {false, true})
    for (bool tb : {false, true})
      expect_one_meaning({"sqmma", "mp_31", 128, 128, 64, {128, 64, 64}, 4, 2, ta, tb});
  expect_one_meaning({"sqmma", "mp_31", 64, 64, 64, {32, 32, 32}, 4, 1, false, true});
  expect_one_meaning({"sqmma", "mp_31", 32, 64, 32, {16, 64, 16}, 4, 1, false, false});
}

TEST(matrix_instructions_of_one_musa_warp_have_one_meaning) {
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      expect_one_meaning({"wmma", "mp_31", 64, 32, 32, {16, 16, 16}, 2, 2, ta, tb});
      expect_one_meaning({"mma_mp22", "mp_22", 64, 64, 32, {32, 32, 16}, 1, 2, ta, tb});
    }
}

/// Every row that multiplies f16 is above; dmma is in tests/kernels/units.py.
TEST(matrix_rows_are_all_here) {
  const std::string_view here[] = {"mma", "wgmma", "sqmma", "wmma", "mma_mp22"};
  for (const MatrixInstruction& row : matrix_instructions())
    EXPECT(!row.supports("f16") || std::count(std::begin(here), std::end(here), row.name) == 1);
}
