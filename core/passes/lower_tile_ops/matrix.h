// SPDX-License-Identifier: Apache-2.0
// Private to the lowering of T.gemm by matrix instructions: one matmul. matrix.cpp has the code
// that all rows share and the asynchronous ones, mma.cpp those that use fragments.
#pragma once

#include "core/layout/layout.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/shared/matrix_layout.h"
#include "core/targets/target.h"

namespace tilelab {

/// An operand in memory: two dimensions after leading points, M or N first unless `swapped`.
struct StoredOperand {
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
    dims.push_back(slice(offset_by(origin[0], first), swapped ? k : mn));
    dims.push_back(slice(offset_by(origin[1], second), swapped ? mn : k));
    return region(buffer, dtype, std::move(dims));
  }
  /// Of one element.
  std::vector<RegionDim> place(Expr at_mn, Expr at_k) const {
    std::vector<RegionDim> dims = leading;
    dims.push_back(point(offset_by(origin[0], swapped ? at_k : at_mn)));
    dims.push_back(point(offset_by(origin[1], swapped ? at_mn : at_k)));
    return dims;
  }
};

class MatrixGemm {
 public:
  MatrixGemm(const Gemm& gemm, const MatrixInstruction& row, LoweringScope here,
             Lowering& lowering);
  Stmt lower();
  /// Prologue and epilogue of a loop that delays the matmul's last step.
  PipelinedMatmul around(const Stmt& loop, const HeldFragments& names);
  /// Whether accumulators and the fragments of two steps leave a thread enough registers.
  bool fits_twice() const;

 private:
  StoredOperand stored(const Expr& e, bool k_first) const;
  int64_t registers() const { return extent(sums_.layout, 'r'); }
  int64_t per_thread(int64_t elements) const { return elements / row_.lanes; }
  /// Sets row_at_ and column_at_ to the corner of the thread's unit.
  void units();

  /// The body for each value below `n`, as an unrolled loop if there are several.
  template <class F> Stmt unrolled(const char* name, int64_t n, F body, int64_t from = 0) {
    if (n - from == 1) return body(int_const(from));
    const Symbol var = lowering_.fresh(name);
    here_.facts.set(var, {from, n - 1});
    return for_loop(var, int_const(from), int_const(n), body(name_ref(var)), LoopMode::unroll);
  }
  Expr slice_of(Symbol buffer, DType dtype, Expr first, int64_t n) const {
    return region(buffer, dtype, {slice(here_.simplified(first), n)});
  }
  /// The accumulators of instruction (i, j) of the unit.
  Expr sums(Expr i, Expr j) const;
  /// The registers of instruction (i, k) if the left operand is a fragment.
  Expr left_fragment(Expr i, Expr k) const;
  std::vector<Attr> shape() const { return {attr("shape", to_text(inst_))}; }
  Expr simplified(const Expr& place) const;

  // ---- asynchronous instructions: matrix.cpp
  Stmt asynchronous(bool from_zero);
  Stmt issue(Expr i, Expr j, Expr k, bool zero);

  // ---- instructions that use fragments: mma.cpp
  /// The registers of an operand for one step along K.
  struct Fragments {
    const StoredOperand& from;
    MatrixOperand kind;
    Symbol name;   // empty if the operand is in registers
    int64_t held;  // elements of one instruction
    int64_t count;
    Expr first;  // register of the step
    int64_t all() const { return held * count; }
    Expr slot(Expr step) const { return mul(floormod(step, int_const(2)), int_const(all())); }
    Expr at(Expr i, int64_t n) const { return add(first, mul(i, int_const(n))); }
  };
  Fragments fragments(const StoredOperand& from, MatrixOperand kind, Symbol name) const;
  Stmt declared(const Fragments& f, int64_t steps = 1) const;
  bool by_ldmatrix(const Fragments& f) const;
  Stmt loaded(const Fragments& f, Expr k);
  Stmt by_ldmatrix(const Fragments& f, Expr i, Expr k) const;
  Stmt by_threads(const Fragments& f, Expr k) const;
  Stmt matmuls(const Fragments& a, const Fragments& b, Expr k);
  Stmt by_fragments();
  Stmt held(const HeldFragments& names);

  const Gemm& gemm_;
  const MatrixInstruction& row_;
  LoweringScope here_;
  Lowering& lowering_;
  int64_t k_ = 0, along_m_ = 1, along_n_ = 1, tile_m_ = 0, tile_n_ = 0;
  MatrixShape inst_;
  Storage sums_;
  StoredOperand a_, b_;
  Expr row_at_, column_at_;  // of the unit's sub-tile
};

}  // namespace tilelab
