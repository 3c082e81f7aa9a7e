// SPDX-License-Identifier: Apache-2.0
// T.gemm by matrix instructions. Units (the warps that issue together) own one sub-tile each; a
// unit goes over its instructions along M and N and over the steps along K.
//   asynchronous (wgmma, sqmma): operands in shared memory, one group for the whole product
//     mma_fence(C); for k in unroll(4): wgmma(C[0:64], A_s[...], B_s[...]); mma_commit();
//     mma_wait(0)
//   mma: fragments come by ldmatrix, 16 x 16 at a time
//     for k in unroll(2): ldmatrix(A_r[...], ...); ldmatrix(B_r[...], ...); mma(C[...], A_r, B_r)
#include "core/layout/layout.h"
#include "core/passes/lowering.h"
#include "core/passes/matrix_layout.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// An operand as it is stored: two dimensions behind leading points, M or N first unless `swapped`.
struct Stored {
  Symbol buffer;
  DType dtype = DType::f16;
  std::vector<RegionDim> leading;
  Expr origin[2];        // of the stored dimensions
  bool swapped = false;  // K comes first
  bool in_registers = false;

  /// The part of `mn` x `k` elements at (at_mn, at_k).
  Expr part(Expr at_mn, int64_t mn, Expr at_k, int64_t k) const {
    std::vector<RegionDim> dims = leading;
    Expr first = swapped ? at_k : at_mn, second = swapped ? at_mn : at_k;
    dims.push_back(slice(further(origin[0], first), swapped ? k : mn));
    dims.push_back(slice(further(origin[1], second), swapped ? mn : k));
    return region(buffer, dtype, std::move(dims));
  }
  /// One element, as the first of a row that ldmatrix reads.
  Expr element(Expr at_mn, Expr at_k) const {
    std::vector<RegionDim> dims = leading;
    dims.push_back(point(further(origin[0], swapped ? at_k : at_mn)));
    dims.push_back(point(further(origin[1], swapped ? at_mn : at_k)));
    return region(buffer, dtype, std::move(dims));
  }
};

class MatrixGemm {
 public:
  MatrixGemm(const Gemm& gemm, const MatrixInstruction& row, Here here, Lowering& lowering)
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

  Stmt lower() {
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

 private:
  Stored stored(const Expr& e, bool k_first) {
    const Region& r = to<Region>(e);
    const Storage memory = lowering_.storage(r.buffer);
    Stored out{memory.name, memory.dtype, {}, {}, k_first, memory.spread()};
    for (size_t d = 0; d < r.dims.size(); ++d) {
      Expr lo = lowering_.expr(r.dims[d].lo, here_);
      if (d + 2 < r.dims.size())
        out.leading.push_back(point(lo));
      else
        out.origin[d + 2 - r.dims.size()] = lo;
    }
    return out;
  }

  int64_t registers() const { return extent(sums_.layout, 'r'); }
  static int64_t per_thread(int64_t elements, const MatrixInstruction& row) {
    return elements / row.lanes;
  }

  /// Afterwards row_at_ and column_at_ are the corner of the thread's unit.
  void units() {
    row_at_ = column_at_ = int_const(0);
    if (along_m_ * along_n_ == 1) return;
    const Expr unit = lowering_.unit(row_.lanes, sums_.layout.base, here_);
    if (along_m_ > 1) row_at_ = mul(floormod(unit, int_const(along_m_)), int_const(tile_m_));
    if (along_n_ > 1) column_at_ = mul(floordiv(unit, int_const(along_m_)), int_const(tile_n_));
    row_at_ = here_.simplified(row_at_), column_at_ = here_.simplified(column_at_);
  }

  /// The body for each value below `n`, as an unrolled loop where there are several.
  template <class F> Stmt unrolled(const char* name, int64_t n, F body, int64_t from = 0) {
    if (n - from == 1) return body(int_const(from));
    const Symbol var = lowering_.fresh(name);
    here_.facts.set(var, {from, n - 1});
    return for_loop(var, int_const(from), int_const(n), body(name_ref(var)), LoopMode::unroll);
  }

  Expr slice_of(Symbol buffer, DType dtype, Expr first, int64_t n) {
    return region(buffer, dtype, {slice(here_.simplified(first), n)});
  }
  /// The accumulators of instruction (i, j) of the unit.
  Expr sums(Expr i, Expr j) {
    const int64_t n = per_thread(inst_.m * inst_.n, row_);
    const int64_t down = tile_m_ / inst_.m, across = tile_n_ / inst_.n;
    const bool m_fastest = row_.order == RegisterOrder::m_fastest;
    Expr tile = m_fastest ? add(mul(j, int_const(down)), i) : add(mul(i, int_const(across)), j);
    return slice_of(sums_.name, sums_.dtype, mul(tile, int_const(n)), n);
  }
  std::vector<Attr> shape() const { return {attr("shape", to_text(inst_))}; }

  // ---- asynchronous instructions

  Stmt asynchronous(bool from_zero) {
    std::vector<Stmt> out;
    if (lowering_.target().proxy_fence &&
        (lowering_.filled_by_threads(a_.buffer) || lowering_.filled_by_threads(b_.buffer))) {
      // Every writer has its fence, and the threads meet behind all of them.
      out.push_back(do_call(Intrinsic::fence_proxy, {}));
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
    auto all = [&](Expr k, bool zero) {
      return unrolled("i", tile_m_ / inst_.m, [&](Expr i) {
        return unrolled("j", tile_n_ / inst_.n, [&](Expr j) { return product(i, j, k, zero); });
      });
    };
    if (from_zero) out.push_back(all(int_const(0), true));
    if (steps > from_zero)
      out.push_back(unrolled(
          "k", steps, [&](Expr k) { return all(k, false); }, from_zero));
    out.push_back(do_call(Intrinsic::mma_commit, {}));
    const bool exact = lowering_.target().matrix_waits == Waits::exact;
    const int64_t left = exact && gemm_.wait > 0 ? gemm_.wait : 0;
    if (left == 0 || here_.role->rings.waits.count(&gemm_))
      out.push_back(do_call(Intrinsic::mma_wait, {int_const(left)}));
    return seq(std::move(out));
  }

  Stmt product(Expr i, Expr j, Expr k, bool zero) {
    const Expr at_k = mul(k, int_const(inst_.k));
    const int64_t held = per_thread(inst_.m * inst_.k, row_);
    Expr a = a_.in_registers
                 ? slice_of(a_.buffer, a_.dtype,
                            mul(add(mul(i, int_const(k_ / inst_.k)), k), int_const(held)), held)
                 : a_.part(add(row_at_, mul(i, int_const(inst_.m))), inst_.m, at_k, inst_.k);
    Expr b = b_.part(add(column_at_, mul(j, int_const(inst_.n))), inst_.n, at_k, inst_.k);
    std::vector<Attr> attrs = shape();
    if (row_.intrinsic == "wgmma") attrs.push_back(attr("zero", zero));
    attrs.push_back(attr("tA", gemm_.trans_a));
    attrs.push_back(attr("tB", !gemm_.trans_b));
    return do_call(*intrinsic_from_name(row_.intrinsic), {sums(i, j), simplified(a), simplified(b)},
                   std::move(attrs));
  }

  Expr simplified(const Expr& place) const {
    Region out(to<Region>(place));
    for (RegionDim& d : out.dims) d.lo = here_.simplified(d.lo);
    return make(std::move(out));
  }

  // ---- fragments by ldmatrix

  Stmt fragments(Symbol name, const Stored& from, int64_t count) {
    Buffer b;
    b.name = name;
    b.scope = Scope::local;
    b.dtype = from.dtype;
    b.shape = {int_const(8 * count)};
    return make(std::move(b));
  }

  /// 16 rows of M or N by 16 of K. Lane l names row l % 8 of matrix l / 8; the matrices go along
  /// K last for A and along N last for B, as the fragments have their registers.
  Stmt load(Symbol name, const Stored& from, Expr at_mn, Expr i, Expr k, bool is_b) {
    const Expr lane = name_ref("lane"), eight = int_const(8), sixteen = int_const(16);
    const Expr first = floormod(lane, sixteen), last = mul(floordiv(lane, sixteen), eight);
    const Expr inner = floormod(lane, eight);
    const Expr middle = mul(floormod(floordiv(lane, eight), int_const(2)), eight);
    Expr mn = is_b ? (from.swapped ? last : add(inner, last)) : from.swapped ? middle : first;
    Expr in_k = is_b ? (from.swapped ? first : middle) : from.swapped ? add(inner, last) : last;
    Expr place = from.element(add(add(at_mn, mul(i, sixteen)), mn), add(mul(k, sixteen), in_k));
    std::vector<Attr> attrs;
    if (from.swapped) attrs.push_back(attr("trans", true));
    return do_call(Intrinsic::ldmatrix,
                   {slice_of(name, from.dtype, mul(i, eight), 8), simplified(place)},
                   std::move(attrs));
  }

  Stmt by_fragments() {
    const int64_t down = tile_m_ / 16, across = tile_n_ / 16;
    const Symbol a = lowering_.fresh("A_r"), b = lowering_.fresh("B_r");
    return unrolled("k", k_ / inst_.k, [&](Expr k) {
      return seq(
          {fragments(a, a_, down), fragments(b, b_, across),
           unrolled("i", down, [&](Expr i) { return load(a, a_, row_at_, i, k, false); }),
           unrolled("j", across, [&](Expr j) { return load(b, b_, column_at_, j, k, true); }),
           unrolled("i", down, [&](Expr i) {
             return unrolled("j", 2 * across, [&](Expr j) {
               return do_call(Intrinsic::mma,
                              {sums(i, j), slice_of(a, a_.dtype, mul(i, int_const(8)), 8),
                               slice_of(b, b_.dtype, mul(j, int_const(4)), 4)},
                              shape());
             });
           })});
    });
  }

  const Gemm& gemm_;
  const MatrixInstruction& row_;
  Here here_;
  Lowering& lowering_;
  int64_t k_ = 0, along_m_ = 1, along_n_ = 1, tile_m_ = 0, tile_n_ = 0;
  MatrixShape inst_;
  Storage sums_;
  Stored a_, b_;
  Expr row_at_, column_at_;  // of the unit's sub-tile
};

}  // namespace

std::string not_lowered_by(const Gemm& gemm, const MatrixInstruction& row) {
  const std::string by = "a gemm by " + std::string(row.name);
  if (row.intrinsic == "mma" && row.order != RegisterOrder::n_pairs) return by;
  if (row.asynchronous) return "";
  const Region& c = to<Region>(gemm.c);
  const size_t rank = c.dims.size();
  const int64_t tile_m = c.dims[rank - 2].extent / gemm.warps[0];
  const int64_t tile_n = c.dims[rank - 1].extent / gemm.warps[1];
  const bool whole = tile_m % 16 == 0 && tile_n % 16 == 0 && bits(gemm.a->type.dtype) == 16;
  return whole ? "" : by + " but of 16-bit operands and sub-tiles of 16 x 16";
}

namespace {

/// Whether the storage holds the operand as the instructions have it in registers.
bool held_so(const Storage& storage, const Gemm& gemm, const MatrixInstruction& row,
             MatrixOperand operand, int64_t lanes) {
  const auto wanted = matrix_layout(gemm, row, operand, lanes);
  Layout own = storage.layout;
  for (; own.shape.size() > 2 && own.shape[0] == 1; own.dims.erase(own.dims.begin()))
    own.shape.erase(own.shape.begin());
  own.base = 0;
  return wanted && own.shape == wanted->shape && same_map(own, *wanted);
}

/// What of the operands the instructions can't take; "" where they can.
std::string unfit_operands(const Gemm& gemm, const MatrixInstruction& row,
                           const Lowering& lowering) {
  const std::string by = "a gemm by " + std::string(name(gemm.by));
  auto of = [&](const Expr& e) { return lowering.storage(to<Region>(e).buffer); };
  const Storage a = of(gemm.a), b = of(gemm.b), c = of(gemm.c);
  if (!c.spread()) return by + " whose sums are in no fragment";
  if (!held_so(c, gemm, row, MatrixOperand::c, lowering.lanes()))
    return by + " whose sums lie otherwise than the instruction has them";
  const bool registers = row.asynchronous && a.spread();
  if (registers && !held_so(a, gemm, row, MatrixOperand::a, lowering.lanes()))
    return by + " whose left factor lies otherwise than the instruction reads it";
  if ((a.scope() != Scope::shared && !registers) || b.scope() != Scope::shared)
    return by + " of factors outside of shared memory";
  return "";
}

}  // namespace

Stmt lower_by_matrix(const Gemm& gemm, const MatrixInstruction& row, const Here& here,
                     Lowering& lowering) {
  if (std::string what = unfit_operands(gemm, row, lowering); !what.empty())
    return lowering.refuse(gemm, what);
  return MatrixGemm(gemm, row, here, lowering).lower();
}

}  // namespace tilelab
