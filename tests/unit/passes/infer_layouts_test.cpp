// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/layout/text.h"
#include "core/passes/pass.h"
#include "core/targets/target.h"
#include "tests/unit/test.h"

using namespace tilelab;

namespace {

/// A kernel under construction: statements in order, one block of threads.
struct Draft {
  std::vector<Stmt> stmts;
  std::vector<Stmt> params;
  int64_t threads = 128;
  std::string target = "mp_31";
  Diagnostics diagnostics;
  std::string decided;

  Buffer buffer(Symbol name, Scope scope, DType dtype, const Index& shape, Layout layout = {}) {
    Buffer b;
    b.name = name, b.scope = scope, b.dtype = dtype, b.layout = std::move(layout);
    for (int64_t extent : shape) b.shape.push_back(int_const(extent));
    if (scope == Scope::global) {
      Param param;
      param.name = name, param.dtype = dtype, param.tensor = make(Buffer(b));
      params.push_back(make(std::move(param)));
    } else {
      stmts.push_back(make(Buffer(b)));
    }
    return b;
  }
  Buffer tensor(Symbol name, const Index& shape, DType dtype = DType::f32) {
    return buffer(name, Scope::global, dtype, shape);
  }
  Buffer fragment(Symbol name, const Index& shape, DType dtype = DType::f32, Layout layout = {}) {
    return buffer(name, Scope::fragment, dtype, shape, std::move(layout));
  }
  Buffer shared(Symbol name, const Index& shape, DType dtype = DType::f32) {
    return buffer(name, Scope::shared, dtype, shape);
  }

  void copy(Expr src, Expr dst) {
    Copy c;
    c.src = std::move(src), c.dst = std::move(dst), c.by = CopyBy::simt;
    stmts.push_back(make(std::move(c)));
  }
  void reduce(const Buffer& src, const Buffer& dst, std::vector<int64_t> dims,
              ReduceOp op = ReduceOp::sum) {
    Reduce r;
    r.src = whole(src), r.dst = whole(dst), r.dims = std::move(dims), r.op = op;
    stmts.push_back(make(std::move(r)));
  }
  void parallel(const std::vector<Symbol>& vars, const Index& extents, Stmt body) {
    Parallel p;
    p.vars = vars;
    for (int64_t extent : extents) p.extents.push_back(int_const(extent));
    p.body = std::move(body);
    stmts.push_back(make(std::move(p)));
  }
  void gemm(const Buffer& a, const Buffer& b, const Buffer& c, GemmBy by, std::vector<int64_t> inst,
            std::vector<int64_t> warps) {
    Gemm g;
    g.a = whole(a), g.b = whole(b), g.c = whole(c), g.by = by, g.inst = std::move(inst),
    g.warps = std::move(warps);
    g.clear = bool_const(false);
    stmts.push_back(make(std::move(g)));
  }

  FuncRef run() {
    Kernel kernel;
    kernel.name = "k", kernel.block = threads, kernel.indices = {"bx"};
    kernel.grid = {int_const(64), int_const(1), int_const(1)};
    kernel.body = seq(stmts);
    Func func;
    func.name = "f", func.target = target, func.params = params;
    func.body = seq({make(std::move(kernel))});
    PassContext context{*find_target(target), diagnostics, ""};
    FuncRef result = infer_layouts(make(std::move(func)), context);
    decided = context.decided;
    return result;
  }
};

Expr v(const char* name) { return name_ref(name); }
Expr rows(const Buffer& tensor, int64_t rows, int64_t cols) {
  return region(tensor.name, tensor.dtype,
                {slice(mul(v("bx"), int_const(rows)), rows), slice(int_const(0), cols)});
}

std::string lay(const FuncRef& func, Symbol buffer) {
  BufferTable table = buffers_of(*func);
  return table.count(buffer) ? to_text(table.at(buffer)->layout) : "no such buffer";
}
template <class T> std::vector<const T*> all(const FuncRef& func) {
  std::vector<const T*> found;
  walk(*func, [&](const Node& node) {
    if (const T* t = as<T>(&node)) found.push_back(t);
    return true;
  });
  return found;
}

}  // namespace

TEST(infer_layouts_row_softmax) {
  Draft d;
  Buffer X = d.tensor("X", {128, 512}), Y = d.tensor("Y", {128, 512});
  Buffer x = d.fragment("x", {2, 512}), m = d.fragment("m", {2}), s = d.fragment("s", {2});
  d.copy(rows(X, 2, 512), whole(x));
  d.reduce(x, m, {1}, ReduceOp::max);
  d.parallel({"i", "j"}, {2, 512},
             store(x, {v("i"), v("j")},
                   call(Intrinsic::exp2, {DType::f32},
                        {sub(load(x, {v("i"), v("j")}), load(m, {v("i")}))})));
  d.reduce(x, s, {1});
  d.parallel(
      {"i", "j"}, {2, 512},
      store(x, {v("i"), v("j")}, binary(BinOp::div, load(x, {v("i"), v("j")}), load(s, {v("i")}))));
  d.copy(whole(x), rows(Y, 2, 512));
  FuncRef f = d.run();
  EXPECT(d.diagnostics.empty());
  EXPECT_EQ(lay(f, "x"), std::string("frag([2, 512], [[r(2, 4)], [t(128, 1), r(4, 1)]])"));
  EXPECT_EQ(lay(f, "m"), std::string("frag([2], [[r(2, 1)]], rep=[t(128, 1)])"));
  EXPECT_EQ(lay(f, "s"), lay(f, "m"));
  EXPECT_EQ(lay(f, "red0"), std::string("addr([2, 4], [[a(2, 4)], [a(4, 1)]])"));
  EXPECT_EQ(lay(f, "red1"), lay(f, "red0"));
  for (const Parallel* loop : all<Parallel>(f)) {
    EXPECT_EQ(to_text(loop->layout), lay(f, "x"));
    EXPECT_EQ(loop->vec, int64_t(4));
  }
  for (const Copy* copy : all<Copy>(f)) {
    EXPECT_EQ(to_text(copy->layout), lay(f, "x"));
    EXPECT_EQ(copy->vec, int64_t(4));
  }
  const Reduce& first = *all<Reduce>(f).at(0);
  EXPECT_EQ(first.workspace.str(), std::string("red0"));
  EXPECT(first.order == (std::vector<std::string>{"regs", "shfl 16 8 4 2 1", "warps"}));
}

TEST(infer_layouts_loop_without_fragments) {
  Draft d;
  d.threads = 256;
  Buffer A = d.tensor("A", {3000}), C = d.tensor("C", {3000});
  Expr at = add(mul(v("bx"), int_const(1024)), v("i"));
  d.parallel({"i"}, {1024}, store(C, {at}, load(A, {at})));
  FuncRef f = d.run();
  const Parallel& loop = *all<Parallel>(f).at(0);
  EXPECT_EQ(to_text(loop.layout), std::string("frag([1024], [[t(256, 1), r(4, 1)]])"));
  EXPECT_EQ(loop.vec, int64_t(4));
}

TEST(infer_layouts_unaligned_start_is_not_vectorized) {
  Draft d;
  Buffer A = d.tensor("A", {3000}), C = d.tensor("C", {3000});
  Expr at = add(mul(v("bx"), int_const(1024)), v("i"));
  d.parallel({"i"}, {512}, store(C, {at}, load(A, {add(at, int_const(2))})));
  FuncRef f = d.run();
  EXPECT_EQ(all<Parallel>(f).at(0)->vec, int64_t(2));
}

TEST(infer_layouts_sqmma_accumulator) {
  Draft d;
  d.threads = 256;
  Buffer A = d.shared("A_s", {128, 64}, DType::f16), B = d.shared("B_s", {64, 128}, DType::f16);
  Buffer C = d.fragment("C_l", {128, 128}), out = d.tensor("C", {8192, 128}, DType::f16);
  d.gemm(A, B, C, GemmBy::sqmma, {128, 64, 64}, {4, 2});
  d.copy(whole(C), rows(out, 128, 128));
  FuncRef f = d.run();
  EXPECT_EQ(lay(f, "C_l"),
            std::string("frag([128, 128], [[r(8, 8), t(16, 8)], [t(2, 128), r(8, 1), t(8, 1)]])"));
  EXPECT_EQ(all<Copy>(f).at(0)->vec, int64_t(1));
  EXPECT_EQ(lay(f, "A_s"), std::string("addr([128, 64], [[a(128, 64)], [a(64, 1)]])"));
  EXPECT_EQ(d.decided, std::string("C_l: 4x2 warps, 1 fragment"));
}

TEST(infer_layouts_attention_operand_needs_no_conversion) {
  Draft d;
  d.target = "sm_90a";
  Buffer Q = d.shared("Q_s", {64, 128}, DType::f16), K = d.shared("K_s", {64, 128}, DType::f16),
         V = d.shared("V_s", {64, 128}, DType::f16);
  Buffer S = d.fragment("S", {64, 64}), P = d.fragment("P", {64, 64}, DType::f16),
         O = d.fragment("O", {64, 128});
  Buffer m = d.fragment("m", {64});
  Gemm qk;
  qk.a = whole(Q), qk.b = whole(K), qk.c = whole(S), qk.trans_b = true, qk.by = GemmBy::wgmma;
  qk.inst = {64, 64, 16}, qk.warps = {4, 1}, qk.clear = bool_const(true);
  d.stmts.push_back(make(std::move(qk)));
  d.reduce(S, m, {1}, ReduceOp::max);
  d.copy(whole(S), whole(P));
  d.gemm(P, V, O, GemmBy::wgmma, {64, 128, 16}, {4, 1});
  d.parallel({"i", "j"}, {64, 128},
             store(O, {v("i"), v("j")}, mul(load(O, {v("i"), v("j")}), load(m, {v("i")}))));
  FuncRef f = d.run();
  EXPECT(d.diagnostics.empty());
  EXPECT_EQ(lay(f, "P"), lay(f, "S"));
  EXPECT_EQ(lay(f, "m"), std::string("frag([64], [[t(4, 32), r(2, 1), t(8, 4)]], rep=[t(4, 1)])"));
  EXPECT(!all<Reduce>(f).at(0)->workspace);
  EXPECT_EQ(all<Copy>(f).size(), size_t(1));
}

TEST(infer_layouts_converts_through_shared_memory) {
  Draft d;
  Buffer x = d.fragment("x", {32, 32}), y = d.fragment("y", {32, 32});
  Buffer X = d.tensor("X", {2048, 32}), Y = d.tensor("Y", {2048, 32});
  d.copy(rows(X, 32, 32), whole(x));
  d.copy(rows(Y, 32, 32), whole(y));
  d.parallel({"i", "j"}, {32, 32},
             store(x, {v("i"), v("j")}, add(load(x, {v("i"), v("j")}), load(y, {v("j"), v("i")}))));
  d.parallel({"i", "j"}, {32, 32},
             store(x, {v("i"), v("j")}, add(load(x, {v("i"), v("j")}), load(y, {v("i"), v("j")}))));
  FuncRef f = d.run();
  EXPECT_EQ(d.diagnostics.warnings(), 1);
  EXPECT_EQ(d.diagnostics.errors(), 0);
  EXPECT_EQ(all<Copy>(f).size(), size_t(4));  // one of the loops reads y in the other order
  EXPECT_EQ(d.decided, std::string("2 fragments; 1 conversion through shared memory"));
}

TEST(infer_layouts_annotated_accumulator_conflicts) {
  Draft d;
  d.threads = 256;
  Layout linear = *parse_layout("frag([128, 128], [[r(64, 1), t(2, 128)], [t(128, 1)]])");
  Buffer A = d.shared("A_s", {128, 64}, DType::f16), B = d.shared("B_s", {64, 128}, DType::f16);
  Buffer C = d.fragment("C_l", {128, 128}, DType::f32, linear);
  d.gemm(A, B, C, GemmBy::sqmma, {128, 64, 64}, {4, 2});
  d.run();
  EXPECT_EQ(d.diagnostics.errors(), 1);
}

TEST(infer_layouts_padded_tile) {
  Draft d;
  Buffer X = d.tensor("X", {640, 24}), Y = d.tensor("Y", {640, 1});
  Buffer x = d.fragment("x", {10, 24}), s = d.fragment("s", {10});
  d.copy(rows(X, 10, 24), whole(x));
  d.reduce(x, s, {1});
  FuncRef f = d.run();
  EXPECT(d.diagnostics.empty());
  EXPECT_EQ(lay(f, "x"), std::string("frag([10, 24], [[r(3, 1), t(4, 32)], [t(32, 1)]])"));
  EXPECT_EQ(lay(f, "s"), std::string("frag([10], [[r(3, 1), t(4, 32)]], rep=[t(32, 1)])"));
}

TEST(infer_layouts_reduce_of_shared_memory_is_staged) {
  Draft d;
  Buffer x = d.shared("x_s", {4, 256}), s = d.shared("s_s", {4});
  d.reduce(x, s, {1});
  FuncRef f = d.run();
  EXPECT(d.diagnostics.empty());
  EXPECT_EQ(all<Copy>(f).size(), size_t(2));
  const Reduce& reduce = *all<Reduce>(f).at(0);
  EXPECT(buffers_of(*f).at(to<Region>(reduce.src).buffer)->scope == Scope::fragment);
  EXPECT(buffers_of(*f).at(to<Region>(reduce.dst).buffer)->scope == Scope::fragment);
  EXPECT(bool(reduce.workspace));
}

TEST(infer_layouts_plain_gemm_stages_a_fragment_operand) {
  Draft d;
  Buffer A = d.fragment("a", {64, 32}), B = d.shared("B_s", {32, 64}),
         C = d.fragment("c", {64, 64});
  Buffer X = d.tensor("X", {4096, 32});
  d.copy(rows(X, 64, 32), whole(A));
  d.gemm(A, B, C, GemmBy::fma, {}, {});
  FuncRef f = d.run();
  const Gemm& gemm = *all<Gemm>(f).at(0);
  EXPECT_EQ(gemm.workspaces.size(), size_t(2));
  EXPECT_EQ(lay(f, gemm.workspaces.at(0)),
            std::string("addr([64, 32], [[a(64, 32)], [a(32, 1)]])"));
  EXPECT_EQ(lay(f, "c"),
            std::string("frag([64, 64], [[r(4, 8), t(16, 8)], [r(2, 4), t(8, 1), r(4, 1)]])"));
}

TEST(infer_layouts_element_outside_a_loop_is_in_every_thread) {
  Draft d;
  Buffer x = d.fragment("x", {128}), y = d.fragment("y", {128});
  Buffer X = d.tensor("X", {8192}), Y = d.tensor("Y", {64});
  d.copy(region("X", DType::f32, {slice(mul(v("bx"), int_const(128)), 128)}), whole(x));
  d.stmts.push_back(store(Y, {v("bx")}, load(x, {int_const(3)})));
  d.copy(region("X", DType::f32, {slice(int_const(0), 128)}), whole(y));
  d.stmts.push_back(store(y, {int_const(5)}, float_const(1)));
  FuncRef f = d.run();
  EXPECT(d.diagnostics.empty());
  EXPECT_EQ(lay(f, "x"), std::string("frag([128], [[r(128, 1)]], rep=[t(128, 1)])"));
  EXPECT_EQ(lay(f, "y"), std::string("frag([128], [[t(128, 1)]])"));
  const Parallel& one = *all<Parallel>(f).at(0);  // one thread stores
  EXPECT_EQ(one.layout.base, int64_t(5));
}

TEST(infer_layouts_serial_index_is_kept_in_registers) {
  Draft d;
  Buffer W = d.tensor("W", {32, 16}), q = d.fragment("q", {32, 16}), w = d.fragment("w", {32, 4});
  d.copy(whole(W), whole(q));
  Parallel p;
  p.vars = {"i"}, p.extents = {int_const(32)};
  p.body = store(w, {v("i"), v("k")}, load(q, {v("i"), mul(v("k"), int_const(4))}));
  d.stmts.push_back(for_loop("k", int_const(0), int_const(4), make(std::move(p))));
  FuncRef f = d.run();
  EXPECT(d.diagnostics.empty());
  EXPECT_EQ(lay(f, "q"), std::string("frag([32, 16], [[t(32, 1)], [r(16, 1)]], rep=[t(4, 32)])"));
  EXPECT_EQ(lay(f, "w"), std::string("frag([32, 4], [[t(32, 1)], [r(4, 1)]], rep=[t(4, 32)])"));
  EXPECT_EQ(all<Copy>(f).size(), size_t(1));
}

TEST(infer_layouts_does_not_read_what_it_overwrites) {
  Draft d;
  Layout rows_first = *parse_layout("frag([32, 32], [[r(2, 4), t(16, 8)], [t(8, 1), r(4, 1)]])");
  Buffer X = d.tensor("X", {2048, 32}), x = d.fragment("x", {32, 32}, DType::f32, rows_first);
  Buffer y = d.fragment("y", {32, 32}, DType::f32, rows_first);
  d.copy(rows(X, 32, 32), whole(x));
  d.copy(rows(X, 32, 32), whole(y));
  d.parallel({"i", "j"}, {32, 32},
             seq({store(x, {v("i"), v("j")}, float_const(1)),
                  store(y, {v("j"), v("i")}, float_const(2))}));
  FuncRef f = d.run();
  EXPECT_EQ(d.diagnostics.warnings(), 1);
  EXPECT_EQ(all<Copy>(f).size(), size_t(4));  // the two loads, and y through shared memory and back
}
