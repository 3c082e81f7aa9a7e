// SPDX-License-Identifier: Apache-2.0
// Flat IR -> C: the text, its types (L1), what it computes under the emulation (L2), its host side.
#include <dlfcn.h>

#include <utility>

#include "codegen/c_family/spelling.h"
#include "codegen/codegen.h"
#include "core/ir/build.h"
#include "core/ir/verify/verify.h"
#include "core/sim/sim.h"
#include "core/targets/target.h"
#include "tests/codegen/flat_ir.h"
#include "tests/codegen/harness.h"

using namespace tilelab;
using namespace tilelab::test;
using tilelab::codegen::GuardedBuffer;

static std::string rendered(const Func& func, const char* target = "mp_31",
                            codegen::RenderOptions options = {}) {
  Diagnostics sink;
  auto result = codegen::render(func, *find_target(target), options, sink);
  for (const Diagnostic& d : sink.all()) fail("render", 0, d.message);
  return result ? result->text : "";
}

TEST(render_vector_add_text) {
  EXPECT_EQ(rendered(flat_add()), std::string(R"(#include "tl_device.h"

extern "C" __global__ void __launch_bounds__(256, 1)
add_k0(const float* __restrict__ A, const float* __restrict__ B, float* C, int N) {
  const int bx = (int)blockIdx.x;
  const int tid = (int)threadIdx.x;
  const int i = bx * 1024 + tid * 4;
  if (i + 4 <= N) {
    tl_st(C + i, tl_ld<tl_f32x4>(A + i) + tl_ld<tl_f32x4>(B + i));
  } else {
    #pragma unroll
    for (int v = 0; v < 4; ++v) {
      if (i + v < N) {
        C[i + v] = A[i + v] + B[i + v];
      }
    }
  }
}
)"));
}

TEST(render_gemm_text_shows_descriptors) {
  const std::string text = rendered(flat_gemm(1024, 1024, 1024));
  EXPECT(text.find("tl_sqmma<tl_f16, 128, 64, 64, 0, 1>(C_l, 0x340000 + slot * 16384,\n"
                   "          0x54C000 + slot * 16384 + sq * 8192);\n") != std::string::npos);
  EXPECT(text.find("tl_tma_load<32>(smem + 49152 + slot * 16384, B_map, tl_i2(bx * 128, k * 64), "
                   "tl_i2(64, 64),\n            1 + slot);\n") != std::string::npos);
  EXPECT(text.find("tl_block_sync_full();") != std::string::npos);
  EXPECT(text.find("commit") == std::string::npos);  // MUSA has nothing to say there
}

TEST(render_type_checks) {
  for (int arch : {220, 310}) {
    for (const Func& f : {flat_add(), flat_softmax()}) {
      const auto result = musa::type_check(rendered(f, arch == 310 ? "mp_31" : "mp_22"), arch);
      if (!result.ok) fail(f.name.c_str(), arch, result.log);
    }
  }
  const auto gemm = musa::type_check(rendered(flat_gemm(256, 256, 128)), 310);
  if (!gemm.ok) fail("gemm", 310, gemm.log);
}

TEST(render_add_runs) {
  auto module = compiled(rendered(flat_add()), 310);
  if (!module) return;
  for (int n : {1, 1023, 3000, 4096}) {
    const std::vector<float> a = random_floats(n), b = random_floats(n);
    GuardedBuffer A = buffer_of(a), B = buffer_of(b), C(n * 4);
    void *pa = A.data(), *pb = B.data(), *pc = C.data();
    const auto report = module->launch("add_k0", {unsigned(n + 1023) / 1024, 1, 1}, {256, 1, 1},
                                       {&pa, &pb, &pc, &n}, {});
    EXPECT_EQ(report.fault, std::string());
    for (int i = 0; i < n; ++i) EXPECT_EQ(C.as<float>()[i], a[i] + b[i]);
  }
}

TEST(render_softmax_runs) {
  auto module = compiled(rendered(flat_softmax()), 310);
  if (!module) return;
  for (int rows : {1, 2, 7}) {
    const std::vector<float> x = random_floats(rows * 512, -6, 6);
    GuardedBuffer X = buffer_of(x), Y(x.size() * 4);
    void *px = X.data(), *py = Y.data();
    emu::LaunchOptions options;
    options.smem = 64;
    const auto report = module->launch("softmax_k0", {unsigned(rows + 1) / 2, 1, 1}, {128, 1, 1},
                                       {&px, &py, &rows}, options);
    EXPECT_EQ(report.fault, std::string());
    for (int i = 0; i < rows; ++i) {
      double largest = -1e30, sum = 0;
      for (int j = 0; j < 512; ++j) largest = std::max<double>(largest, x[i * 512 + j]);
      for (int j = 0; j < 512; ++j) sum += std::exp(x[i * 512 + j] - largest);
      for (int j = 0; j < 512; ++j) {
        const double want = std::exp(x[i * 512 + j] - largest) / sum;
        EXPECT(std::fabs(Y.as<float>()[i * 512 + j] - want) <= 2e-6 * want + 1e-12);
      }
    }
  }
}

// The host section and the kernel together: tensor maps, checks, grid; through the emulation.
namespace {

musa::EmulatedModule* host_module = nullptr;
emu::LaunchReport host_report;

const char* run_launch(const char* kernel, tl_emu_dim grid, tl_emu_dim block, unsigned smem,
                       void** args) {
  emu::LaunchOptions options;
  options.smem = smem;
  host_report =
      host_module->launch(kernel, grid, block, std::vector<void*>(args, args + 8), options);
  return host_report.ok ? nullptr : host_report.fault.c_str();
}

struct HostTensor {
  void* data;
  unsigned char code, width;
  int rank;
  long long shape[8], strides[8];
};

}  // namespace

TEST(render_gemm_runs_through_its_host_section) {
  codegen::RenderOptions options;
  options.host = true;
  auto module = compiled(rendered(flat_gemm(256, 256, 320), "mp_31", options), 310);
  if (!module) return;
  host_module = module.get();
  auto* hook = static_cast<const char* (**)(const char*, tl_emu_dim, tl_emu_dim, unsigned, void**)>(
      module->symbol("tl_emu_launch_hook"));
  using Host = const char* (*)(const HostTensor*, const HostTensor*, const HostTensor*, void*);
  auto matmul = reinterpret_cast<Host>(module->symbol("matmul_host"));
  EXPECT(hook && matmul);
  if (!hook || !matmul) return;
  *hook = run_launch;
  std::vector<uint16_t> a, b;
  for (float x : random_floats(256 * 320)) a.push_back(half_bits(x));
  for (float x : random_floats(320 * 256)) b.push_back(half_bits(x));
  GuardedBuffer A = buffer_of(a), B = buffer_of(b), C(256 * 256 * 2);
  const HostTensor ta{A.data(), 2, 16, 2, {256, 320}, {320, 1}},
      tb{B.data(), 2, 16, 2, {320, 256}, {256, 1}}, tc{C.data(), 2, 16, 2, {256, 256}, {256, 1}};
  const char* error = matmul(&ta, &tb, &tc, nullptr);
  EXPECT_EQ(std::string(error ? error : ""), std::string());
  for (int i = 0; i < 256; i += 5)
    for (int j = 0; j < 256; j += 3) {
      double want = 0, bound = 0;
      for (int k = 0; k < 320; ++k) {
        const double p = double(half_value(a[i * 320 + k])) * half_value(b[k * 256 + j]);
        want += p;
        bound += std::fabs(p);
      }
      const double got = half_value(C.as<uint16_t>()[i * 256 + j]);
      EXPECT(std::fabs(got - want) <= 2 * 4.9e-4 * std::fabs(want) + 4 * 320 * 6e-8 * bound);
    }
  HostTensor wrong = tb;
  wrong.shape[0] = 321;
  error = matmul(&ta, &wrong, &tc, nullptr);
  EXPECT_EQ(std::string(error ? error : ""), std::string("B: dimension 0 is 321, expected 320"));
}

TEST(render_refuses_by_name) {
  Diagnostics sink;
  EXPECT(!codegen::render(flat_gemm(256, 256, 128), *find_target("mp_22"), {}, sink));
  EXPECT_EQ(sink.errors(), 1);
  EXPECT_EQ(sink.all()[0].message, std::string("`bar_reserve` is not supported for mp_22: it has "
                                               "no asynchronous barriers"));
}

TEST(every_intrinsic_is_spelled_or_refused_with_a_reason) {
  for (const char* name : {"mp_31", "mp_22", "sm_80", "sm_90a"}) {
    const Target& target = *find_target(name);
    for (int i = 0; i < kIntrinsicCount; ++i) {
      const auto id = static_cast<Intrinsic>(i);
      const std::string text = codegen::spelling(id, target);
      if (codegen::refused(text)) EXPECT(text.size() > 5);
      EXPECT(target.has(info(id).needs) || codegen::refused(text));
    }
  }
}

/// One kernel around a list of statements, with scalars i, j, f, h, n in memory.
static Func around(std::vector<Stmt> body) {
  Kernel k;
  k.name = "k0";
  k.grid = {num(1), num(1), num(1)};
  k.block = 32;
  k.smem = 0;
  k.indices = {"bx", "by", "bz"};
  k.params = {"I", "F", "H", "B", "O"};
  k.body = seq(std::move(body));
  return function("f",
                  {tensor("I", DType::i32, {num(64)}), tensor("F", DType::f32, {num(64)}),
                   tensor("H", DType::f16, {num(64)}), tensor("B", DType::i8, {num(64)}),
                   tensor("O", DType::i32, {num(64)})},
                  {}, {make(std::move(k))});
}

/// Verifier, simulator and code generators refuse the same operations, each by name.
TEST(what_a_target_lacks_is_refused_everywhere) {
  for (const Target& target : all_targets()) {
    for (int i = 0; i < kIntrinsicCount; ++i) {
      const auto id = static_cast<Intrinsic>(i);
      if (target.has(info(id).needs)) continue;
      Func f = around({do_call(id, {})});
      f.target = target.name;
      const std::string quoted = "`" + std::string(name(id)) + "`";
      Diagnostics broken;
      bool reported = false;
      verify(f, limits_of(f), broken);
      for (const Diagnostic& each : broken.all())
        reported |= each.id == Diag::target_lacks && each.message.find(quoted) == 0;
      EXPECT(reported);
      EXPECT(sim::run(f, {}).error.find(quoted) == 0);
      const char* spelled = codegen::spelling(id, target);
      EXPECT(!spelled || codegen::refused(spelled));
    }
  }
}

static std::string line_of(const Expr& value) {
  std::string text = rendered(around({put("O", num(0), value)}));
  const size_t at = text.find("O[0] = ");
  if (at == std::string::npos) return text;
  return text.substr(at + 7, text.find(";\n", at) - at - 7);
}

TEST(render_expressions) {
  const Expr i = load("I", DType::i32, {num(0)}), j = load("I", DType::i32, {num(1)});
  const Expr f = load("F", DType::f32, {num(0)}), h = load("H", DType::f16, {num(0)});
  const Expr b = load("B", DType::i8, {num(0)});
  auto bin = [](BinOp op, Expr x, Expr y) { return binary(op, std::move(x), std::move(y)); };
  EXPECT_EQ(line_of(i + (j - i)), std::string("I[0] + I[1] - I[0]"));
  EXPECT_EQ(line_of(i - (j - i)), std::string("I[0] - (I[1] - I[0])"));
  EXPECT_EQ(line_of(f + (f + f)), std::string("F[0] + (F[0] + F[0])"));
  EXPECT_EQ(line_of((i + j) * num(3)), std::string("(I[0] + I[1]) * 3"));
  EXPECT_EQ(line_of(b + b), std::string("(tl_i8)(B[0] + B[0])"));
  EXPECT_EQ(line_of(bin(BinOp::tdiv, i, num(8))), std::string("I[0] / 8"));
  EXPECT_EQ(line_of(bin(BinOp::tdiv, i, j)), std::string("tl_tdiv(I[0], I[1])"));
  EXPECT_EQ(line_of(bin(BinOp::floordiv, i, num(8))), std::string("I[0] >> 3"));
  EXPECT_EQ(line_of(bin(BinOp::floormod, i + j, num(8))), std::string("(I[0] + I[1]) & 7"));
  EXPECT_EQ(line_of(bin(BinOp::floordiv, i, num(6))), std::string("tl_floordiv(I[0], 6)"));
  EXPECT_EQ(line_of(bin(BinOp::shl, i, num(3)) + j), std::string("(I[0] << 3) + I[1]"));
  EXPECT_EQ(line_of(bin(BinOp::shl, i + j, num(3))), std::string("(I[0] + I[1]) << 3"));
  EXPECT_EQ(line_of(bin(BinOp::shr, i, j)), std::string("tl_shr(I[0], I[1])"));
  EXPECT_EQ(line_of(bin(BinOp::band, i, j + num(1))), std::string("I[0] & (I[1] + 1)"));
  const Expr less = lt(i, j), more = lt(j, i);
  EXPECT_EQ(line_of(bin(BinOp::lor, bin(BinOp::land, less, more), less)),
            std::string("(I[0] < I[1] && I[1] < I[0]) || I[0] < I[1]"));
  EXPECT_EQ(line_of(unary(UnOp::neg, unary(UnOp::neg, i))), std::string("-(-I[0])"));
  EXPECT_EQ(line_of(select(less, i, select(more, j, num(-1)))),
            std::string("I[0] < I[1] ? I[0] : I[1] < I[0] ? I[1] : -1"));
  EXPECT_EQ(line_of(cast(DType::i32, f)), std::string("tl_cast<int>(F[0])"));
  EXPECT_EQ(line_of(cast(DType::f32, h)), std::string("(float)H[0]"));
  EXPECT_EQ(line_of(cast(DType::f16, f + f)), std::string("tl_f16(F[0] + F[0])"));
  EXPECT_EQ(line_of(cast(DType::bf16, h)), std::string("tl_bf16((float)H[0])"));
  EXPECT_EQ(line_of(h * number(0.5, DType::f16)), std::string("H[0] * tl_f16(0.5f)"));
  EXPECT_EQ(line_of(f * float_const(-0.1)), std::string("F[0] * -0.1f"));
  EXPECT_EQ(line_of(i + int_const(INT32_MIN)), std::string("I[0] + (-2147483647 - 1)"));
  EXPECT_EQ(line_of(cast(DType::i64, i) * int_const(int64_t(1) << 40, DType::i64)),
            std::string("(tl_i64)I[0] * 1099511627776ll"));
  EXPECT_EQ(line_of(constant({DType::f32}, 0x7fc00001)), std::string("tl_float(0x7fc00001u)"));
  EXPECT_EQ(line_of(constant({DType::f64}, 0xfff8000000000001)),
            std::string("tl_bitcast<double>(0xfff8000000000001ull)"));
}

TEST(render_statements) {
  For down = *as<For>(for_loop("v", num(9), num(0), put("O", var("v"), num(1))));
  down.step = num(-3);
  For odd = *as<For>(for_loop("v", num(0), num(0), put("O", var("v"), num(1)), LoopMode::unroll));
  odd.steps = {1, 5, 6};
  While loop;
  loop.cond = lt(var("double"), num(3));
  loop.body = seq({assign("double", var("double") + num(2)), make(Break())});
  const std::string text = rendered(around(
      {variable("double", 0), make(std::move(loop)), make(std::move(down)), make(std::move(odd)),
       let("unused", num(4)), let("x", num(5) + load("I", DType::i32, {num(0)})),
       if_then(lt(var("x"), num(1)), seq({let("x", var("x") + num(1)), put("O", num(2), var("x"))}),
               if_then(lt(var("x"), num(2)), assign("double", num(7))))}));
  const size_t at = text.find("  int double_");
  EXPECT_EQ(text.substr(at == std::string::npos ? 0 : at), std::string(R"(  int double_ = 0;
  while (double_ < 3) {
    double_ += 2;
    break;
  }
  for (int v = 9; v > 0; v -= 3) {
    O[v] = 1;
  }
  {
    const int v = 1;
    O[v] = 1;
  }
  {
    const int v = 5;
    O[v] = 1;
  }
  {
    const int v = 6;
    O[v] = 1;
  }
  const int x = 5 + I[0];
  if (x < 1) {
    const int x_1 = x + 1;
    O[2] = x_1;
  } else if (x < 2) {
    double_ = 7;
  }
}
)"));
}

TEST(render_bounds_that_change_are_read_once) {
  const std::string text = rendered(
      around({variable("n", 4),
              for_loop("i", num(0), var("n"),
                       seq({assign("n", var("n") - num(1)), put("O", var("i"), var("n"))}))}));
  EXPECT(text.find("for (int i = 0, i_end = n; i < i_end; ++i) {") != std::string::npos);
}

TEST(render_records_and_locations) {
  const FileId cell = add_source("cell 3", "a\nb\nc\n");
  Record print;
  print.message = "x";
  print.values = {load("F", DType::f32, {var("tid")})};
  print.index = {var("tid")};
  print.span = {cell, 2, 1, 2, 9};
  Record check;
  check.what = RecordKind::device_assert;
  check.values = {lt(load("I", DType::i32, {num(0)}), num(3))};
  Diagnostics sink;
  auto result = codegen::render(around({make(std::move(print)), make(std::move(check))}),
                                *find_target("mp_31"), {}, sink);
  EXPECT(result.has_value());
  if (!result) return;
  EXPECT(result->text.find("tl_record(events, 0, 0, F[tid], tid);  // cell 3:2\n") !=
         std::string::npos);
  EXPECT(result->text.find("if (!(I[0] < 3)) {\n    tl_record(events, 1, 1);\n") !=
         std::string::npos);
  EXPECT(result->kernels[0].records);
  EXPECT_EQ(result->kernels[0].sites.size(), size_t(2));
  EXPECT_EQ(result->kernels[0].sites[0].index_count, 1);
  const auto types = musa::type_check(result->text, 220);
  if (!types.ok) fail("records", 220, types.log);
}

TEST(render_cuda_compiles) {
  const bool compiles = has_nvcc();
  codegen::ScratchDirectory scratch;
  codegen::RenderOptions options;
  options.host = true;
  for (const char* target : {"sm_80", "sm_90a"})
    for (const Func& f : {flat_add(), flat_softmax()}) {
      const std::string source = scratch.write("k.cu", rendered(f, target, options));
      if (!compiles) continue;
      std::string log;
      const int status = codegen::run_program(
          {"nvcc", "-x", "cu", "-std=c++17", "-arch", target, "-fmad=false",
           "-I" + codegen::device_directory(), "-c", source, "-o", scratch.path() + "/k.o"},
          &log);
      if (status != 0) fail(f.name.c_str(), status, log);
    }
}
