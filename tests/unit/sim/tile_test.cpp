// SPDX-License-Identifier: Apache-2.0
// Tile-level kernels, built manually, run in the simulator and compared with plain loops.
#include <cmath>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "core/ir/build.h"
#include "core/sim/sim.h"
#include "core/support/dtype_codec.h"
#include "tests/unit/test.h"

using namespace tilelab;
using sim::RunOptions;
using sim::RunResult;

namespace {

Expr var(const char* name) { return name_ref(name); }
Expr num(int64_t v) { return int_const(v); }
std::vector<Expr> nums(const std::vector<int64_t>& v) {
  std::vector<Expr> e;
  for (int64_t x : v) e.push_back(num(x));
  return e;
}
Stmt buffer(const char* name, Scope scope, DType dtype, const std::vector<int64_t>& shape) {
  Buffer b;
  b.name = name, b.scope = scope, b.dtype = dtype, b.shape = nums(shape);
  return make(std::move(b));
}
Stmt fragment(const char* name, DType dtype, const std::vector<int64_t>& shape) {
  return buffer(name, Scope::fragment, dtype, shape);
}
Stmt shared(const char* name, DType dtype, const std::vector<int64_t>& shape) {
  return buffer(name, Scope::shared, dtype, shape);
}
Expr get(const char* name, DType dtype, std::vector<Expr> index) {
  return load(Symbol(name), dtype, std::move(index));
}
Stmt put(const char* name, const std::vector<Expr>& index, Expr value) {
  std::vector<RegionDim> dims;
  for (const Expr& e : index) dims.push_back(point(e));
  return store(Symbol(name), dims, std::move(value));
}
Stmt parallel(std::vector<Symbol> vars, const std::vector<int64_t>& extents, Stmt body) {
  Parallel p;
  p.vars = std::move(vars), p.extents = nums(extents), p.body = std::move(body);
  return make(std::move(p));
}
Expr box(const char* name, DType dtype, std::vector<RegionDim> dims) {
  return region(Symbol(name), dtype, std::move(dims));
}
Stmt copy(Expr src, Expr dst) {
  Copy c;
  c.src = std::move(src), c.dst = std::move(dst);
  return make(std::move(c));
}
Stmt fill(Expr dst, Expr value) {
  Fill f;
  f.dst = std::move(dst), f.value = std::move(value);
  return make(std::move(f));
}
Stmt reduce(Expr src, Expr dst, ReduceOp op, std::vector<int64_t> dims, bool clear = true) {
  Reduce r;
  r.src = std::move(src), r.dst = std::move(dst), r.op = op, r.dims = std::move(dims),
  r.clear = clear;
  return make(std::move(r));
}
Stmt gemm(Expr a, Expr b, Expr c, bool trans_b = false) {
  Gemm g;
  g.a = std::move(a), g.b = std::move(b), g.c = std::move(c), g.trans_b = trans_b,
  g.clear = bool_const(false);
  return make(std::move(g));
}
/// Gives every statement its own line, so that findings name different places.
Stmt lined(Stmt s, uint32_t line) { return at(Span{1, line, 1, line, 9}, std::move(s)); }

struct NamedTensor {
  const char* name;
  DType dtype;
  std::vector<int64_t> shape;
  void* data;
};

RunResult run(const std::vector<NamedTensor>& tensors, const std::vector<int64_t>& grid,
              std::vector<Stmt> body, RunOptions options = {}, int64_t block = 128) {
  Func f;
  f.name = "main";
  std::vector<sim::Argument> arguments;
  for (const NamedTensor& t : tensors) {
    Param p;
    p.name = t.name, p.dtype = t.dtype, p.tensor = buffer(t.name, Scope::global, t.dtype, t.shape);
    f.params.push_back(make(std::move(p)));
    arguments.push_back(sim::tensor_argument(t.dtype, t.shape, t.data));
  }
  Kernel k;
  k.name = "main_k0", k.grid = nums(grid), k.block = block, k.indices = {"bx", "by", "bz"},
  k.body = seq(std::move(body));
  f.body = seq({make(std::move(k))});
  return sim::run(f, arguments, options);
}

std::vector<float> random_floats(size_t n, uint32_t salt) {
  std::mt19937 random(static_cast<uint32_t>(test::seed()) + salt);
  std::normal_distribution<float> normal;
  std::vector<float> v(n);
  for (float& x : v) x = normal(random);
  return v;
}
std::vector<uint16_t> halves(const std::vector<float>& v) {
  std::vector<uint16_t> h;
  for (float x : v) h.push_back(f32_to_f16(x));
  return h;
}
Expr block_start(const char* index, int64_t tile) { return mul(var(index), num(tile)); }

}  // namespace

TEST(tile_vector_add_guards_its_tail) {
  constexpr int64_t n = 3000;
  auto a = random_floats(n, 1), b = random_floats(n, 2);
  std::vector<float> c(n + 100, 7);
  Expr i = add(block_start("bx", 1024), var("i"));
  RunOptions options;
  options.watch.notes = true;
  RunResult r =
      run({{"A", DType::f32, {n}, a.data()},
           {"B", DType::f32, {n}, b.data()},
           {"C", DType::f32, {n}, c.data()}},
          {3, 1, 1},
          {parallel(
              {"i"}, {1024},
              lined(put("C", {i}, add(get("A", DType::f32, {i}), get("B", DType::f32, {i}))), 4))},
          options);
  EXPECT(r.ok());
  EXPECT_EQ(r.blocks, 3);
  for (size_t k = 0; k < n; ++k) EXPECT_EQ(c[k], a[k] + b[k]);
  EXPECT_EQ(c[n], 7.0f);
  EXPECT_EQ(r.notes.size(), size_t{1});
  EXPECT_EQ(r.notes.at(0).count, 3 * 72);
}

TEST(tile_copies_fill_and_drop_at_edges) {
  constexpr int64_t rows = 50, cols = 70;
  auto a = random_floats(rows * cols, 1);
  std::vector<uint16_t> b(rows * cols, 0xFFFF);
  std::vector<float> sums(4 * 3, -1);
  // 16 x 32 tiles; 50 and 70 divide by neither.
  std::vector<RegionDim> tile = {slice(block_start("by", 16), 16),
                                 slice(block_start("bx", 32), 32)};
  std::vector<RegionDim> all = {slice(num(0), 16), slice(num(0), 32)};
  RunResult r = run({{"A", DType::f32, {rows, cols}, a.data()},
                     {"B", DType::f16, {rows, cols}, b.data()},
                     {"S", DType::f32, {4, 3}, sums.data()}},
                    {3, 4, 1},
                    {shared("s", DType::f32, {16, 32}), fragment("t", DType::f32, {1}),
                     copy(box("A", DType::f32, tile), box("s", DType::f32, all)),
                     copy(box("s", DType::f32, all), box("B", DType::f16, tile)),
                     reduce(box("s", DType::f32, all), box("t", DType::f32, {slice(num(0), 1)}),
                            ReduceOp::abssum, {0, 1}),
                     put("S", {var("by"), var("bx")}, get("t", DType::f32, {num(0)}))});
  EXPECT(r.ok());
  for (size_t k = 0; k < a.size(); ++k) EXPECT_EQ(b[k], f32_to_f16(a[k]));
  for (int64_t y = 0; y < 4; ++y) {
    for (int64_t x = 0; x < 3; ++x) {
      double sum = 0;  // elements outside count as 0
      for (int64_t i = y * 16; i < std::min(rows, y * 16 + 16); ++i)
        for (int64_t j = x * 32; j < std::min(cols, x * 32 + 32); ++j)
          sum += std::fabs(a[static_cast<size_t>(i * cols + j)]);
      EXPECT(std::fabs(static_cast<double>(sums[static_cast<size_t>(y * 3 + x)]) - sum) < 1e-3);
    }
  }
}

TEST(tile_row_softmax) {
  constexpr int64_t rows = 7, cols = 300;
  auto a = random_floats(rows * cols, 3);
  std::vector<float> out(rows * cols, 9);
  DType f = DType::f32;
  Expr log2e = float_const(1.4426950408889634);
  std::vector<RegionDim> x = {slice(num(0), 2), slice(num(0), cols)},
                         g = {slice(block_start("bx", 2), 2), slice(num(0), cols)};
  std::vector<RegionDim> two = {slice(num(0), 2)};
  Expr xij = get("x", f, {var("i"), var("j")});
  RunResult r = run(
      {{"X", f, {rows, cols}, a.data()}, {"Y", f, {rows, cols}, out.data()}}, {4, 1, 1},
      {fragment("x", f, {2, cols}), fragment("m", f, {2}), fragment("s", f, {2}),
       copy(box("X", f, g), box("x", f, x)),
       reduce(box("x", f, x), box("m", f, two), ReduceOp::max, {1}),
       parallel({"i", "j"}, {2, cols},
                put("x", {var("i"), var("j")},
                    call(Intrinsic::exp2, {f, 1},
                         {sub(mul(xij, log2e), mul(get("m", f, {var("i")}), log2e))}))),
       fill(box("s", f, two), float_const(0.0)),
       reduce(box("x", f, x), box("s", f, two), ReduceOp::sum, {1}, false),
       parallel({"i", "j"}, {2, cols},
                put("x", {var("i"), var("j")}, binary(BinOp::div, xij, get("s", f, {var("i")})))),
       copy(box("x", f, x), box("Y", f, g))});
  EXPECT(r.ok());
  for (int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < cols; ++j)
      sum += std::exp(static_cast<double>(a[static_cast<size_t>(i * cols + j)]));
    for (int64_t j = 0; j < cols; ++j) {
      double want = std::exp(static_cast<double>(a[static_cast<size_t>(i * cols + j)])) / sum;
      EXPECT(std::fabs(static_cast<double>(out[static_cast<size_t>(i * cols + j)]) - want) <
             1e-6 * (want + 1e-3));
    }
  }
}

TEST(tile_gemm_with_tails_is_the_fma_chain) {
  constexpr int64_t m = 70, n = 50, k = 90;
  auto a = random_floats(m * k, 1), b = random_floats(n * k, 2);
  auto ah = halves(a), bh = halves(b);
  std::vector<float> c(m * n, 9);
  DType h = DType::f16, f = DType::f32;
  auto tile = [](const char* x, int64_t step, Expr y, int64_t width) {
    return std::vector<RegionDim>{slice(block_start(x, step), step), slice(std::move(y), width)};
  };
  auto all = [](int64_t r, int64_t q) {
    return std::vector<RegionDim>{slice(num(0), r), slice(num(0), q)};
  };
  Expr k0 = mul(var("ko"), num(16));
  Stmt loop = for_loop("ko", num(0), num(6),
                       seq({copy(box("A", h, tile("by", 32, k0, 16)), box("a", h, all(32, 16))),
                            copy(box("B", h, tile("bx", 32, k0, 16)), box("b", h, all(32, 16))),
                            gemm(box("a", h, all(32, 16)), box("b", h, all(32, 16)),
                                 box("c", f, all(32, 32)), true)}));
  RunResult r = run(
      {{"A", h, {m, k}, ah.data()}, {"B", h, {n, k}, bh.data()}, {"C", f, {m, n}, c.data()}},
      {2, 3, 1},
      {shared("a", h, {32, 16}), shared("b", h, {32, 16}), fragment("c", f, {32, 32}),
       fill(box("c", f, all(32, 32)), float_const(0.0)), loop,
       copy(box("c", f, all(32, 32)),
            box("C", f, {slice(block_start("by", 32), 32), slice(block_start("bx", 32), 32)}))});
  EXPECT(r.ok());
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float want = 0;
      for (int64_t l = 0; l < k; ++l)
        want = std::fmaf(f16_to_f32(ah[static_cast<size_t>(i * k + l)]),
                         f16_to_f32(bh[static_cast<size_t>(j * k + l)]), want);
      EXPECT_EQ(c[static_cast<size_t>(i * n + j)], want);
    }
  }
}

TEST(tile_reductions_of_every_kind) {
  constexpr int64_t p = 5, q = 37, s = 6;
  std::vector<int32_t> a(p * q * s);
  std::mt19937 random(static_cast<uint32_t>(test::seed()));
  for (int32_t& x : a) x = static_cast<int32_t>(random() % 2001) - 1000;
  struct Row {
    ReduceOp op;
    int64_t (*fold)(int64_t, int64_t);
    int64_t first;
    bool abs;
  };
  const Row rows[] = {
      {ReduceOp::sum, [](int64_t x, int64_t y) { return x + y; }, 0, false},
      {ReduceOp::max, [](int64_t x, int64_t y) { return std::max(x, y); }, INT32_MIN, false},
      {ReduceOp::min, [](int64_t x, int64_t y) { return std::min(x, y); }, INT32_MAX, false},
      {ReduceOp::abssum, [](int64_t x, int64_t y) { return x + y; }, 0, true},
      {ReduceOp::absmax, [](int64_t x, int64_t y) { return std::max(x, y); }, 0, true},
      {ReduceOp::bitand_, [](int64_t x, int64_t y) { return x & y; }, -1, false},
      {ReduceOp::bitor_, [](int64_t x, int64_t y) { return x | y; }, 0, false},
      {ReduceOp::bitxor_, [](int64_t x, int64_t y) { return x ^ y; }, 0, false}};
  DType t = DType::i32;
  std::vector<RegionDim> whole3 = {slice(num(0), p), slice(num(0), q), slice(num(0), s)};
  for (const Row& row : rows) {
    for (std::vector<int64_t> dims : {std::vector<int64_t>{1}, {2}, {0}, {0, 2}}) {
      for (bool clear : {true, false}) {
        std::vector<int64_t> kept, shape = {p, q, s};
        std::vector<RegionDim> out;
        for (int64_t d = 0; d < 3; ++d)
          if (std::find(dims.begin(), dims.end(), d) == dims.end())
            kept.push_back(shape[static_cast<size_t>(d)]),
                out.push_back(slice(num(0), kept.back()));
        std::vector<int32_t> got(p * q * s, 77), want(p * q * s, 77);
        RunResult r =
            run({{"A", t, {p, q, s}, a.data()}, {"C", t, kept, got.data()}}, {1, 1, 1},
                {fragment("x", t, {p, q, s}), fragment("y", t, kept),
                 copy(box("A", t, whole3), box("x", t, whole3)), fill(box("y", t, out), num(77)),
                 reduce(box("x", t, whole3), box("y", t, out), row.op, dims, clear),
                 copy(box("y", t, out), box("C", t, out))});
        EXPECT(r.ok());
        std::vector<int64_t> acc(p * q * s, clear ? row.first : 77);
        size_t used = 1;
        for (int64_t x : kept) used *= static_cast<size_t>(x);
        for (int64_t i = 0; i < p; ++i)
          for (int64_t j = 0; j < q; ++j)
            for (int64_t k = 0; k < s; ++k) {
              int64_t at = 0, index[3] = {i, j, k};
              for (int64_t d = 0; d < 3; ++d)
                if (std::find(dims.begin(), dims.end(), d) == dims.end())
                  at = at * shape[static_cast<size_t>(d)] + index[d];
              int64_t v = a[static_cast<size_t>((i * q + j) * s + k)];
              acc[static_cast<size_t>(at)] =
                  row.fold(acc[static_cast<size_t>(at)], row.abs ? std::abs(v) : v);
            }
        for (size_t i = 0; i < used; ++i) EXPECT_EQ(got[i], static_cast<int32_t>(acc[i]));
      }
    }
  }
}

TEST(tile_loops_conditions_and_gathers_inside_parallel) {
  // O[i, j] = sum over k < 5, i + k < 20 of X[i + k] * W[j // 2, k], with a while for the outer
  // tiles.
  constexpr int64_t n = 20, m = 14;
  auto x = random_floats(n, 1), w = random_floats(7 * 5, 2);
  std::vector<float> out(n * m, 9);
  DType f = DType::f32;
  Expr ik = add(var("i"), var("k"));
  Expr term = mul(get("X", f, {ik}), get("W", f, {floordiv(var("j"), num(2)), var("k")}));
  Expr oij = get("o", f, {var("i"), var("j")});
  Stmt inner = for_loop("k", num(0), num(5),
                        if_then(lt(ik, num(n)), put("o", {var("i"), var("j")}, add(oij, term))));
  std::vector<RegionDim> all = {slice(num(0), n), slice(num(0), m)};
  RunResult r =
      run({{"X", f, {n}, x.data()}, {"W", f, {7, 5}, w.data()}, {"O", f, {n, m}, out.data()}},
          {1, 1, 1},
          {fragment("o", f, {n, m}), fill(box("o", f, all), float_const(0)),
           parallel({"i", "j"}, {n, m}, inner), copy(box("o", f, all), box("O", f, all))});
  EXPECT(r.ok());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) {
      float want = 0;
      for (int64_t k = 0; k < 5; ++k)
        if (i + k < n)
          want += x[static_cast<size_t>(i + k)] * w[static_cast<size_t>(j / 2 * 5 + k)];
      EXPECT_EQ(out[static_cast<size_t>(i * m + j)], want);
    }
  }
}

TEST(tile_watchers_find_seeded_mistakes) {
  DType f = DType::f32;
  std::vector<float> a(64, 1), c(64, 2);
  std::vector<NamedTensor> tensors = {{"A", f, {64}, a.data()}, {"C", f, {64}, c.data()}};
  RunOptions all;
  all.watch = sim::Watch::all();
  Expr i = var("i");
  auto kinds = [](const RunResult& r) {
    std::string s;
    for (const sim::Finding& x : r.findings) s += std::string(sim::finding_name(x.kind)) + " ";
    return s;
  };
  RunResult bounds = run(
      tensors, {1, 1, 1},
      {fragment("x", f, {64}), fill(box("x", f, {slice(num(0), 64)}), float_const(0)),
       lined(parallel({"i"}, {64}, lined(put("C", {i}, get("x", f, {add(i, num(4))})), 7)), 6)});
  EXPECT_EQ(kinds(bounds), std::string("out-of-bounds "));
  EXPECT_EQ(bounds.findings.at(0).buffer, std::string("x"));
  EXPECT_EQ(bounds.findings.at(0).element, std::string("[64]"));
  EXPECT_EQ(bounds.findings.at(0).where.at(0).span.line, 7u);
  EXPECT_EQ(bounds.findings.at(0).count, 4);

  RunResult unset =
      run(tensors, {1, 1, 1},
          {fragment("x", f, {64}),
           lined(parallel({"i"}, {64}, lined(put("C", {i}, get("x", f, {i})), 8)), 7)},
          all);
  EXPECT_EQ(kinds(unset), std::string("uninitialized "));
  EXPECT_EQ(unset.findings.at(0).where.at(0).span.line, 8u);

  Stmt shift = seq({lined(put("x", {i}, get("A", f, {i})), 9),
                    lined(put("C", {i}, get("x", f, {floormod(add(i, num(1)), num(64))})), 10)});
  for (size_t k = 0; k < a.size(); ++k) a[k] = static_cast<float>(k);
  RunResult race =
      run(tensors, {1, 1, 1}, {shared("x", f, {64}), parallel({"i"}, {64}, shift)}, all);
  EXPECT_EQ(kinds(race), std::string("race "));
  EXPECT_EQ(race.findings.at(0).where.at(0).span.line, 9u);
  EXPECT_EQ(race.findings.at(0).where.at(1).span.line, 10u);

  RunResult blocks =
      run(tensors, {2, 1, 1},
          {parallel({"i"}, {64}, lined(put("C", {i}, cast(f, add(var("bx"), i))), 11))}, all);
  EXPECT_EQ(kinds(blocks), std::string("race "));

  RunResult divide = run(tensors, {1, 1, 1},
                         {parallel({"i"}, {64}, put("C", {i}, cast(f, floordiv(num(5), i))))}, all);
  EXPECT_EQ(kinds(divide), std::string("divide-by-zero "));
  EXPECT_EQ(c[0], 0.0f);

  Stmt tidy = parallel({"i"}, {64}, put("C", {i}, get("A", f, {i})));
  EXPECT(run(tensors, {1, 1, 1}, {tidy}, all).ok());
}

TEST(tile_prints_and_asserts_are_records) {
  DType f = DType::f32;
  std::vector<float> a = {1, 2, 3, 4};
  tilelab::Record print;
  print.message = "x", print.values = {box("x", f, {slice(num(0), 4)}), var("bx")};
  tilelab::Record check;
  check.what = RecordKind::device_assert, check.message = "bx is 0",
  check.values = {eq(var("bx"), num(0))};
  RunResult r = run({{"A", f, {4}, a.data()}}, {3, 1, 1},
                    {fragment("x", f, {4}),
                     copy(box("A", f, {slice(num(0), 4)}), box("x", f, {slice(num(0), 4)})),
                     lined(make(std::move(print)), 3), lined(make(std::move(check)), 4)});
  EXPECT(r.status == RunResult::Status::stopped);
  EXPECT_EQ(r.blocks, 1);
  EXPECT_EQ(r.records.size(), size_t{5});  // three prints, two asserts
  EXPECT_EQ(r.records.at(0).values.size(), size_t{5});
  EXPECT_EQ(r.records.at(0).values.at(2), uint64_t{float_bits(3.0f)});
  EXPECT_EQ(r.records.at(1).block[0], 1);
  EXPECT(r.records.at(2).is_assert);
  EXPECT_EQ(r.findings.size(), size_t{1});
  EXPECT_EQ(r.findings.at(0).detail, std::string("bx is 0"));
}

TEST(tile_thread_statements_run_once_per_thread) {
  std::vector<int32_t> c(256, -1);
  DType t = DType::i32;
  Expr tid = var("tid");
  Stmt guarded =
      if_then(lt(tid, num(100)), put("s", {tid}, mul(tid, num(3))), put("s", {tid}, num(7)));
  Expr mirrored = get("s", t, {sub(num(127), tid)});
  RunResult r = run({{"C", t, {256}, c.data()}}, {2, 1, 1},
                    {shared("s", t, {128}), guarded, do_call(Intrinsic::block_sync, {}),
                     let("v", call(Intrinsic::shfl_xor, {t, 1}, {mirrored, num(1)})),
                     put("C", {add(block_start("bx", 128), tid)}, add(var("v"), var("bx")))});
  EXPECT(r.ok());
  for (int b = 0; b < 2; ++b) {
    for (int k = 0; k < 128; ++k) {
      int source = 127 - (k ^ 1);
      EXPECT_EQ(c[static_cast<size_t>(b * 128 + k)], (source < 100 ? source * 3 : 7) + b);
    }
  }
}

TEST(tile_atomics_have_one_order) {
  std::vector<float> sum(1, 0), first(1, 0);
  auto a = random_floats(8192, 4);
  DType f = DType::f32;
  auto ref = [&] { return region("S", f, {point(num(0))}); };
  for (int repeat = 0; repeat < 2; ++repeat) {
    sum[0] = 0;
    RunResult r =
        run({{"A", f, {8192}, a.data()}, {"S", f, {1}, sum.data()}}, {16, 1, 1},
            {parallel({"i"}, {512},
                      do_call(Intrinsic::atomic_add,
                              {ref(), get("A", f, {add(block_start("bx", 512), var("i"))})}))});
    EXPECT(r.ok());
    if (repeat == 0) first = sum;
  }
  float want = 0;
  for (float x : a) want += x;
  EXPECT_EQ(sum[0], want);
  EXPECT_EQ(sum[0], first[0]);
}

TEST(tile_while_break_and_vars_are_scalars_of_the_block) {
  std::vector<int32_t> c(4, 0);
  DType t = DType::i32;
  Var n, steps;
  n.name = "n", n.init = add(var("bx"), num(7));
  steps.name = "steps", steps.init = num(0);
  auto assign = [](const char* name, Expr value) {
    Assign a;
    a.name = name, a.value = std::move(value);
    return make(std::move(a));
  };
  While loop;  // Collatz, at most 12 steps
  loop.cond = binary(BinOp::ne, var("n"), num(1));
  loop.body =
      seq({if_then(eq(floormod(var("n"), num(2)), num(0)), assign("n", floordiv(var("n"), num(2))),
                   assign("n", add(mul(var("n"), num(3)), num(1)))),
           assign("steps", add(var("steps"), num(1))),
           if_then(eq(var("steps"), num(12)), make(Break()))});
  RunResult r = run({{"C", t, {4}, c.data()}}, {4, 1, 1},
                    {make(std::move(n)), make(std::move(steps)), make(std::move(loop)),
                     put("C", {var("bx")}, var("steps"))});
  EXPECT(r.ok());
  EXPECT(c == (std::vector<int32_t>{12, 3, 12, 6}));
}

TEST(tile_interrupt_ends_an_endless_kernel) {
  std::atomic<bool> interrupt{true};
  While forever;
  forever.cond = bool_const(true);
  forever.body = seq({let("x", num(1))});
  RunOptions options;
  options.interrupt = &interrupt;
  RunResult r = run({}, {1, 1, 1}, {make(std::move(forever))}, options);
  EXPECT(r.status == RunResult::Status::interrupted);
}

TEST(tile_run_refuses_what_does_not_fit) {
  std::vector<float> a(4);
  RunResult r = run(
      {{"A", DType::f32, {4}, a.data()}}, {1, 1, 1},
      {fragment("x", DType::f32, {3}),
       copy(box("A", DType::f32, {slice(num(0), 4)}), box("x", DType::f32, {slice(num(0), 3)}))});
  EXPECT(r.status == RunResult::Status::refused);
  EXPECT(r.error.find("[4] into [3]") != std::string::npos);
}
