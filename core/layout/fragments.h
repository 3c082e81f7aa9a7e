// SPDX-License-Identifier: Apache-2.0
// Fragments of matrix instructions and of block tiles composed of them (fragments.def).
#pragma once

#include <optional>
#include <string_view>

#include "core/layout/layout.h"
#include "core/layout/shared_operand.h"

namespace tilelab {

/// The map of one m x n x k instruction. `bits`: width of the operand's elements (ignored for c).
/// Domain: a [m, k], b [k, n], c [m, n]. nullopt if the table has no matching row.
std::optional<Layout> fragment_map(std::string_view instruction, MatrixOperand operand, int64_t m,
                                   int64_t n, int64_t k, int64_t bits = 16);

/// A block tile of a GEMM: how warps and instructions cover M x N x K.
struct GemmTiling {
  std::string_view instruction;  // a row of matrix.def
  int64_t m = 0, n = 0, k = 0;   // block tile
  int64_t inst_m = 0, inst_n = 0, inst_k = 0;
  int64_t warps_m = 1, warps_n = 1;
  int64_t warp_lanes = 32;
  int64_t bits = 16;  // of the A and B elements
};

/// The accumulator [m, n]. Units (warps that issue together) are numbered with M fastest. Each owns
/// one contiguous sub-tile, whose registers follow the instruction's `order`. nullopt if the tile
/// is not covered evenly.
std::optional<Layout> accumulator_layout(const GemmTiling& tiling);

/// Operand A as a fragment [m, k] (replicated over the units along N), k steps in consecutive
/// registers, rows outermost; B as [k, n] likewise. For mma, C of one GEMM can be A of the next if
/// one unit spans N.
std::optional<Layout> operand_layout(const GemmTiling& tiling, MatrixOperand operand);

}  // namespace tilelab
