// SPDX-License-Identifier: Apache-2.0
// Emitted C under the emulation = the simulator on the same flat IR: the three kernels, and one
// generated kernel for each arithmetic row of the intrinsic table, each operator, each conversion.
#include <functional>
#include <utility>

#include "codegen/c_family/spelling.h"
#include "core/ir_text/ir_text.h"
#include "tests/codegen/flat_ir.h"
#include "tests/codegen/harness.h"
#include "tests/emulation/lint.h"
#include "tests/emulation/run_flat.h"

using namespace tilelab;
using namespace tilelab::test;

namespace {

constexpr int kCount = 128;

struct Generated {
  Func func;
  std::vector<DType> in;
  DType out;
  std::string what;
};

/// O[tid] = value(A[tid], B[tid], C[tid]) on 128 threads.
Generated generated(std::string name, std::vector<DType> in, DType out,
                    const std::function<Expr(std::vector<Expr>)>& value) {
  static const char* kNames[] = {"A", "B", "C"};
  std::vector<Stmt> params;
  std::vector<Expr> loads;
  Kernel k;
  static int number = 0;
  const std::string id = "g" + std::to_string(number++);
  for (size_t i = 0; i < in.size(); ++i) {
    params.push_back(tensor(kNames[i], in[i], {num(kCount)}));
    loads.push_back(load(kNames[i], in[i], {var("tid")}));
    k.params.push_back(kNames[i]);
  }
  params.push_back(tensor("O", out, {num(kCount)}));
  k.params.push_back("O");
  k.name = id + "_k0";
  k.grid = {num(1), num(1), num(1)};
  k.block = kCount;
  k.smem = 0;
  k.indices = {"bx", "by", "bz"};
  k.body = put("O", var("tid"), value(loads));
  return {function(id.c_str(), params, {}, {make(std::move(k))}), std::move(in), out,
          std::move(name)};
}

/// Bits of random values of a dtype, zeros, ones and edges among them.
std::vector<uint64_t> random_bits(DType dtype, uint64_t stream) {
  std::mt19937_64 random(seed() * 31 + stream);
  std::uniform_real_distribution<double> real(-4, 4);
  std::vector<uint64_t> out;
  for (int i = 0; i < kCount; ++i) {
    if (is_float(dtype)) {
      const double edges[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 0.5};
      const double x = i < 8    ? edges[i]
                       : i < 16 ? std::ldexp(real(random), i * 3 - 36)
                                : real(random);
      out.push_back(encode_float(dtype, x));
    } else {
      int64_t v = int64_t(random() % 41) - 20;
      if (i % 4 == 1) v = int64_t(random());
      if (i < 3) v = i == 0 ? min_int(dtype) : i == 1 ? max_int(dtype) : 0;
      out.push_back(uint64_t(wrap_int(dtype, v)));
    }
  }
  return out;
}

std::vector<unsigned char> packed(const std::vector<uint64_t>& values, DType dtype) {
  std::vector<unsigned char> out(values.size() * size_t(bytes(dtype)));
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(&out[i * size_t(bytes(dtype))], &values[i], size_t(bytes(dtype)));
  return out;
}

/// The same bits, or two NaNs (whose payload nothing fixes).
bool same(uint64_t a, uint64_t b, DType dtype) {
  if (a == b) return true;
  return is_float(dtype) && std::isnan(decode_float(dtype, a)) &&
         std::isnan(decode_float(dtype, b));
}

void compare(const Generated& g, musa::EmulatedFunctions& compiled, uint64_t stream) {
  std::vector<std::vector<unsigned char>> inputs;
  std::vector<sim::Argument> args;
  for (size_t i = 0; i < g.in.size(); ++i)
    inputs.push_back(packed(random_bits(g.in[i], stream * 8 + i), g.in[i]));
  for (size_t i = 0; i < g.in.size(); ++i)
    args.push_back(sim::tensor_argument(g.in[i], {kCount}, inputs[i].data()));
  const auto width = size_t(bytes(g.out));
  std::vector<unsigned char> simulated(kCount * width), emulated(kCount * width);
  args.push_back(sim::tensor_argument(g.out, {kCount}, simulated.data()));
  Func tile = g.func;  // it reads the same at every level; the simulator's tile level is the oracle
  tile.level = Level::tile;
  const sim::RunResult a = sim::run(tile, args);
  args.back().data = emulated.data();
  const sim::RunResult b = compiled.run(g.func, args);
  if (a.status != sim::RunResult::Status::finished)
    return fail(g.what.c_str(), 0, "simulator: " + a.error);
  if (b.status != sim::RunResult::Status::finished)
    return fail(g.what.c_str(), 0, "emulation: " + b.error);
  for (int i = 0; i < kCount; ++i) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, &simulated[size_t(i) * width], width);
    std::memcpy(&y, &emulated[size_t(i) * width], width);
    if (same(x, y, g.out)) continue;
    char text[200];
    uint64_t in = 0;
    std::memcpy(&in, &inputs[0][size_t(i) * size_t(bytes(g.in[0]))], size_t(bytes(g.in[0])));
    std::snprintf(text, sizeof text,
                  "element %d, first operand %llx: simulator %llx, emulation %llx", i,
                  (unsigned long long)in, (unsigned long long)x, (unsigned long long)y);
    return fail(g.what.c_str(), 0, text);
  }
}

void compare_all(const std::vector<Generated>& all, const char* target) {
  std::vector<const Func*> functions;
  for (const Generated& g : all) functions.push_back(&g.func);
  std::string log;
  auto compiled = musa::EmulatedFunctions::make(functions, *find_target(target), &log);
  if (!compiled) return fail("compile", 0, log);
  const int arch = std::string(target) == "mp_31" ? 310 : 220;
  const musa::CheckResult types = musa::type_check(compiled->text(), arch);
  if (!types.ok) fail("types", arch, types.log);
  for (size_t i = 0; i < all.size(); ++i) compare(all[i], *compiled, i);
}

}  // namespace

TEST(conformance_of_operators) {
  std::vector<Generated> all;
  const DType integers[] = {DType::i32, DType::i64, DType::u32, DType::i8, DType::u8, DType::i16};
  const DType floats[] = {DType::f32, DType::f16, DType::bf16, DType::f64};
  auto add_bin = [&](BinOp op, DType in, DType out) {
    all.push_back(generated(std::string(text(op)) + " " + name(in), {in, in}, out,
                            [op](std::vector<Expr> v) { return binary(op, v[0], v[1]); }));
  };
  for (DType d : integers) {
    for (BinOp op :
         {BinOp::add, BinOp::sub, BinOp::mul, BinOp::floordiv, BinOp::floormod, BinOp::tdiv,
          BinOp::tmod, BinOp::shl, BinOp::shr, BinOp::band, BinOp::bxor, BinOp::bor})
      add_bin(op, d, d);
    add_bin(BinOp::lt, d, DType::bool_);
  }
  for (DType d : floats) {
    for (BinOp op : {BinOp::add, BinOp::sub, BinOp::mul, BinOp::div}) add_bin(op, d, d);
    for (BinOp op : {BinOp::eq, BinOp::ne, BinOp::lt, BinOp::ge}) add_bin(op, d, DType::bool_);
  }
  compare_all(all, "mp_31");
}

TEST(conformance_of_conversions) {
  std::vector<Generated> all;
  const DType types[] = {DType::bool_,    DType::i8,       DType::u8,   DType::i32,
                         DType::u32,      DType::i64,      DType::e4m3, DType::e5m2,
                         DType::e4m3fnuz, DType::e5m2fnuz, DType::e8m0, DType::e2m1,
                         DType::f16,      DType::bf16,     DType::f32,  DType::f64};
  for (DType from : types)
    for (DType to : types) {
      if (from == to || from == DType::bool_) continue;
      all.push_back(generated(std::string(name(from)) + " to " + name(to), {from}, to,
                              [to](std::vector<Expr> v) { return cast(to, v[0]); }));
    }
  compare_all(all, "mp_31");
}

TEST(conformance_of_arithmetic_rows) {
  for (const char* target : {"mp_31", "mp_22"}) {
    std::vector<Generated> all;
    for (int i = 0; i < kIntrinsicCount; ++i) {
      const auto id = static_cast<Intrinsic>(i);
      const IntrinsicInfo& row = info(id);
      const std::string spelled = codegen::spelling(id, *find_target(target));
      const size_t operands = row.operand_count;
      bool values = operands > 0;
      for (size_t o = 0; o < operands; ++o) values &= row.operands[o].vector();
      if (!row.pure() || !values || row.scope != CollectiveScope::none || codegen::refused(spelled))
        continue;
      const bool bits_only = id == Intrinsic::popcount || id == Intrinsic::clz;
      const bool test =
          id == Intrinsic::isnan || id == Intrinsic::isinf || id == Intrinsic::isfinite;
      const bool words = id == Intrinsic::philox;
      for (DType d : {DType::f32, DType::f16, DType::i32, DType::u64}) {
        const bool ieee = std::string(row.name).rfind("ieee_", 0) == 0;
        if (bits_only != (d == DType::i32) || (ieee && d != DType::f32)) continue;
        if (words != (d == DType::u64)) continue;
        const DType out = test ? DType::bool_ : words ? DType::u32 : d;
        all.push_back(
            generated(std::string(row.name) + " " + name(d), std::vector<DType>(operands, d), out,
                      [&](std::vector<Expr> v) { return call(id, {out}, std::move(v)); }));
      }
    }
    EXPECT(all.size() > 80);
    compare_all(all, target);
  }
}

namespace {

/// Both devices on one function; the arrays that it writes must have the same bits.
void same_bits(const Func& f, const char* target, std::vector<sim::Argument> args, size_t written) {
  std::string log;
  auto compiled = musa::EmulatedFunctions::make({&f}, *find_target(target), &log);
  if (!compiled) return fail(f.name.c_str(), 0, log);
  sim::Argument& out = args[written];
  int64_t size = bytes(out.dtype);
  for (int64_t extent : out.shape) size *= extent;
  std::vector<unsigned char> simulated(size_t(size), 0xff), emulated(size_t(size), 0xff);
  out.data = simulated.data();
  const sim::RunResult a = sim::run(f, args);
  if (!a.ok()) fail(f.name.c_str(), 0, "simulator: " + a.error);
  for (uint64_t schedule : {uint64_t(0), seed()}) {
    out.data = emulated.data();
    const sim::RunResult b = compiled->run(f, args, schedule);
    if (!b.ok()) fail(f.name.c_str(), 0, "emulation: " + b.error);
    EXPECT(simulated == emulated);
  }
}

}  // namespace

/// The worked kernels of tests/ir/kernels that are flat, read from their text.
static FuncRef worked(const std::string& name) {
  const std::string text = text_of("../ir/kernels/" + name + ".py");
  Diagnostics sink;
  FuncRef f = read_ir(name, text, sink);
  for (const Diagnostic& d : sink.all()) fail(name.c_str(), int(d.span.line), d.message);
  if (f)
    for (const std::string& complaint : codegen::lint(*f, *find_target("mp_31")))
      fail(name.c_str(), 0, complaint);
  return f;
}

TEST(conformance_of_worked_kernels) {
  if (FuncRef f = worked("vector_add_flat")) {
    for (int n : {3, 3000}) {
      std::vector<float> a = random_floats(n), b = random_floats(n);
      same_bits(*f, "mp_31",
                {sim::tensor_argument(DType::f32, {n}, a.data()),
                 sim::tensor_argument(DType::f32, {n}, b.data()),
                 sim::tensor_argument(DType::f32, {n}, nullptr)},
                2);
    }
  }
  if (FuncRef f = worked("gemm_tme_flat")) {
    std::vector<uint16_t> a, b;
    for (float x : random_floats(256 * 512)) a.push_back(half_bits(x));
    for (float x : random_floats(512 * 256)) b.push_back(half_bits(x));
    same_bits(*f, "mp_31",
              {sim::tensor_argument(DType::f16, {256, 512}, a.data()),
               sim::tensor_argument(DType::f16, {512, 256}, b.data()),
               sim::tensor_argument(DType::f16, {256, 256}, nullptr)},
              2);
  }
}

TEST(conformance_of_whole_kernels) {
  for (int n : {1, 1000, 2048}) {
    std::vector<float> a = random_floats(n), b = random_floats(n);
    same_bits(flat_add(), "mp_31",
              {sim::tensor_argument(DType::f32, {n}, a.data()),
               sim::tensor_argument(DType::f32, {n}, b.data()),
               sim::tensor_argument(DType::f32, {n}, nullptr)},
              2);
  }
  std::vector<uint16_t> a, b;
  for (float x : random_floats(256 * 192)) a.push_back(half_bits(x));
  for (float x : random_floats(192 * 256)) b.push_back(half_bits(x));
  same_bits(flat_gemm(256, 256, 192), "mp_31",
            {sim::tensor_argument(DType::f16, {256, 192}, a.data()),
             sim::tensor_argument(DType::f16, {192, 256}, b.data()),
             sim::tensor_argument(DType::f16, {256, 256}, nullptr)},
            2);
}
