// SPDX-License-Identifier: Apache-2.0
// T.gemm as fused multiply-adds: each thread computes the elements of c that it holds, each as one
// chain in increasing k. Operands in fragments are first staged in their workspaces.
#include "core/layout/layout.h"
#include "core/passes/lowering.h"

namespace tilelab {
namespace {

struct Operand {
  Symbol buffer;
  std::vector<Expr> origin;   // of the matrix's two dimensions in the buffer
  std::vector<Expr> leading;  // indices of the dimensions before them
  bool trans;
};

}  // namespace

/// `row` and `col` are the operand's own after transposition: a(m, k), b(k, n).
static Expr operand_at(const Operand& o, DType dtype, Expr row, Expr col) {
  if (o.trans) std::swap(row, col);
  std::vector<Expr> index = o.leading;
  index.push_back(add(o.origin[0], row));
  index.push_back(add(o.origin[1], col));
  return load(o.buffer, dtype, std::move(index));
}

Stmt Lowering::stage_operand(const Expr& expr, Symbol workspace) {
  const Region& region = to<Region>(expr);
  Storage from = storage(region.buffer);
  Walk walk = this->walk(from.layout, {"i", "j"});
  Known known(*this, walk.inside);
  std::vector<RegionDim> dims;
  for (const Expr& i : walk.index) dims.push_back(point(i));
  Stmt body = store(workspace, dims, read(region.buffer, walk.index, true));
  if (walk.first_replica) body = if_then(walk.first_replica, body);
  return wrap(walk, body);
}

/// The accumulator's elements as one thread visits them: its own of a fragment, or all of a matrix
/// in its private memory.
Lowering::Accumulator Lowering::accumulator(const Region& c) {
  Accumulator out;
  Storage acc = storage(c.buffer);
  size_t m = c.dims.size() - 2;
  if (acc.scope() == Scope::fragment) {
    out.walk = walk(acc.layout, {"i", "j"});
    out.place = {point(register_of(acc.layout, out.walk.index))};
    out.row = out.walk.index[m], out.col = out.walk.index[m + 1];
    return out;
  }
  out.mode = LoopMode::serial;
  for (size_t d = 0; d < c.dims.size(); ++d) {
    Expr index = lower_expr(c.dims[d].lo);
    if (d >= m) {
      Symbol var = fresh(d == m ? "i" : "j");
      facts_.set(var, {0, c.dims[d].extent - 1});
      out.walk.loops.push_back({var, c.dims[d].extent});
      (d == m ? out.row : out.col) = name_ref(var);
      index = simplified(add(index, name_ref(var)));
    }
    out.place.push_back(point(index));
  }
  return out;
}

Stmt Lowering::lower_gemm(const Gemm& gemm) {
  CHECK(gemm.by == GemmBy::fma, "only the plain gemm is lowered yet");
  const Region& c = to<Region>(gemm.c);
  Storage acc = storage(c.buffer);
  std::vector<Stmt> stmts;
  auto operand = [&](const Expr& expr, size_t which, bool trans) {
    const Region& r = to<Region>(expr);
    Operand o{r.buffer, {}, {}, trans};
    bool staged = storage(r.buffer).scope() == Scope::fragment;
    if (staged) {
      CHECK(which < gemm.workspaces.size() && gemm.workspaces[which],
            "an operand without a workspace");
      o.buffer = gemm.workspaces[which];
      stmts.push_back(stage_operand(expr, o.buffer));
    }
    for (size_t d = 0; d < r.dims.size(); ++d) {
      Expr lo = staged ? int_const(0) : lower_expr(r.dims[d].lo);
      (d + 2 < r.dims.size() ? o.leading : o.origin).push_back(lo);
    }
    return o;
  };
  Operand a = operand(gemm.a, 0, gemm.trans_a), b = operand(gemm.b, 1, gemm.trans_b);
  if (!stmts.empty()) stmts.push_back(block_barrier());
  const Region& ra = to<Region>(gemm.a);
  int64_t extent_k = ra.dims[ra.dims.size() - (gemm.trans_a ? 2 : 1)].extent;

  Accumulator own = accumulator(c);
  Known known(*this, own.walk.inside);
  Stmt zero = wrap(own.walk, store(acc.name, own.place, number(0, acc.dtype)), 0, own.mode);
  Expr clear = gemm.clear ? lower_expr(gemm.clear) : bool_const(false);
  if (!is_int(clear, 0)) stmts.push_back(is_int(clear, 1) ? zero : if_then(clear, zero));

  Symbol k = fresh("k");
  facts_.set(k, {0, extent_k - 1});
  DType type_a = storage(to<Region>(gemm.a).buffer).dtype,
        type_b = storage(to<Region>(gemm.b).buffer).dtype;
  Expr left = cast(acc.dtype, operand_at(a, type_a, own.row, name_ref(k)));
  Expr right = cast(acc.dtype, operand_at(b, type_b, name_ref(k), own.col));
  std::vector<Expr> place;
  for (const RegionDim& d : own.place) place.push_back(d.lo);
  Expr old = load(acc.name, acc.dtype, place);
  Expr next = is_float(acc.dtype) ? call(Intrinsic::fma, old->type, {left, right, old})
                                  : add(old, mul(left, right));
  Stmt step = wrap(own.walk, store(acc.name, own.place, next), 0, own.mode);
  stmts.push_back(for_loop(k, int_const(0), int_const(extent_k), step));
  return seq(std::move(stmts));
}

}  // namespace tilelab
