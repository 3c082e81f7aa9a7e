// SPDX-License-Identifier: Apache-2.0
// T.gemm by instructions with operands in a warp's fragments, step by step along K. Fragments are
// loaded by ldmatrix if the target has it and the layout allows it, 16 rows at a time, else each
// thread loads its own elements; a left operand that is a fragment is used in place.
//   for k in unroll(2): ldmatrix(A_r[...], ...); ldmatrix(B_r[...], ...); mma(C[...], A_r, B_r)
// In a loop over the slots of a ring, the last step runs in the next iteration (`held`), so that no
// iteration begins with a wait for fragments, and prefetches follow the matmul.
#include <algorithm>

#include "core/layout/fragments.h"
#include "core/passes/lower_tile_ops/matrix.h"

namespace tilelab {

MatrixGemm::Fragments MatrixGemm::fragments(const StoredOperand& from, MatrixOperand kind,
                                            Symbol name) const {
  const bool is_a = kind == MatrixOperand::a;
  const int64_t count = is_a ? tile_m_ / inst_.m : tile_n_ / inst_.n;
  if (from.in_registers)
    name = {};
  else if (!name)
    name = lowering_.fresh(is_a ? "A_r" : "B_r");
  return {from, kind, name, per_thread((is_a ? inst_.m : inst_.n) * inst_.k), count, int_const(0)};
}

Stmt MatrixGemm::declared(const Fragments& f, int64_t steps) const {
  if (!f.name) return nullptr;
  return make(new_buffer(f.name, Scope::local, f.from.dtype, {int_const(f.all() * steps)}));
}

/// Matrices of eight rows of 16 bytes, four at a time; it can transpose 2-byte elements only.
bool MatrixGemm::by_ldmatrix(const Fragments& f) const {
  const int64_t width = bits(f.from.dtype);
  if (f.kind == MatrixOperand::b && tile_n_ % 16 != 0) return false;
  return lowering_.target().load_matrix && width <= 32 && (!f.from.swapped || width == 16) &&
         is_contiguous(16, lowering_.storage(f.from.buffer), f.from.origin[1], here_);
}

Stmt MatrixGemm::loaded(const Fragments& f, Expr k) {
  if (!f.name) return nullptr;
  if (!by_ldmatrix(f)) return by_threads(f, k);
  const bool is_a = f.kind == MatrixOperand::a;
  return unrolled(is_a ? "i" : "j", (is_a ? tile_m_ : tile_n_) / 16,
                  [&](Expr i) { return by_ldmatrix(f, i, k); });
}

/// 16 rows of M or N by the K of an instruction. Lane l gives the address of row l % 8 of matrix l
/// / 8; matrices are ordered along K last for A and along N last for B, as the registers of the
/// fragments.
Stmt MatrixGemm::by_ldmatrix(const Fragments& f, Expr i, Expr k) const {
  const StoredOperand& from = f.from;
  const int64_t row = 128 / bits(from.dtype);  // elements of a matrix' row: half a step
  const Expr lane = name_ref("lane"), eight = int_const(8), sixteen = int_const(16);
  const Expr inner = floormod(lane, eight), in_half = floormod(lane, sixteen);
  const Expr middle = floormod(floordiv(lane, eight), int_const(2)), last = floordiv(lane, sixteen);
  const bool is_b = f.kind == MatrixOperand::b;
  // The matrix along M or N and along K; rows are along K if K comes first in memory.
  const Expr along_mn = mul(is_b ? last : middle, eight);
  const Expr along_k = mul(is_b ? middle : last, int_const(row));
  const Expr mn = from.swapped ? along_mn : is_b ? add(inner, along_mn) : in_half;
  const Expr in_k = !from.swapped ? along_k : is_b ? in_half : add(inner, along_k);
  const Expr at_mn = add(is_b ? column_at_ : row_at_, mul(i, sixteen));
  const Expr place = region(from.buffer, from.dtype,
                            from.place(add(at_mn, mn), add(mul(k, int_const(inst_.k)), in_k)));
  std::vector<Attr> attrs;
  if (from.swapped) attrs.push_back(attr("trans", true));
  return do_call(Intrinsic::ldmatrix,
                 {slice_of(f.name, from.dtype, f.at(i, row), row), simplified(place)},
                 std::move(attrs));
}

/// Each thread loads its elements; those of one register are contiguous if K comes last.
Stmt MatrixGemm::by_threads(const Fragments& f, Expr k) const {
  GemmTiling tiling = matrix_tiling(gemm_, row_, lowering_.lanes());
  tiling.k = inst_.k;
  auto map = operand_layout(tiling, f.kind);
  CHECK(map, "an instruction without a map of its operand");
  const bool is_a = f.kind == MatrixOperand::a, k_last = !f.from.swapped;
  if (is_a != k_last) map = permute(*map, {1, 0});  // as it is stored
  map->base = sums_.layout.base;
  LoweringScope here = here_;
  const Walk walk = lowering_.walk(*map, {}, here);
  const Expr at_k = add(mul(k, int_const(inst_.k)), walk.index[k_last ? 1 : 0]);
  std::vector<Expr> place;
  for (const RegionDim& d : f.from.place(walk.index[k_last ? 0 : 1], at_k))
    place.push_back(here.simplified(d.lo));
  Stmt body = store(f.name, {point(add(f.first, here.register_of(*map, walk.index)))},
                    load(f.from.buffer, f.from.dtype, place));
  const int64_t neighbours = 32 / bits(f.from.dtype);
  const bool vector = k_last && !walk.loops.empty() && walk.loops.back().extent == neighbours;
  return wrap(walk, body, vector ? neighbours : 0);
}

Stmt MatrixGemm::matmuls(const Fragments& a, const Fragments& b, Expr k) {
  auto part = [&](const Fragments& f, Expr i) {
    return f.name ? slice_of(f.name, f.from.dtype, f.at(i, f.held), f.held) : left_fragment(i, k);
  };
  return unrolled("i", a.count, [&](Expr i) {
    return unrolled("j", b.count, [&](Expr j) {
      return do_call(Intrinsic::mma, {sums(i, j), part(a, i), part(b, j)}, shape());
    });
  });
}

Stmt MatrixGemm::by_fragments() {
  if (auto names = lowering_.held(gemm_)) return held(*names);
  const Fragments a = fragments(a_, MatrixOperand::a, {}), b = fragments(b_, MatrixOperand::b, {});
  return unrolled("k", k_ / inst_.k, [&](Expr k) {
    return seq({declared(a), declared(b), loaded(a, k), loaded(b, k), matmuls(a, b, k)});
  });
}

// ---- a matmul that continues in the next iteration

/// Software pipelining of fragments: each step's fragments are loaded during the previous step; the
/// last step runs in the next iteration, after the loads of its first fragments.
Stmt MatrixGemm::held(const HeldFragments& names) {
  Fragments a = fragments(a_, MatrixOperand::a, names.a);
  Fragments b = fragments(b_, MatrixOperand::b, names.b);
  auto at_step = [&](Expr step) { a.first = a.slot(step), b.first = b.slot(step); };
  auto both = [&](Expr load, Expr multiply) {
    at_step(load);
    Stmt loads = seq({loaded(a, load), loaded(b, load)});
    at_step(multiply);
    return seq({loads, matmuls(a, b, multiply)});
  };
  const int64_t steps = k_ / inst_.k;
  return seq({both(int_const(0), int_const(steps - 1)),
              unrolled(
                  "k", steps, [&](Expr k) { return both(k, sub(k, int_const(1))); }, 1)});
}

/// The first iteration multiplies zeros.
PipelinedMatmul MatrixGemm::around(const Stmt& loop, const HeldFragments& names) {
  Fragments a = fragments(a_, MatrixOperand::a, names.a);
  Fragments b = fragments(b_, MatrixOperand::b, names.b);
  const Expr last = int_const(1);  // of an even number of steps
  a.first = a.slot(last), b.first = b.slot(last);
  auto cleared = [&](const Fragments& f) {
    return unrolled("i", f.all(), [&](Expr i) {
      return store(f.name, {point(add(f.first, i))}, number(0, f.from.dtype));
    });
  };
  return {seq({declared(a, 2), declared(b, 2), cleared(a), cleared(b)}), loop, matmuls(a, b, last)};
}

bool MatrixGemm::fits_twice() const {
  const int64_t a = tile_m_ * inst_.k * bits(a_.dtype), b = tile_n_ * inst_.k * bits(b_.dtype);
  const int64_t own = registers() * bits(sums_.dtype) / 32;
  const int64_t words = own + 2 * (a + b) / 32 / row_.lanes;
  return words <= 200;
}

namespace {

/// The only matmul of an iteration that waits for a slot of a ring, if nothing else in the loop
/// accesses its accumulator; else null.
const Gemm* pipelinable_matmul(const For& loop, const Lowering& lowering) {
  const Seq* iteration = as<Seq>(loop.body);
  if (!iteration || loop.mode != LoopMode::serial) return nullptr;
  const Gemm* found = nullptr;
  bool waits = false;
  for (const Stmt& s : iteration->stmts) {
    const RingOp* op = as<RingOp>(s);
    waits |= op && op->op == RingOpKind::wait;
    const Gemm* gemm = as<Gemm>(s);
    if (gemm && found) return nullptr;
    if (gemm) found = gemm;
  }
  if (!found || !waits) return nullptr;
  const Symbol sums = to<Region>(found->c).buffer;
  for (const Stmt& s : iteration->stmts)
    if (as<Gemm>(s) != found && names_in(*s).count(sums)) return nullptr;
  const bool is_viewed = any_of(*lowering.kernel().body, [&](const View& view) {
    return view.buffer == sums || view.name == sums;
  });
  return is_viewed ? nullptr : found;
}

/// Whether the statement only fills slots for later iterations.
bool only_prefetches(const Stmt& stmt) {
  if (const RingOp* op = as<RingOp>(stmt)) return fills_slots(op->op);
  if (const Copy* copy = as<Copy>(stmt)) return copy->by == CopyBy::async;
  if (const Parallel* loop = as<Parallel>(stmt)) return loop->by == CopyBy::async;
  if (const If* branch = as<If>(stmt)) return !branch->else_ && only_prefetches(branch->then_);
  const Seq* list = as<Seq>(stmt);
  return list && std::all_of(list->stmts.begin(), list->stmts.end(), only_prefetches);
}

/// Whether the statement binds the slot that the matmul uses.
bool names_slot_of(const Gemm& gemm, const Stmt& stmt) {
  const auto used = names_in(gemm);
  return any_of(*stmt, [&](const RingOp& op) { return op.slot && used.count(op.slot); });
}

/// Moves the matmul directly after the wait for its slots, before the prefetches: below this level,
/// reads of shared memory cannot move across its writes.
Stmt move_after_wait(const For& loop, const Gemm& gemm) {
  For out(loop);
  std::vector<Stmt> iteration = to<Seq>(loop.body).stmts;
  const auto matmul = std::find_if(iteration.begin(), iteration.end(),
                                   [&](const Stmt& s) { return as<Gemm>(s) == &gemm; });
  auto first = matmul;
  while (first != iteration.begin() && only_prefetches(first[-1]) &&
         !names_slot_of(gemm, first[-1]))
    --first;
  std::rotate(first, matmul, matmul + 1);
  out.body = at(loop.body->span, seq(std::move(iteration)));
  return at(loop.span, make(std::move(out)));
}

}  // namespace

std::optional<PipelinedMatmul> pipeline_matmul(const For& loop, const LoweringScope& here,
                                               Lowering& lowering) {
  const Gemm* gemm = pipelinable_matmul(loop, lowering);
  const MatrixInstruction* row = gemm ? lowering.target().matrix(gemm->by) : nullptr;
  const bool by_fragments = row && !row->asynchronous && lowering.target().load_matrix;
  if (!by_fragments || (gemm->clear && !is_int(gemm->clear, 0))) return std::nullopt;
  const Region& a = to<Region>(gemm->a);
  const int64_t k = a.dims[a.dims.size() - (gemm->trans_a ? 2 : 1)].extent;
  const bool even = k / gemm->inst.at(2) % 2 == 0;
  if (!even || !unfit_operands(*gemm, *row, lowering).empty() ||
      lowering.storage(a.buffer).spread())
    return std::nullopt;
  MatrixGemm matmul(*gemm, *row, here, lowering);
  if (!matmul.fits_twice()) return std::nullopt;
  const HeldFragments names{lowering.fresh("A_r"), lowering.fresh("B_r")};
  lowering.hold(*gemm, names);
  return matmul.around(move_after_wait(loop, *gemm), names);
}

}  // namespace tilelab
