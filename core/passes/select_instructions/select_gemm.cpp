// SPDX-License-Identifier: Apache-2.0
// Selects the matrix instruction for a matmul: the first row of the target that accepts the
// operands' layouts, in a suitable shape, with the warp grid that reads the operands least often.
//   gemm(A_s, B_s, C_l, policy="square")  ->  gemm(..., by="wgmma", inst=[64, 256, 16],
//   warps=[8, 1]); A_s and B_s get chunks and swizzle of wgmma's operands.
#include <algorithm>

#include "core/layout/fragments.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/select_instructions/select_instructions.h"
#include "core/passes/shared/matrix_layout.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

class Chooser {
 public:
  Chooser(const Gemm& gemm, int64_t threads, const Target& target, const UnitOptions& options,
          const KernelMemory& memory, const RangeAnalysis& facts, SharedForms& forms)
      : gemm_(gemm),
        threads_(threads),
        target_(target),
        options_(options),
        memory_(memory),
        facts_(facts),
        forms_(forms) {
    const Region &a = to<Region>(gemm.a), &c = to<Region>(gemm.c);
    m_ = c.dims[c.dims.size() - 2].extent, n_ = c.dims.back().extent;
    k_ = a.dims[a.dims.size() - (gemm.trans_a ? 2 : 1)].extent;
    type_ = a.type.dtype;
    a_ = stored(gemm.a, gemm.trans_a ? MatrixOperand::a_mn : MatrixOperand::a);
    b_ = stored(gemm.b, gemm.trans_b ? MatrixOperand::b : MatrixOperand::b_mn);
  }

  MatrixChoice choose() {
    std::vector<std::string> refused;
    MatrixChoice none;
    for (const MatrixInstruction& row : matrix_instructions()) {
      if (!target_.has(row)) continue;
      MatrixChoice choice;
      const std::string why = fit(row, choice);
      if (why.empty()) {
        choice.refused = join(refused, "; ");
        return choice;
      }
      refused.push_back(std::string(row.name) + ": " + why);
      none.lost |= !disabled(row) && types(row).empty();
    }
    none.refused = refused.empty() ? "the target has none" : join(refused, "; ");
    return none;
  }

 private:
  OperandTile stored(const Expr& e, MatrixOperand kind) const {
    const Region& region = to<Region>(e);
    const size_t rank = region.dims.size();
    return {&region, memory_.base_buffer(region.buffer), kind, region.dims[rank - 2].extent,
            region.dims[rank - 1].extent};
  }

  bool disabled(const MatrixInstruction& row) const {
    const auto& names = options_.without;
    return std::find(names.begin(), names.end(), row.name) != names.end();
  }

  std::string fit(const MatrixInstruction& row, MatrixChoice& choice) {
    if (disabled(row)) return "disabled by the pass configuration";
    if (std::string why = types(row); !why.empty()) return why;
    if (std::string why = result(); !why.empty()) return why;
    const auto grid = best(row);
    if (!grid) {
      return "no shape of it covers " + std::to_string(m_) + " x " + std::to_string(n_) + " x " +
             std::to_string(k_) + " with " + std::to_string(threads_) + " threads";
    }
    choice.row = &row, choice.warps = grid->warps, choice.inst = grid->inst;
    choice.wide_sums = to<Region>(gemm_.c).type.dtype != accumulator_of(type_);
    Gemm chosen(gemm_);
    chosen.by = *parse_GemmBy(row.name);
    chosen.inst = {choice.inst.m, choice.inst.n, choice.inst.k};
    chosen.warps = {choice.warps.m, choice.warps.n};
    if (std::string what = not_lowered_by(chosen, row); !what.empty())
      return what + " is not lowered yet";
    if (std::string why = splits_thread_elements(gemm_.c, MatrixOperand::c, chosen, row);
        !why.empty())
      return why;
    // Layout demands are kept only if all operands can satisfy them.
    const SharedForms before = forms_;
    std::string why = place(a_, row, chosen, choice.staged_a);
    if (why.empty()) why = place(b_, row, chosen, choice.staged_b);
    if (why.empty()) why = reserve_staging(choice);
    if (!why.empty()) forms_ = before;
    return why;
  }

  /// Reserves shared memory for staged operands; returns the reason if it does not fit.
  std::string reserve_staging(const MatrixChoice& choice) {
    const int64_t before = forms_.extra_bytes();
    if (choice.staged_a) forms_.staged_bytes += allocated_bytes(*a_.buffer);
    if (choice.staged_b) forms_.staged_bytes += allocated_bytes(*b_.buffer);
    const int64_t now = forms_.extra_bytes();
    if (now > before && memory_.shared_bytes + now > target_.shared_bytes)
      return "an operand is in a fragment, and shared memory has no space for it";
    return "";
  }

  std::string types(const MatrixInstruction& row) const {
    const DType other = to<Region>(gemm_.b).type.dtype, sums = to<Region>(gemm_.c).type.dtype;
    const std::string type(name(type_));
    if (other != type_) return "A and B are of two types";
    if (!row.supports(type)) return "no operands of " + type;
    if (type_ == DType::f32 && !gemm_.tf32)
      return "it reads f32 as tf32, which needs operands of the dtype tfloat32";
    const DType sum = accumulator_of(type_);
    const bool rounded = sum == DType::f32 && is_float(sums) && bits(sums) < bits(sum);
    if (sums != sum && !rounded)
      return "it accumulates in " + std::string(name(sum)) + ", C is " + std::string(name(sums));
    return "";
  }

  std::string result() const {
    const Region& c = to<Region>(gemm_.c);
    const Buffer* buffer = memory_.base_buffer(c.buffer);
    if (!buffer || buffer->scope != Scope::fragment) return "C is not a fragment";
    if (buffer->dtype != c.type.dtype) return "C is a view of another type";
    if (buffer->layout.known() || buffer->where.known()) return "C has a layout annotation";
    if (c.dims.size() != 2) return "C has more than two dimensions";
    return all_of(c) ? "" : "C is a part of its fragment";
  }

  /// Whether a view of a fragment, in the instruction's layout, has a shape that splits a thread's
  /// elements.
  std::string splits_thread_elements(const Expr& operand, MatrixOperand kind, const Gemm& chosen,
                                     const MatrixInstruction& row) const {
    const Region& named = to<Region>(operand);
    const Buffer& held = *memory_.base_buffer(named.buffer);
    auto layout = matrix_layout(chosen, row, kind, target_.lanes);
    if (layout && named.buffer != held.name) layout = reshape(*layout, const_shape(held));
    if (!layout)
      return "`" + named.buffer.str() + "` splits the elements of a thread in `" + held.name.str() +
             "`";
    for (const View* view : memory_.views_of_buffer(held.name)) {
      const auto shape = memory_.shape_of(view->name);
      if (!shape || !reshape(*layout, *shape, bits(held.dtype), bits(view->dtype)))
        return "the view `" + view->name.str() + "` splits the elements of a thread in `" +
               held.name.str() + "`";
    }
    return "";
  }

  // ---- shape and warps

  struct Grid {
    WarpGrid warps;
    MatrixShape inst;
    int64_t reads = 0;  // elements of operands, for one step along K
  };

  /// The preferred shape that divides a sub-tile.
  std::optional<MatrixShape> shape_of(const MatrixInstruction& row, int64_t tile_m,
                                      int64_t tile_n) const {
    for (const std::vector<int>& mn : row.shapes_of(bits(type_))) {
      if (tile_m % mn[0] != 0 || tile_n % mn[1] != 0) continue;
      for (int multiple : row.multiples_of(bits(type_))) {
        const MatrixShape shape{mn[0], mn[1], row.k_bits * multiple / bits(type_)};
        if (k_ % shape.k == 0 && fits_line(row, a_.kind, shape, bits(type_)) &&
            fits_line(row, b_.kind, shape, bits(type_)))
          return shape;
      }
    }
    return std::nullopt;
  }

  /// `pairs`: the columns of a warp are multiples of 16, of which ldmatrix loads four matrices.
  std::optional<Grid> grid(const MatrixInstruction& row, int64_t along_m, int64_t along_n,
                           bool pairs) const {
    if (m_ % (row.tile.m * along_m) != 0 || n_ % (row.tile.n * along_n) != 0) return std::nullopt;
    const int64_t units_m = along_m / row.warps;
    const int64_t tile_m = m_ / units_m, tile_n = n_ / along_n;
    auto inst = shape_of(row, tile_m, tile_n);
    if (!inst || (pairs && tile_n % 16 != 0)) return std::nullopt;
    Grid out{{along_m, along_n}, *inst};
    const int64_t times = row.asynchronous ? (tile_m / inst->m) * (tile_n / inst->n) : 1;
    const int64_t once = row.asynchronous ? inst->m + inst->n : tile_m + tile_n;
    out.reads = units_m * along_n * times * once;
    return out;
  }

  /// The best grid whose warps load pairs of n8 tiles together, else any.
  std::optional<Grid> best(const MatrixInstruction& row) const {
    const bool pairs = row.order == RegisterOrder::n_pairs;
    const auto found = best(row, pairs);
    return found || !pairs ? found : best(row, false);
  }

  /// full_row: most warps along M; full_col: along N; square: fewest operand reads, but like
  /// full_row if the result becomes a left factor, of which each warp needs whole rows.
  std::optional<Grid> best(const MatrixInstruction& row, bool pairs) const {
    const int64_t warps = threads_ / target_.lanes;
    std::optional<Grid> out;
    if (threads_ % target_.lanes != 0 || threads_ % row.lanes != 0) return out;
    WarpPolicy policy = gemm_.policy;
    if (policy == WarpPolicy::square && row.in_registers(row.a) && needs_whole_rows())
      policy = WarpPolicy::full_row;
    for (int64_t m = row.tile.warps_m_multiple; m <= warps; m += row.tile.warps_m_multiple) {
      if (warps % m != 0 || m % row.warps != 0) continue;
      auto next = grid(row, m, warps / m, pairs);
      if (!next) continue;
      bool better = !out || policy == WarpPolicy::full_row;  // m grows
      if (out && policy == WarpPolicy::square) better = next->reads < out->reads;
      if (better) out = next;
    }
    return out;
  }

  /// Whether the left factor is a fragment, or the result becomes one.
  bool needs_whole_rows() const {
    const bool factor = a_.buffer && a_.buffer->scope == Scope::fragment;
    return factor || memory_.is_left(to<Region>(gemm_.c).buffer);
  }

  // ---- operands

  /// The reason why the instruction cannot use the operand. `staged`: the layout of its copy in
  /// shared memory if it is in a fragment that the instruction cannot read.
  std::string place(const OperandTile& operand, const MatrixInstruction& row, const Gemm& chosen,
                    std::optional<SharedOperand>& staged) {
    const MatrixShape inst{chosen.inst[0], chosen.inst[1], chosen.inst[2]};
    const bool is_a = operand.kind == MatrixOperand::a || operand.kind == MatrixOperand::a_mn;
    const std::string who = is_a ? "A" : "B";
    const bool fragment = operand.buffer->scope == Scope::fragment;
    const bool held = fragment && is_a && row.in_registers(row.a) && k_major(operand.kind);
    const bool whole =
        operand.buffer->dtype == type_ && (!operand.viewed() || all_of(*operand.region));
    if (held && whole && splits_thread_elements(gemm_.a, MatrixOperand::a, chosen, row).empty())
      return "";
    if (fragment && operand.viewed()) return who + " is a view of a fragment";
    if (!fragment && operand.buffer->scope != Scope::shared)
      return who + " is not in shared memory";
    if (row.asynchronous && !k_major(operand.kind) && k_major_alone(row, bits(type_)))
      return "it reads operands of " + std::to_string(bits(type_)) + " bits only K-major, but " +
             who + (is_a ? " is M-major" : " is N-major");
    if (fragment) return stage(operand, who, row, inst, staged);
    std::string why;
    const std::vector<SharedForm> forms = forms_of(operand, row, inst, memory_, facts_, why);
    if (!row.asynchronous) {  // threads read it with any layout
      if (!forms.empty()) forms_.prefer(*operand.buffer, forms[0]);
      return "";
    }
    if (forms.empty()) return why;
    if (forms_.demand(*operand.buffer, forms)) return "";
    return "`" + operand.buffer->name.str() + "` has the layout of another T.gemm";
  }

  /// The same for a fragment that the instruction reads through shared memory.
  std::string stage(const OperandTile& operand, const std::string& who,
                    const MatrixInstruction& row, const MatrixShape& inst,
                    std::optional<SharedOperand>& staged) const {
    if (gemm_.wait >= 0)
      return who + " is in a fragment, and no thread would wait for its copy in shared memory";
    if (!all_of(*operand.region)) return who + " is a part of its buffer";
    staged = operand_in_shared(row, operand.kind, operand.rows, operand.cols, bits(type_), inst);
    const std::string size = std::to_string(operand.rows) + " x " + std::to_string(operand.cols);
    if (!staged) return who + " of " + size + " has no layout that it reads";
    if (row.asynchronous && !fits_descriptor(row, operand, *staged, inst))
      return "no descriptor describes the layout of " + who;
    return "";
  }

  /// Whether the matrix is the whole buffer or view.
  bool all_of(const Region& matrix) const {
    const auto shape = memory_.shape_of(matrix.buffer);
    if (!shape || shape->size() != 2 || matrix.dims.size() != 2) return false;
    return matrix.dims[0].extent == (*shape)[0] && matrix.dims[1].extent == (*shape)[1];
  }

  /// Whether a descriptor can describe the part that one instruction reads.
  bool fits_descriptor(const MatrixInstruction& row, const OperandTile& operand,
                       const SharedOperand& form, const MatrixShape& inst) const {
    const bool is_a = operand.kind == MatrixOperand::a || operand.kind == MatrixOperand::a_mn;
    const int64_t mn = is_a ? inst.m : inst.n;
    Layout tile = form.layout;
    tile.shape = k_major(operand.kind) ? Index{mn, inst.k} : Index{inst.k, mn};
    return descriptor_fields(row, operand.kind, tile, form.swizzle, bits(type_)).has_value();
  }

  const Gemm& gemm_;
  int64_t threads_;
  const Target& target_;
  const UnitOptions& options_;
  const KernelMemory& memory_;
  const RangeAnalysis& facts_;
  SharedForms& forms_;
  int64_t m_ = 0, n_ = 0, k_ = 0;
  DType type_ = DType::f16;
  OperandTile a_, b_;
};

}  // namespace

MatrixChoice choose_matrix(const Gemm& gemm, int64_t threads, const Target& target,
                           const UnitOptions& options, const KernelMemory& memory,
                           const RangeAnalysis& facts, SharedForms& forms) {
  return Chooser(gemm, threads, target, options, memory, facts, forms).choose();
}

}  // namespace tilelab
