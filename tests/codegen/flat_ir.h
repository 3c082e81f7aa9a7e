// SPDX-License-Identifier: Apache-2.0
// Flat IR for the tests of the renderer, built manually: a vector add with a tail, a row softmax,
// a GEMM for mp_31. What flatten would hand over, in our own words.
#pragma once

#include <utility>

#include "core/ir/build.h"

namespace tilelab::test {

inline Expr var(const char* name, DType dtype = DType::i32) { return name_ref(name, {dtype}); }
inline Expr num(int64_t value) { return int_const(value); }
inline Expr operator+(Expr a, Expr b) { return add(std::move(a), std::move(b)); }
inline Expr operator-(Expr a, Expr b) { return sub(std::move(a), std::move(b)); }
inline Expr operator*(Expr a, Expr b) { return mul(std::move(a), std::move(b)); }
inline Expr div_(Expr a, int64_t b) { return binary(BinOp::tdiv, std::move(a), num(b)); }
inline Expr mod_(Expr a, int64_t b) { return binary(BinOp::tmod, std::move(a), num(b)); }

inline Stmt tensor(const char* name, DType dtype, std::vector<Expr> shape) {
  Buffer b;
  b.name = name;
  b.scope = Scope::global;
  b.dtype = dtype;
  b.shape = std::move(shape);
  Param p;
  p.name = name;
  p.dtype = dtype;
  p.tensor = make(std::move(b));
  return make(std::move(p));
}
inline Stmt buffer(const char* name, Scope scope, DType dtype, int64_t n, int64_t at = -1) {
  Buffer b;
  b.name = name;
  b.scope = scope;
  b.dtype = dtype;
  b.shape = {num(n)};
  b.at = at;
  return make(std::move(b));
}
inline Stmt variable(const char* name, int64_t init) {
  Var v;
  v.name = name;
  v.init = num(init);
  return make(std::move(v));
}
inline Stmt assign(const char* name, Expr value) {
  Assign a;
  a.name = name;
  a.value = std::move(value);
  return make(std::move(a));
}
inline Stmt unrolled(const char* name, int64_t n, Stmt body) {
  return for_loop(name, num(0), num(n), std::move(body), LoopMode::unroll);
}
inline Stmt check_tensor(const char* name) {
  CheckTensor c;
  c.buffer = name;
  return make(std::move(c));
}
inline Expr f32(Symbol buffer, Expr index) { return load(buffer, DType::f32, {std::move(index)}); }
inline Expr f32x4(Symbol buffer, Expr index) {
  return region(buffer, DType::f32, {slice(std::move(index), 4)});
}
inline Stmt put(Symbol buffer, Expr index, Expr value) {
  return store(buffer, {point(std::move(index))}, std::move(value));
}
inline Stmt put4(Symbol buffer, Expr index, Expr value) {
  return store(buffer, {slice(std::move(index), 4)}, std::move(value));
}
inline Expr fn(Intrinsic id, std::vector<Expr> args, DType dtype = DType::f32) {
  return call(id, {dtype}, std::move(args));
}

inline Func function(const char* name, std::vector<Stmt> params, std::vector<Stmt> dims,
                     std::vector<Stmt> body) {
  Func f;
  f.name = name;
  f.level = Level::flat;
  f.params = std::move(params);
  f.dims = std::move(dims);
  f.body = seq(std::move(body));
  return f;
}

/// C = A + B for any N: 1024 elements a block of 256 threads, 4 a thread.
inline Func flat_add() {
  const Expr N = var("N"), i = var("i"), v = var("v");
  Kernel k;
  k.name = "add_k0";
  k.grid = {div_(N + num(1023), 1024), num(1), num(1)};
  k.block = 256;
  k.smem = 0;
  k.indices = {"bx", "by", "bz"};
  k.params = {"A", "B", "C", "N"};
  k.body =
      seq({let("i", var("bx") * num(1024) + var("tid") * num(4)),
           if_then(binary(BinOp::le, i + num(4), N), put4("C", i, f32x4("A", i) + f32x4("B", i)),
                   unrolled("v", 4,
                            if_then(fn(Intrinsic::guard, {lt(i + v, N)}, DType::bool_),
                                    put("C", i + v, f32("A", i + v) + f32("B", i + v)))))});
  Dim n;
  n.name = "N";
  Bind bind;
  bind.name = "N";
  bind.buffer = "A";
  return function(
      "add",
      {tensor("A", DType::f32, {N}), tensor("B", DType::f32, {N}), tensor("C", DType::f32, {N})},
      {make(std::move(n))},
      {make(std::move(bind)), check_tensor("A"), check_tensor("B"), check_tensor("C"),
       make(std::move(k))});
}

/// to[i] = what the 128 threads of a block hold of row i in x, joined: in a thread, a warp, a
/// block.
inline Stmt reduce_rows(const char* to, const char* ws, bool max, const Expr& start) {
  const Expr i = var("i"), q = var("q"), w = var("w");
  auto join = [max](const Expr& a, const Expr& b) {
    return max ? fn(Intrinsic::maximum, {a, b}) : a + b;
  };
  For steps = *as<For>(for_loop("o", num(0), num(0), nullptr, LoopMode::unroll));
  steps.steps = {16, 8, 4, 2, 1};
  steps.body = put(to, i, join(f32(to, i), fn(Intrinsic::shfl_xor, {f32(to, i), var("o")})));
  return seq(
      {unrolled("i", 2,
                seq({put(to, i, start),
                     unrolled("q", 4, put(to, i, join(f32(to, i), f32("x", num(4) * i + q)))),
                     make(std::move(steps))})),
       if_then(eq(var("lane"), num(0)),
               unrolled("i", 2, put(ws, i * num(4) + var("warp"), f32(to, i)))),
       do_call(Intrinsic::block_sync, {}),
       unrolled("i", 2,
                seq({put(to, i, start),
                     unrolled("w", 4, put(to, i, join(f32(to, i), f32(ws, i * num(4) + w))))}))});
}

/// Y = softmax of each row of X[M, 512], two rows a block of 128 threads; 32 lanes a warp.
inline Func flat_softmax() {
  const Expr bx = var("bx"), tid = var("tid"), i = var("i"), q = var("q");
  const Expr log2e = float_const(1.4426950408889634);
  auto at = [&](Expr row) { return (bx * num(2) + std::move(row)) * num(512) + tid * num(4); };
  const Expr M = var("M");
  const Expr inside = lt(bx * num(2) + i, M);
  Kernel k;
  k.name = "softmax_k0";
  k.grid = {div_(M + num(1), 2), num(1), num(1)};
  k.block = 128;
  k.smem = 64;
  k.indices = {"bx", "by", "bz"};
  k.params = {"X", "Y", "M"};
  const Expr scaled = unary(UnOp::neg, f32("m", i) * log2e);
  k.body = seq(
      {buffer("x", Scope::local, DType::f32, 8), buffer("m", Scope::local, DType::f32, 2),
       buffer("s", Scope::local, DType::f32, 2), buffer("red0", Scope::shared, DType::f32, 8, 0),
       buffer("red1", Scope::shared, DType::f32, 8, 32),
       unrolled(
           "i", 2,
           put4("x", num(4) * i, select(inside, f32x4("X", at(i)), broadcast(float_const(0), 4)))),
       reduce_rows("m", "red0", true, unary(UnOp::neg, call(Intrinsic::inf, {DType::f32}, {}))),
       unrolled("i", 2,
                unrolled("q", 4,
                         put("x", num(4) * i + q,
                             fn(Intrinsic::exp2,
                                {fn(Intrinsic::fma, {f32("x", num(4) * i + q), log2e, scaled})})))),
       reduce_rows("s", "red1", false, float_const(0)),
       unrolled("i", 2,
                if_then(inside, put4("Y", at(i),
                                     binary(BinOp::div, f32x4("x", num(4) * i),
                                            broadcast(f32("s", i), 4)))))});
  Dim m;
  m.name = "M";
  Bind bind;
  bind.name = "M";
  bind.buffer = "X";
  return function(
      "softmax", {tensor("X", DType::f32, {M, num(512)}), tensor("Y", DType::f32, {M, num(512)})},
      {make(std::move(m))},
      {make(std::move(bind)), check_tensor("X"), check_tensor("Y"), make(std::move(k))});
}

inline Stmt advance(int64_t stages) {
  return seq({assign("slot", var("slot") + num(1)),
              if_then(eq(var("slot"), num(stages)),
                      seq({assign("slot", num(0)),
                           assign("phase", binary(BinOp::bxor, var("phase"), num(1)))}))});
}

/// The producer of flat_gemm: fills a ring of three slots.
inline Stmt gemm_producer(int64_t K) {
  const Expr bx = var("bx"), by = var("by"), k = var("k"), slot = var("slot"), phase = var("phase");
  auto tma = [&](Expr smem, const char* map, Expr x, Expr y, std::vector<int64_t> box,
                 int granule) {
    return do_call(Intrinsic::tma_load,
                   {std::move(smem), var(map), list({std::move(x), std::move(y)}), num(1) + slot},
                   {attr("box", std::move(box)), attr("granule", granule)});
  };
  return seq(
      {variable("slot", 0), variable("phase", 0),
       for_loop(
           "k", num(0), num(K / 64),
           seq({do_call(Intrinsic::bar_wait, {num(4) + slot, binary(BinOp::bxor, phase, num(1))}),
                do_call(Intrinsic::bar_expect, {num(1) + slot, num(32768)}),
                tma(slot * num(16384), "A_map", k * num(64), by * num(128), {64, 128}, 16),
                tma(num(49152) + slot * num(16384), "B_map", bx * num(128), k * num(64), {64, 64},
                    32),
                tma(num(57344) + slot * num(16384), "B_map", bx * num(128) + num(64), k * num(64),
                    {64, 64}, 32),
                do_call(Intrinsic::bar_arrive, {num(1) + slot}), advance(3)}))});
}

/// Its consumers: 256 threads, a product of 128 x 64 for each half.
inline Stmt gemm_consumer(int64_t N, int64_t K) {
  const Expr bx = var("bx"), by = var("by"), tid = var("tid"), slot = var("slot"),
             phase = var("phase"), i = var("i"), j = var("j");
  return seq(
      {buffer("C_l", Scope::local, DType::f32, 64),
       let("sq", fn(Intrinsic::uniform, {div_(tid, 128)}, DType::i32)),
       unrolled("i", 64, put("C_l", i, float_const(0))), variable("slot", 0), variable("phase", 0),
       for_loop("k", num(0), num(K / 64),
                seq({do_call(Intrinsic::bar_wait, {num(1) + slot, phase}),
                     do_call(Intrinsic::sqmma,
                             {region("C_l", DType::f32, {slice(num(0), 64)}),
                              num(0x340000) + slot * num(16384),
                              num(0x54C000) + slot * num(16384) + var("sq") * num(8192)},
                             {attr("shape", "m128n64k64"), attr("dtype", "f16"), attr("tA", false),
                              attr("tB", true)}),
                     do_call(Intrinsic::mma_commit, {}), do_call(Intrinsic::mma_wait, {num(0)}),
                     do_call(Intrinsic::bar_arrive, {num(4) + slot}), advance(3)})),
       let("e", (by * num(128) + div_(mod_(tid, 128), 8)) * num(N) + bx * num(128) +
                    var("sq") * num(64) + mod_(tid, 8)),
       unrolled("i", 8,
                unrolled("j", 8,
                         put("C", var("e") + i * num(16 * N) + j * num(8),
                             cast(DType::f16, f32("C_l", i * num(8) + j)))))});
}

/// C[M, N] = A[M, K] @ B[K, N] in f16 for mp_31: ring of 3, producer of 128 threads after 256.
inline Func flat_gemm(int64_t M, int64_t N, int64_t K) {
  const Expr tid = var("tid"), s = var("s");
  Kernel kernel;
  kernel.name = "matmul_k0";
  kernel.grid = {num(N / 128), num(M / 128), num(1)};
  kernel.block = 384;
  kernel.smem = 98304;
  kernel.indices = {"bx", "by", "bz"};
  kernel.params = {"A_map", "B_map", "C"};
  kernel.body =
      seq({do_call(Intrinsic::bar_reserve, {num(6)}),
           if_then(eq(tid, num(0)),
                   seq({unrolled("s", 3, do_call(Intrinsic::bar_init, {num(1) + s, num(1)})),
                        unrolled("s", 3, do_call(Intrinsic::bar_init, {num(4) + s, num(8)}))})),
           do_call(Intrinsic::block_sync, {}, {attr("mem", "all")}),
           if_then(fn(Intrinsic::uniform, {ge(tid, num(256))}, DType::bool_),
                   if_then(eq(tid, num(256)), gemm_producer(K)), gemm_consumer(N, K))});
  auto map = [](const char* name, const char* tensor, int64_t inner, int64_t outer) {
    TensorMap m;
    m.name = name;
    m.buffer = tensor;
    m.dims = {num(inner), num(outer)};
    m.strides = {num(inner * 2)};
    return make(std::move(m));
  };
  return function(
      "matmul",
      {tensor("A", DType::f16, {num(M), num(K)}), tensor("B", DType::f16, {num(K), num(N)}),
       tensor("C", DType::f16, {num(M), num(N)})},
      {},
      {check_tensor("A"), check_tensor("B"), check_tensor("C"), map("A_map", "A", K, M),
       map("B_map", "B", N, K), make(std::move(kernel))});
}

}  // namespace tilelab::test
