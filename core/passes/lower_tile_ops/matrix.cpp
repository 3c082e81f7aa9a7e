// SPDX-License-Identifier: Apache-2.0
// T.gemm by matrix instructions. Units (the warps that issue together) own one sub-tile each; a
// unit iterates over its instructions along M and N, and over the steps along K.
//   asynchronous (wgmma, sqmma): operands in shared memory, one group for the whole matmul
//     mma_fence(C); for k in unroll(4): wgmma(C[0:64], A_s[...], B_s[...]); mma_commit();
//     mma_wait(0)
//   all others use fragments: mma.cpp
#include "core/passes/lower_tile_ops/matrix.h"

namespace tilelab {

MatrixGemm::MatrixGemm(const Gemm& gemm, const MatrixInstruction& row, LoweringScope here,
                       Lowering& lowering)
    : gemm_(gemm), row_(row), here_(std::move(here)), lowering_(lowering) {
  const Region &a = to<Region>(gemm.a), &c = to<Region>(gemm.c);
  const size_t rank = c.dims.size();
  k_ = a.dims[a.dims.size() - (gemm.trans_a ? 2 : 1)].extent;
  inst_ = {gemm.inst.at(0), gemm.inst.at(1), gemm.inst.at(2)};
  along_m_ = gemm.warps.at(0) / row.warps, along_n_ = gemm.warps.at(1);
  tile_m_ = c.dims[rank - 2].extent / along_m_, tile_n_ = c.dims[rank - 1].extent / along_n_;
  sums_ = lowering.storage(c.buffer);
  a_ = stored(gemm.a, gemm.trans_a);
  b_ = stored(gemm.b, !gemm.trans_b);
}

Stmt MatrixGemm::lower() {
  units();
  std::vector<Stmt> out;
  Expr clear = gemm_.clear ? lowering_.expr(gemm_.clear, here_) : bool_const(false);
  const bool from_zero = row_.intrinsic == "wgmma" && is_int(clear, 1);
  if (!from_zero && !is_int(clear, 0)) {
    Stmt zero = unrolled("i", registers(), [&](Expr i) {
      return store(sums_.name, {point(i)}, number(0, sums_.dtype));
    });
    out.push_back(is_int(clear, 1) ? zero : if_then(clear, zero));
  }
  out.push_back(row_.asynchronous ? asynchronous(from_zero) : by_fragments());
  return seq(std::move(out));
}

StoredOperand MatrixGemm::stored(const Expr& e, bool k_first) const {
  const Region& r = to<Region>(e);
  const Storage memory = lowering_.storage(r.buffer);
  StoredOperand out{memory.name, memory.dtype, {}, {}, k_first, memory.spread()};
  for (size_t d = 0; d < r.dims.size(); ++d) {
    Expr lo = lowering_.expr(r.dims[d].lo, here_);
    if (d + 2 < r.dims.size())
      out.leading.push_back(point(lo));
    else
      out.origin[d + 2 - r.dims.size()] = lo;
  }
  return out;
}

void MatrixGemm::units() {
  row_at_ = column_at_ = int_const(0);
  if (along_m_ * along_n_ == 1) return;
  const Expr unit = lowering_.unit(row_.lanes, sums_.layout.base, here_);
  if (along_m_ > 1) row_at_ = mul(floormod(unit, int_const(along_m_)), int_const(tile_m_));
  if (along_n_ > 1) column_at_ = mul(floordiv(unit, int_const(along_m_)), int_const(tile_n_));
  row_at_ = here_.simplified(row_at_), column_at_ = here_.simplified(column_at_);
}

Expr MatrixGemm::sums(Expr i, Expr j) const {
  const int64_t n = per_thread(inst_.m * inst_.n);
  const int64_t down = tile_m_ / inst_.m, across = tile_n_ / inst_.n;
  const bool m_fastest = row_.order == RegisterOrder::m_fastest;
  Expr tile = m_fastest ? add(mul(j, int_const(down)), i) : add(mul(i, int_const(across)), j);
  return slice_of(sums_.name, sums_.dtype, mul(tile, int_const(n)), n);
}

Expr MatrixGemm::left_fragment(Expr i, Expr k) const {
  const int64_t held = per_thread(inst_.m * inst_.k);
  const Expr tile = add(mul(i, int_const(k_ / inst_.k)), k);
  return slice_of(a_.buffer, a_.dtype, mul(tile, int_const(held)), held);
}

Expr MatrixGemm::simplified(const Expr& place) const {
  Region out(to<Region>(place));
  for (RegionDim& d : out.dims) d.lo = here_.simplified(d.lo);
  return make(std::move(out));
}

// ---- asynchronous instructions

Stmt MatrixGemm::asynchronous(bool from_zero) {
  std::vector<Stmt> out;
  if (lowering_.target().proxy_fence &&
      (lowering_.filled_by_threads(a_.buffer) || lowering_.filled_by_threads(b_.buffer))) {
    // Every writer has its fence, and a barrier follows all of them.
    out.push_back(fence_of_product());
    out.push_back(lowering_.block_barrier(here_));
  }
  if (row_.fenced) {
    std::vector<Expr> touched{slice_of(sums_.name, sums_.dtype, int_const(0), registers())};
    if (a_.in_registers)
      touched.push_back(slice_of(a_.buffer, a_.dtype, int_const(0),
                                 extent(lowering_.storage(a_.buffer).layout, 'r')));
    out.push_back(do_call(Intrinsic::mma_fence, std::move(touched)));
  }
  const int64_t steps = k_ / inst_.k;
  // An accumulator's instructions follow each other: its registers are set where they are first
  // needed, and no other accumulator has to be in registers with it.
  out.push_back(unrolled("i", tile_m_ / inst_.m, [&](Expr i) {
    return unrolled("j", tile_n_ / inst_.n, [&](Expr j) {
      std::vector<Stmt> each;
      if (from_zero) each.push_back(issue(i, j, int_const(0), true));
      if (steps > from_zero)
        each.push_back(unrolled(
            "k", steps, [&](Expr k) { return issue(i, j, k, false); }, from_zero));
      return seq(std::move(each));
    });
  }));
  out.push_back(do_call(Intrinsic::mma_commit, {}));
  const bool exact = lowering_.target().matrix_waits == Waits::exact;
  const int64_t left = exact && gemm_.wait > 0 ? gemm_.wait : 0;
  if (left == 0 || here_.role->rings.waits.count(&gemm_))
    out.push_back(do_call(Intrinsic::mma_wait, {int_const(left)}));
  return seq(std::move(out));
}

Stmt MatrixGemm::issue(Expr i, Expr j, Expr k, bool zero) {
  const Expr at_k = mul(k, int_const(inst_.k));
  Expr a = a_.in_registers
               ? left_fragment(i, k)
               : a_.part(add(row_at_, mul(i, int_const(inst_.m))), inst_.m, at_k, inst_.k);
  Expr b = b_.part(add(column_at_, mul(j, int_const(inst_.n))), inst_.n, at_k, inst_.k);
  std::vector<Attr> attrs = shape();
  if (row_.intrinsic == "wgmma") attrs.push_back(attr("zero", zero));
  attrs.push_back(attr("tA", gemm_.trans_a));
  attrs.push_back(attr("tB", !gemm_.trans_b));
  return do_call(*intrinsic_from_name(row_.intrinsic), {sums(i, j), simplified(a), simplified(b)},
                 std::move(attrs));
}

std::string not_lowered_by(const Gemm& gemm, const MatrixInstruction& row) {
  const std::string by = "a gemm by " + std::string(row.name);
  if (row.order != RegisterOrder::n_pairs) return "";
  const Region& c = to<Region>(gemm.c);
  const size_t rank = c.dims.size();
  const int64_t tile_m = c.dims[rank - 2].extent / gemm.warps[0];
  const int64_t tile_n = c.dims[rank - 1].extent / gemm.warps[1];
  return tile_m % 16 == 0 && tile_n % 8 == 0 ? "" : by + " other than of sub-tiles of 16 x 8";
}

namespace {

/// Whether the storage holds the operand in the registers that the instructions require.
bool holds_operand(const Storage& storage, const Gemm& gemm, const MatrixInstruction& row,
                   MatrixOperand operand, int64_t lanes) {
  const auto wanted = matrix_layout(gemm, row, operand, lanes);
  Layout own = storage.layout;
  for (; own.shape.size() > 2 && own.shape[0] == 1; own.dims.erase(own.dims.begin()))
    own.shape.erase(own.shape.begin());
  own.base = 0;
  return wanted && own.shape == wanted->shape && same_map(own, *wanted);
}

}  // namespace

std::string unfit_operands(const Gemm& gemm, const MatrixInstruction& row,
                           const Lowering& lowering) {
  const std::string by = "a gemm by " + std::string(name(gemm.by));
  auto of = [&](const Expr& e) { return lowering.storage(to<Region>(e).buffer); };
  const Storage a = of(gemm.a), b = of(gemm.b), c = of(gemm.c);
  if (!c.spread()) return by + " whose accumulator is not a fragment";
  if (!holds_operand(c, gemm, row, MatrixOperand::c, lowering.lanes()))
    return by + " whose accumulator does not have the layout of the instruction";
  const bool registers = row.in_registers(row.a) && a.spread();
  if (registers && !holds_operand(a, gemm, row, MatrixOperand::a, lowering.lanes()))
    return by + " whose left operand does not have the layout of the instruction";
  if ((a.scope() != Scope::shared && !registers) || b.scope() != Scope::shared)
    return by + " of operands outside shared memory";
  return "";
}

Stmt lower_by_matrix(const Gemm& gemm, const MatrixInstruction& row, const LoweringScope& here,
                     Lowering& lowering) {
  if (std::string what = unfit_operands(gemm, row, lowering); !what.empty())
    return lowering.refuse(gemm, what);
  return MatrixGemm(gemm, row, here, lowering).lower();
}

}  // namespace tilelab
