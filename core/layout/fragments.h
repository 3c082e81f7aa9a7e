// SPDX-License-Identifier: Apache-2.0
// Fragments of matrix instructions and of whole block tiles made of them (fragments.def).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/layout/layout.h"

namespace tilelab {

enum class MatrixOperand { a, a_mn, b, b_mn, c };

struct FragmentRow {
  std::string_view instruction;
  MatrixOperand operand;
  int64_t lanes;
};
const std::vector<FragmentRow>& fragment_rows();

/// The map of one instruction of shape m x n x k. `bits`: width of the operand's elements (ignored
/// for c). Domain: a [m, k], b [k, n], c [m, n]. nullopt if the table has no such row.
std::optional<Layout> fragment_map(std::string_view instruction, MatrixOperand operand, int64_t m,
                                   int64_t n, int64_t k, int64_t bits = 16);

/// A block tile of a GEMM: how warps and instructions cover M x N x K.
struct GemmTiling {
  std::string_view instruction;  // mma, wgmma, sqmma, wmma, mma_mp22 ...
  int64_t m = 0, n = 0, k = 0;   // block tile
  int64_t inst_m = 0, inst_n = 0, inst_k = 0;
  int64_t warps_m = 1, warps_n = 1;
  int64_t warp_lanes = 32;
  int64_t bits = 16;  // of the A and B elements
};

/// The accumulator [m, n]. Units (groups of 4 warps for wgmma and sqmma, else warps) are numbered
/// with M fastest and own one contiguous sub-tile each. Register order inside a unit: mma and
/// mma_mp22 walk instructions n fastest (pairs of n8 make a 16-wide atom), wgmma keeps its n8
/// columns consecutive over the whole sub-tile, sqmma and wmma walk instructions m fastest.
/// nullopt if the tile is not covered evenly.
std::optional<Layout> accumulator_layout(const GemmTiling& tiling);

/// Operand A as a fragment [m, k] (replicated over the units along N), k steps in consecutive
/// registers, rows outermost; B as [k, n] likewise. For mma, C of one GEMM is then A of the next
/// if one unit spans N.
std::optional<Layout> operand_layout(const GemmTiling& tiling, MatrixOperand operand);

}  // namespace tilelab
