// SPDX-License-Identifier: Apache-2.0
// Register layouts of operands for the matrix instructions of a Gemm: assigned by infer_layouts,
// assumed by lower_tile_ops.
#pragma once

#include <optional>

#include "core/ir/tile_op.h"
#include "core/layout/fragments.h"
#include "core/layout/matrix.h"
#include "core/layout/shared_operand.h"

namespace tilelab {

/// How the instructions of a Gemm with `inst` and `warps` tile it.
GemmTiling matrix_tiling(const Gemm& gemm, const MatrixInstruction& row, int64_t lanes);

/// Over the operand's last two dimensions, starting at thread 0. nullopt if the Gemm has no
/// instruction (`inst`, `warps`), or the operand is not held in registers.
std::optional<Layout> matrix_layout(const Gemm& gemm, const MatrixInstruction& row,
                                    MatrixOperand operand, int64_t lanes);

}  // namespace tilelab
