// SPDX-License-Identifier: Apache-2.0
// T.gemm as fused multiply-adds: each thread computes the elements of c that it holds, each as one
// chain in increasing k. Operands in fragments are first staged in their workspaces. For tf32, each
// thread clears the bits that the matrix units ignore.
#include "core/layout/layout.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

struct Factor {
  Symbol buffer;
  std::vector<Expr> origin;   // of the matrix's two dimensions in the buffer
  std::vector<Expr> leading;  // indices of the dimensions before them
  bool trans;
};

/// `row` and `col` are the operand's own after transposition: a(m, k), b(k, n).
Expr operand_at(const Factor& o, DType dtype, Expr row, Expr col) {
  if (o.trans) std::swap(row, col);
  std::vector<Expr> index = o.leading;
  index.push_back(offset_by(o.origin[0], row));
  index.push_back(offset_by(o.origin[1], col));
  return load(o.buffer, dtype, std::move(index));
}

/// The part of an f32 that the units read: without the lower 13 bits of its significand.
Expr as_tf32(Expr value) {
  const Expr word = call(Intrinsic::bits, {DType::u32}, {std::move(value)});
  const Expr kept = binary(BinOp::band, word, int_const(0xffffe000, DType::u32));
  return call(Intrinsic::bits, {DType::f32}, {kept});
}

/// Copies a fragment operand to its workspace.
Stmt stage_operand(const Region& region, Symbol workspace, LoweringScope here, Lowering& lowering) {
  Walk walk = lowering.walk(lowering.storage(region.buffer).layout, {"i", "j"}, here);
  here = lowering.where(here, walk.inside);
  Expr value = lowering.read(region.buffer, walk.index, true, here);
  Stmt body = store(workspace, points(walk.index), value);
  if (walk.first_replica) body = if_then(walk.first_replica, body);
  return wrap(walk, body);
}

/// The accumulator elements that one thread visits: those it holds of a fragment, or all of a
/// matrix in its private memory.
struct Accumulator {
  Walk walk;
  LoopMode mode = LoopMode::unroll;
  std::vector<Expr> place;  // of the element in its buffer or registers
  Expr row, col;
};

Accumulator accumulator(const Region& c, LoweringScope& here, Lowering& lowering) {
  Accumulator out;
  Storage acc = lowering.storage(c.buffer);
  size_t m = c.dims.size() - 2;
  if (acc.spread()) {
    out.walk = lowering.walk(acc.layout, {"i", "j"}, here);
    out.place = {here.register_of(acc.layout, out.walk.index)};
    out.row = out.walk.index[m], out.col = out.walk.index[m + 1];
    return out;
  }
  out.mode = LoopMode::serial;
  for (size_t d = 0; d < c.dims.size(); ++d) {
    Expr index = lowering.expr(c.dims[d].lo, here);
    if (d >= m) {
      Symbol var = lowering.fresh(d == m ? "i" : "j");
      here.facts.set(var, {0, c.dims[d].extent - 1});
      out.walk.loops.push_back({var, c.dims[d].extent});
      (d == m ? out.row : out.col) = name_ref(var);
      index = here.simplified(offset_by(index, name_ref(var)));
    }
    out.place.push_back(index);
  }
  return out;
}

/// The accumulator, or an f32 temporary that is rounded at the end if the accumulator is narrower
/// than f32.
struct Sums {
  Symbol name;
  DType dtype;
};

Sums sums_of(const Storage& acc, Stmt& declare, Lowering& lowering) {
  if (!is_float(acc.dtype) || bits(acc.dtype) >= 32) return {acc.name, acc.dtype};
  Buffer wide(*acc.buffer);
  wide.name = lowering.fresh(acc.name.str() + "_sums");
  wide.dtype = DType::f32;
  wide.scope = Scope::local;
  wide.safe = nullptr;
  if (acc.spread()) {
    wide.shape = {int_const(extent(acc.layout, 'r'))};
    wide.layout = acc.layout;
  }
  const Sums out{wide.name, wide.dtype};
  declare = make(std::move(wide));
  return out;
}

}  // namespace

Stmt lower(const Gemm& gemm, LoweringScope here, Lowering& lowering) {
  if (const MatrixInstruction* row = lowering.target().matrix(gemm.by))
    return lower_by_matrix(gemm, *row, here, lowering);
  const Region& c = to<Region>(gemm.c);
  Storage acc = lowering.storage(c.buffer);
  std::vector<Stmt> stmts;
  auto operand = [&](const Expr& expr, size_t which, bool trans) {
    const Region& r = to<Region>(expr);
    Factor o{r.buffer, {}, {}, trans};
    bool staged = lowering.storage(r.buffer).spread();
    if (staged) {
      CHECK(which < gemm.workspaces.size() && gemm.workspaces[which],
            "an operand without a workspace");
      o.buffer = gemm.workspaces[which];
      stmts.push_back(stage_operand(r, o.buffer, here, lowering));
    }
    for (size_t d = 0; d < r.dims.size(); ++d) {
      Expr lo = staged ? int_const(0) : lowering.expr(r.dims[d].lo, here);
      (d + 2 < r.dims.size() ? o.leading : o.origin).push_back(lo);
    }
    return o;
  };
  Factor a = operand(gemm.a, 0, gemm.trans_a), b = operand(gemm.b, 1, gemm.trans_b);
  if (!stmts.empty()) stmts.push_back(lowering.block_barrier(here));
  const Region& ra = to<Region>(gemm.a);
  int64_t extent_k = ra.dims[ra.dims.size() - (gemm.trans_a ? 2 : 1)].extent;

  Accumulator own = accumulator(c, here, lowering);
  here = lowering.where(here, own.walk.inside);
  Stmt declare;
  const Sums sums = sums_of(acc, declare, lowering);
  stmts.push_back(declare);
  auto each = [&](Symbol buffer, Expr value) {
    return wrap(own.walk, store(buffer, points(own.place), std::move(value)), 0, own.mode);
  };
  const Expr given = cast(sums.dtype, load(acc.name, acc.dtype, own.place));
  Stmt zero = each(sums.name, number(0, sums.dtype));
  Stmt old = sums.name == acc.name ? Stmt() : each(sums.name, given);
  Expr clear = gemm.clear ? lowering.expr(gemm.clear, here) : bool_const(false);
  if (is_int(clear, 0))
    stmts.push_back(old);
  else
    stmts.push_back(is_int(clear, 1) ? zero : if_then(clear, zero, old));

  Symbol k = lowering.fresh("k");
  DType type_a = lowering.storage(to<Region>(gemm.a).buffer).dtype,
        type_b = lowering.storage(to<Region>(gemm.b).buffer).dtype;
  Expr left = operand_at(a, type_a, own.row, name_ref(k));
  Expr right = operand_at(b, type_b, name_ref(k), own.col);
  if (gemm.tf32) left = as_tf32(left), right = as_tf32(right);
  left = cast(sums.dtype, left), right = cast(sums.dtype, right);
  Expr sum = load(sums.name, sums.dtype, own.place);
  Expr next = is_float(sums.dtype) ? call(Intrinsic::fma, sum->type, {left, right, sum})
                                   : add(sum, mul(left, right));
  stmts.push_back(for_loop(k, int_const(0), int_const(extent_k), each(sums.name, next)));
  if (sums.name != acc.name) stmts.push_back(each(acc.name, cast(acc.dtype, sum)));
  return seq(std::move(stmts));
}

}  // namespace tilelab
