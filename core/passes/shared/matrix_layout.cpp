// SPDX-License-Identifier: Apache-2.0
#include "core/passes/shared/matrix_layout.h"

#include "core/layout/layout.h"

namespace tilelab {

GemmTiling matrix_tiling(const Gemm& gemm, const MatrixInstruction& row, int64_t lanes) {
  const Region &a = to<Region>(gemm.a), &c = to<Region>(gemm.c);
  const size_t rank = c.dims.size();
  return {row.name,
          c.dims[rank - 2].extent,
          c.dims[rank - 1].extent,
          a.dims[a.dims.size() - (gemm.trans_a ? 2 : 1)].extent,
          gemm.inst[0],
          gemm.inst[1],
          gemm.inst[2],
          gemm.warps[0],
          gemm.warps[1],
          lanes,
          bits(a.type.dtype)};
}

std::optional<Layout> matrix_layout(const Gemm& gemm, const MatrixInstruction& row,
                                    MatrixOperand operand, int64_t lanes) {
  if (gemm.inst.size() != 3 || gemm.warps.size() != 2) return std::nullopt;
  const GemmTiling tiling = matrix_tiling(gemm, row, lanes);
  if (operand == MatrixOperand::c) return accumulator_layout(tiling);
  const auto layout = operand_layout(tiling, operand);
  const bool swapped = operand == MatrixOperand::a ? gemm.trans_a : gemm.trans_b;
  return layout && swapped ? permute(*layout, {1, 0}) : layout;
}

}  // namespace tilelab
