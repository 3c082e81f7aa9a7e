// SPDX-License-Identifier: Apache-2.0
// Tile-level ldmatrix and mma, T.ptx_ldmatrix and T.ptx_mma: the instructions themselves where the
// target has them and a row of shared memory is 16 contiguous bytes, else shuffles.
#include <string>
#include <utility>

#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

std::string source_name(const Call& call) { return "T.ptx_" + std::string(name(call.intrinsic)); }

/// Whether the target's instruction `mma` has that shape for operands of that dtype.
bool has_shape(const Target& target, const MatrixShape& shape, DType dtype) {
  for (const MatrixInstruction& row : matrix_instructions())
    if (row.intrinsic == name(Intrinsic::mma) && row.supports(name(dtype)) &&
        row.has_shape(shape, bits(dtype)) &&
        row.targets.find(target.letter) != std::string_view::npos)
      return true;
  return false;
}

/// Why the instruction cannot be used; "" if it can.
std::string why_not(const Call& call, const LoweringScope& here, const Lowering& lowering) {
  const Target& target = lowering.target();
  const std::string lacks = "the target has no such instruction";
  if (call.intrinsic == Intrinsic::mma) {
    const auto shape = parse_matrix_shape(find_attr(call.attrs, "shape")->string);
    return has_shape(target, *shape, call.args[1]->type.dtype) ? "" : lacks;
  }
  if (!target.load_matrix) return lacks;
  const Region& row = to<Region>(call.args[1]);
  const Storage memory = lowering.storage(row.buffer);
  const Expr last = element_of(row, {int_const(0)}, here, lowering).back();
  const std::string name = row.buffer.str();
  return is_contiguous(16, memory, last, here)
             ? ""
             : "rows of `" + name + "` are not known to be 16 contiguous, aligned bytes";
}

/// The row's address: its first element.
Expr first_of(const Expr& row) {
  Region out(to<Region>(row));
  for (RegionDim& dim : out.dims) dim = point(dim.lo);
  return region(out.buffer, out.type.dtype, std::move(out.dims));
}

}  // namespace

Stmt lower_matrices(const Do& statement, const Call& call, const LoweringScope& here,
                    Lowering& lowering) {
  const std::string why = why_not(call, here, lowering);
  if (!why.empty()) {
    const std::string instead = "shuffles between the lanes of a warp";
    lowering.reasons().push_back(line_of(statement) + source_name(call) + ": " + instead + "; " +
                                 why);
    if (uses_hardware_units(lowering.func()))
      lowering.diagnostics()
          .report(Diag::slow_fallback, statement.span, source_name(call), instead)
          .note(why);
    return lowering.stmt(expanded_matrices(call), here);
  }
  if (call.intrinsic == Intrinsic::mma) return lowering.children(Stmt(&statement), here);
  return lowering.children(
      do_call(call.intrinsic, {call.args[0], first_of(call.args[1])}, call.attrs), here);
}

}  // namespace tilelab
