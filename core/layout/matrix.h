// SPDX-License-Identifier: Apache-2.0
// Matrix instructions as rows of one table (matrix.def).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

enum class OperandPlace : uint8_t { registers, shared, both };

/// Register order of a unit that owns several instruction tiles.
enum class RegisterOrder : uint8_t {
  n_fastest,      // tile by tile, along N first
  n_pairs,        // the same, with pairs of adjacent n8 tiles 16 wide (one ldmatrix.x4 of B)
  columns_whole,  // all columns of the unit's sub-tile are one instruction's columns
  m_fastest,      // tile by tile, along M first
};

/// How operands are stored in shared memory (shared_operand.h).
enum class SharedRule : uint8_t {
  rows,       // plain rows
  lines_128,  // chunks of 128, 64 or 32 bytes, swizzled in lines of 128 bytes
  lines_256,  // chunks of at most 256 bytes, swizzled in lines of 256 bytes
};

/// The smallest part of M x N that a warp can own, and the divisor of the number of warps along M
/// (4 if four warps issue together).
struct WarpUnit {
  int64_t m = 16, n = 8, warps_m_multiple = 1;
};

struct MatrixShape {
  int64_t m = 0, n = 0, k = 0;
  bool operator==(const MatrixShape&) const = default;
};

struct MatrixInstruction {
  std::string_view name;
  std::string_view targets, intrinsic;
  int lanes = 32, warps = 1;
  WarpUnit tile;
  OperandPlace a = OperandPlace::registers, b = OperandPlace::registers;
  bool asynchronous = false;  // completes in FIFO groups
  bool fenced = false;        // needs mma_fence after other accesses to its registers
  RegisterOrder order = RegisterOrder::n_fastest;
  SharedRule shared = SharedRule::rows;
  std::vector<std::vector<int>> shapes_mn;
  int k_bits = 256;
  std::vector<int> k_multiples{1};
  // For 32-bit operands, if different.
  std::vector<std::vector<int>> shapes_mn_32;
  std::vector<int> k_multiples_32;
  std::string_view types;

  bool in_registers(OperandPlace place) const { return place != OperandPlace::shared; }
  bool in_shared(OperandPlace place) const { return place != OperandPlace::registers; }
  const std::vector<std::vector<int>>& shapes_of(int64_t bits) const {
    return bits == 32 && !shapes_mn_32.empty() ? shapes_mn_32 : shapes_mn;
  }
  const std::vector<int>& multiples_of(int64_t bits) const {
    return bits == 32 && !k_multiples_32.empty() ? k_multiples_32 : k_multiples;
  }
  bool has_shape(const MatrixShape& shape, int64_t bits) const;
  bool has_rows_and_columns(const MatrixShape& shape) const;
  bool supports(std::string_view dtype) const;
};

/// All rows, in the order of the table.
std::span<const MatrixInstruction> matrix_instructions();
/// The row of that name, or null.
const MatrixInstruction* find_matrix(std::string_view name);
/// The row that `intrinsic` issues on the target with that letter; null if none. If several rows
/// match, the first with the shape, otherwise the first.
const MatrixInstruction* matrix_of(std::string_view intrinsic, char target,
                                   const std::optional<MatrixShape>& shape = {});

/// "m128n64k64", in both directions.
std::optional<MatrixShape> parse_matrix_shape(std::string_view text);
std::string to_text(const MatrixShape& shape);

}  // namespace tilelab
