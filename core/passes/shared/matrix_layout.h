// SPDX-License-Identifier: Apache-2.0
// Where the matrix instructions of a Gemm want an operand in registers: what infer_layouts gives it
// and lower_tile_ops relies on.
#pragma once

#include <optional>

#include "core/ir/tile_op.h"
#include "core/layout/fragments.h"
#include "core/layout/matrix.h"
#include "core/layout/shared_operand.h"

namespace tilelab {

/// How the instructions of a Gemm, which names them (`inst`, `warps`), cover it.
GemmTiling matrix_tiling(const Gemm& gemm, const MatrixInstruction& row, int64_t lanes);

/// Over the operand's last two dimensions, from thread 0 on. Nothing where the Gemm names no
/// instruction (`inst`, `warps`), or the operand is not held in registers.
std::optional<Layout> matrix_layout(const Gemm& gemm, const MatrixInstruction& row,
                                    MatrixOperand operand, int64_t lanes);

}  // namespace tilelab
