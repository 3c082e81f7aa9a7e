// SPDX-License-Identifier: Apache-2.0
// Kernels in TileLang's syntax give the IR next to them.
#include "core/elaborate/builtins/builtins.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "tests/unit/fake_host.h"
#include "tests/unit/test.h"

using namespace tilelab;
using elaborate::Request;
using test::elaborate_text;
using test::Elaborated;
using test::FakeHost;

namespace {

Elaborated run(const std::string& text, Request request = {}) {
  FakeHost host;
  return elaborate_text(text, host, std::move(request));
}

/// The body of the only kernel; reports what went wrong.
std::vector<Stmt> kernel_body(const Elaborated& made) {
  EXPECT_EQ(made.complaints(), std::string());
  if (!made.result.func) return {};
  for (const Stmt& stmt : to<Seq>(made.result.func->body).stmts)
    if (const Kernel* kernel = as<Kernel>(stmt)) return to<Seq>(kernel->body).stmts;
  return {};
}

std::vector<Stmt> kernel_of(const std::string& lines) {
  std::string text =
      "def main(A: T.Tensor((64, 32), \"float16\"), B: T.Tensor((64, 32), \"float32\"), n: "
      "T.int32):\n"
      "    with T.Kernel(4, threads=64) as bx:\n";
  size_t at = 0;
  while (at < lines.size()) {
    size_t end = lines.find('\n', at);
    if (end == std::string::npos) end = lines.size();
    text += "        " + lines.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return kernel_body(run(text));
}

}  // namespace

TEST(elaborates_vector_add_of_a_prim_func) {
  Elaborated made = run(R"(
def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
    with T.Kernel(T.ceildiv(N, 1024), threads=256) as bx:
        for i in T.Parallel(1024):
            C[bx * 1024 + i] = A[bx * 1024 + i] + B[bx * 1024 + i]
)");
  EXPECT(made.messages().find("`N` is not defined") != std::string::npos);
  FakeHost host;
  host.globals["N"] = Expr(name_ref("N"));
  made = elaborate_text(R"(
def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")):
    with T.Kernel(T.ceildiv(N, 1024), threads=256) as bx:
        for i in T.Parallel(1024):
            C[bx * 1024 + i] = A[bx * 1024 + i] + B[bx * 1024 + i]
)",
                        host);
  EXPECT_EQ(made.messages(), std::string());
  CHECK(made.result.func);
  const Func& func = *made.result.func;
  EXPECT_EQ(func.params.size(), size_t{3});
  EXPECT_EQ(func.dims.size(), size_t{1});
  const auto& host_section = to<Seq>(func.body).stmts;
  EXPECT_EQ(host_section.size(), size_t{5});  // bind, three checks, the kernel
  EXPECT_EQ(to<Bind>(host_section[0]).buffer.str(), std::string("A"));
  EXPECT(!to<CheckTensor>(host_section[1]).write && to<CheckTensor>(host_section[3]).write);
  const Kernel& kernel = to<Kernel>(host_section[4]);
  EXPECT_EQ(kernel.name.str(), std::string("main_k0"));
  EXPECT_EQ(kernel.block, int64_t{256});
  EXPECT_EQ(kernel.grid.size(), size_t{3});
  Expr n = name_ref("N"), bx = name_ref("bx"), i = name_ref("i");
  EXPECT(equal(kernel.grid[0], call(Intrinsic::ceildiv, {DType::i32}, {n, int_const(1024)})));
  Expr at = add(mul(bx, int_const(1024)), i);
  Parallel loop;
  loop.vars = {"i"};
  loop.extents = {int_const(1024)};
  loop.body =
      seq({store("C", {point(at)}, add(load("A", DType::f32, {at}), load("B", DType::f32, {at})))});
  EXPECT(equal(to<Seq>(kernel.body).stmts.at(0), Stmt(make(std::move(loop)))));
}

TEST(elaborates_eager_vector_add_in_two_steps) {
  const char* text = R"(
def add(A, B, block=64, dtype=T.float16):
    N = T.const("N")
    A: T.Tensor((N,), dtype)
    B: T.Tensor((N,), dtype)
    C = T.empty((N,), dtype)
    if N > 100:
        block = block * 2
    with T.Kernel(N // block) as bx:
        T.copy(A[bx * block : (bx + 1) * block], C[bx * block])
    return C
)";
  Request request;
  request.arguments["block"] = 64;
  request.arguments["dtype"] = elaborate::DTypeValue{"float16", DType::f16};
  request.signature_only = true;
  Elaborated first = run(text, request);
  EXPECT_EQ(first.messages(), std::string());
  CHECK(first.result.func);
  EXPECT_EQ(first.result.constants.size(), size_t{1});
  EXPECT_EQ(first.result.runtime.size(), size_t{2});
  EXPECT_EQ(first.result.func->params.size(), size_t{3});
  EXPECT(equal(to<Buffer>(to<Param>(first.result.func->params[0]).tensor).shape[0],
               Expr(name_ref("N"))));
  request.signature_only = false;
  request.constants["N"] = 1024;
  Elaborated second = run(text, request);
  EXPECT_EQ(second.messages(), std::string());
  CHECK(second.result.func);
  EXPECT_EQ(second.result.func->outputs, std::vector<int64_t>{2});
  const auto& stmts = to<Seq>(second.result.func->body).stmts;
  const Kernel& kernel = to<Kernel>(stmts.back());
  EXPECT(is_int(kernel.grid[0], 8));
  EXPECT_EQ(kernel.block, int64_t{128});
  const Copy& copy = to<Copy>(to<Seq>(kernel.body).stmts.at(0));
  EXPECT_EQ(to<Region>(copy.src).dims[0].extent, int64_t{128});
  EXPECT_EQ(to<Region>(copy.dst).dims[0].extent, int64_t{128});
}

TEST(promotion_follows_the_language) {
  auto body = kernel_of(
      "i = bx + 1\nh = A[i, 0]\nf = B[i, 0]\na = h * 0.5\nb = h * f\nc = i * h\nd = i * 0.5\n"
      "e = T.if_then_else(h > 0, 1, 0) * h\ng = (bx // 2) % 3 == n\n"
      "u = T.cast(i, \"uint8\") & 0x0F\nw = T.cast(i, \"uint8\") + 256\nk = T.exp2(i)");
  std::map<std::string, DType> types;
  for (const Stmt& stmt : body)
    if (const Let* let = as<Let>(stmt)) types[let->name.str()] = let->value->type.dtype;
  EXPECT(types["i"] == DType::i32 && types["h"] == DType::f16 && types["f"] == DType::f32);
  EXPECT(types["a"] == DType::f32 && types["b"] == DType::f32 && types["c"] == DType::f16);
  EXPECT(types["d"] == DType::f32 && types["e"] == DType::f16 && types["g"] == DType::bool_);
  EXPECT(types["u"] == DType::u8 && types["w"] == DType::i32 && types["k"] == DType::f32);
}

TEST(stores_convert_and_variables_are_stored_to) {
  auto body = kernel_of(
      "x = T.alloc_var(\"int32\", init=3)\ny = T.alloc_var(\"int32\")\nx = x + 1\nx, y = y, x\nx "
      "+= 2\n"
      "A[0, -1] = B[1, 2]");
  // var x, var y, x = x + 1, two lets that hold the old values, two assignments, x += 2, the store
  CHECK(body.size() == 9);
  EXPECT(is_int(to<Var>(body[0]).init, 3));
  EXPECT_EQ(to<Assign>(body[2]).name.str(), std::string("x"));
  EXPECT(as<Let>(body[3]) && as<Let>(body[4]));
  EXPECT_EQ(to<Assign>(body[5]).name.str(), std::string("x"));
  EXPECT(equal(to<Assign>(body[5]).value, Expr(name_ref(to<Let>(body[3]).name))));
  const Store& store = to<Store>(body[8]);
  EXPECT(is_int(store.dims[1].lo, 31));
  EXPECT(as<Cast>(store.value) && store.value->type.dtype == DType::f16);
}

TEST(static_control_flow_is_decided_now) {
  auto body = kernel_of(
      "bufs = [T.alloc_shared((4, 8), \"float16\") for i in range(3)]\n"
      "for k in [1, 2, 3]:\n    if k == 2:\n        continue\n    T.fill(bufs[k - 1], k)\n"
      "if True and n is not None:\n    T.clear(bufs[1])\nelse:\n    T.no_such_thing()");
  CHECK(body.size() == 6);
  EXPECT_EQ(to<Buffer>(body[1]).name.str(), std::string("bufs_1"));
  EXPECT_EQ(to<Region>(to<Fill>(body[3]).dst).buffer.str(), std::string("bufs"));
  EXPECT_EQ(to<Region>(to<Fill>(body[4]).dst).buffer.str(), std::string("bufs_2"));
  EXPECT_EQ(to<Region>(to<Fill>(body[5]).dst).buffer.str(), std::string("bufs_1"));
}

TEST(loops_take_their_form) {
  auto body = kernel_of(
      "for i in range(8):\n    B[i, 0] = 0\n"
      "for i in T.serial(8, 0, -2):\n    B[i, 0] = 0\n"
      "for i, j in T.grid(2, 3):\n    B[i, j] = 0\n"
      "for k in T.Pipelined(n, num_stages=3):\n    T.sync_threads()\n"
      "for i in T.Parallel(8):\n    for j in T.Parallel(4):\n        B[i, j] = 0\n"
      "for i in T.serial(n):\n    if i > 3:\n        continue\n    B[i, 0] = 1\n    break\n"
      "for i in T.unroll(4):\n    B[i, 0] = 0");
  CHECK(body.size() == 7);
  EXPECT(is_int(to<For>(body[0]).hi, 8));
  const For& down = to<For>(body[1]);
  EXPECT(is_int(down.hi, 4) && is_int(down.step, 1));
  const Store& store = to<Store>(to<Seq>(down.body).stmts[0]);
  EXPECT(equal(store.dims[0].lo, sub(int_const(8), mul(name_ref("i"), int_const(2)))));
  EXPECT(as<For>(to<Seq>(to<For>(body[2]).body).stmts[0]));
  EXPECT_EQ(to<For>(body[3]).stages, int64_t{3});
  EXPECT_EQ(to<Parallel>(body[4]).vars.size(), size_t{2});
  const If& branch = to<If>(to<Seq>(to<For>(body[5]).body).stmts[0]);
  EXPECT_EQ(to<Seq>(branch.then_).stmts.size(), size_t{0});
  EXPECT(as<Break>(to<Seq>(branch.else_).stmts[1]));
  EXPECT(to<For>(body[6]).mode == LoopMode::unroll);
}

TEST(copy_operands_determine_their_extents) {
  auto body = kernel_of(
      "S = T.alloc_shared((16, 32), \"float16\")\nR = T.alloc_fragment(32, \"float16\")\n"
      "T.copy(A[bx * 16, 0], S)\nT.copy(S, A[bx * 16 : bx * 16 + 16, :])\n"
      "T.copy(A[bx, 0], R)\nT.copy(A[bx, 0:32], R)\n"
      "lo = bx * 16\nhi = lo + 16\nT.copy(A[lo:hi, 0:32], S)");
  auto dims = [&](size_t i) { return to<Region>(to<Copy>(body[i]).src).dims; };
  EXPECT(dims(2)[0].extent == 16 && dims(2)[1].extent == 32);
  EXPECT(!to<Region>(to<Copy>(body[3]).dst).dims[1].point);
  EXPECT(dims(4)[0].point && dims(4)[1].extent == 32);
  EXPECT(dims(5)[0].point && dims(5)[1].extent == 32);
  EXPECT(dims(8)[0].extent == 16);
}

TEST(tile_operations_are_checked_and_built) {
  auto body = kernel_of(
      "S = T.alloc_shared((64, 32), \"float16\")\nW = T.alloc_shared((16, 32), \"float16\")\n"
      "C = T.alloc_fragment((64, 16), \"float32\")\nr = T.alloc_fragment((64,), \"float32\")\n"
      "T.gemm(S, W, C, transpose_B=True, clear_accum=(bx == 0))\nT.reduce_max(C, r, dim=1, "
      "clear=False)\n"
      "T.reduce_sum(C, r)\nT.cumsum(C)\nT.atomic_add(B[bx, 0], r[0])\nT.atomic_add(B[0, 0:16], "
      "C[0, :])\n"
      "V = T.reshape(S, (32, 64))\nT.print(r[0], msg=\"r\")\nT.print(V)");
  CHECK(body.size() == 13);
  EXPECT(to<Gemm>(body[4]).trans_b && to<Gemm>(body[4]).clear->type.dtype == DType::bool_);
  EXPECT(!to<Reduce>(body[5]).clear && to<Reduce>(body[5]).dims == std::vector<int64_t>{1});
  EXPECT(to<Reduce>(body[6]).dims == std::vector<int64_t>{1});
  EXPECT_EQ(to<Scan>(body[7]).dim, int64_t{0});
  EXPECT(to<Call>(to<Do>(body[8]).call).intrinsic == Intrinsic::atomic_add);
  EXPECT(as<Atomic>(body[9]));
  EXPECT_EQ(to<View>(body[10]).buffer.str(), std::string("S"));
  EXPECT_EQ(to<Record>(body[12]).buffer, std::string("V"));
}

TEST(macros_and_helpers_are_elaborated_in_place) {
  auto made = run(R"(
def step(x: T.Ref, by):
    x = x + by

def relu(v, floor=0):
    return T.max(v, floor)

def main(A: T.Tensor((64,), "float32")):
    with T.Kernel(1) as _:
        @T.macro
        def put(i, v):
            A[i] = relu(v)
        x = T.alloc_var("int32")
        step(x, by=2)
        put(x, A[3] - 1)
)");
  auto body = kernel_body(made);
  CHECK(body.size() >= 4);
  EXPECT_EQ(to<Assign>(body[1]).name.str(), std::string("x"));
  const Store& store = to<Store>(body.back());
  EXPECT(to<Call>(store.value).intrinsic == Intrinsic::maximum);
}

TEST(threads_have_several_dimensions) {
  auto made = run(R"(
def main(A: T.Tensor((64,), "float32")):
    bx, by = T.Kernel(2, 3, threads=(8, 4))
    tx = T.get_thread_binding(0)
    ty = T.get_thread_binding(1)
    A[tx + ty * 8] = bx + by
)");
  auto body = kernel_body(made);
  CHECK(body.size() == 3);
  EXPECT(equal(to<Let>(body[0]).value, floormod(name_ref("tid"), int_const(8))));
  EXPECT(equal(to<Let>(body[1]).value, floordiv(name_ref("tid"), int_const(8))));
}

TEST(every_builtin_is_found_by_its_name) {
  for (const elaborate::Builtin& row : elaborate::builtins()) {
    EXPECT(elaborate::find_builtin(row.name) == &row);
    EXPECT(!row.doc.empty());
  }
}
