// SPDX-License-Identifier: Apache-2.0
// Operands of matrix instructions in shared memory: their layout, the boxes in which a copy engine
// transfers them, and their descriptors.
//
// An operand is stored as a matrix [rows, cols] with adjacent columns contiguous: K-major A is
// [m, k], B is [n, k]; M- or N-major A is [k, m], B is [k, n]. Both rules split the columns into
// chunks; a chunk is stored row by row, and chunks are consecutive:
//   lines_128  a chunk is 128, 64 or 32 bytes wide, and divides a row; it does not split an
//              instruction's part of an M- or N-major row. 16-byte pieces are exchanged within
//              128-byte lines. PTX ISA: canonical layouts of wgmma, 8 rows per atom.
//   lines_256  a chunk is at most 256 bytes wide (N-major B: the instruction's n) and contains an
//              instruction's part of a row; pieces of 16 bytes (K-major and 8-bit), 32 (16-bit) or
//              64 (32-bit) are exchanged within 256-byte lines.
#pragma once

#include "core/layout/layout.h"
#include "core/layout/matrix.h"

namespace tilelab {

enum class MatrixOperand { a, a_mn, b, b_mn, c };

/// K-major operands are the rows of fragments.def without `_mn`.
inline bool k_major(MatrixOperand operand) {
  return operand == MatrixOperand::a || operand == MatrixOperand::b;
}

struct SharedOperand {
  Layout layout;  // [rows, cols] -> address in elements, before the swizzle
  Swizzle swizzle;
  int64_t chunk = 0;  // columns of one box, which has all rows
  int64_t boxes = 0;
};

/// Whether the instruction reads operands of that width from shared memory only in K-major order.
bool k_major_alone(const MatrixInstruction& row, int64_t bits);
/// Whether one instruction's part of an operand row fits in one line of shared memory.
bool fits_line(const MatrixInstruction& row, MatrixOperand operand, const MatrixShape& shape,
               int64_t bits);

/// The possible layouts of a `rows` x `cols` matrix whose parts are instruction operands, widest
/// chunks first. Empty if the rule supports none: no chunk divides the rows, or they are too wide
/// for a descriptor.
std::vector<SharedOperand> operands_in_shared(const MatrixInstruction& row, MatrixOperand operand,
                                              int64_t rows, int64_t cols, int64_t bits,
                                              const MatrixShape& shape);
/// The first of these layouts.
std::optional<SharedOperand> operand_in_shared(const MatrixInstruction& row, MatrixOperand operand,
                                               int64_t rows, int64_t cols, int64_t bits,
                                               const MatrixShape& shape);

/// The descriptor fields except the start address, in place. `tile` is the part that one
/// instruction reads, as [rows, cols] -> address relative to its start. nullopt if the instruction
/// can't read that layout. wgmma (64 bits): start / 16 in bits 0..13, leading offset / 16 at 16,
/// stride offset / 16 at 32, swizzle at 62. sqmma (32 bits): start in bits 0..17, row pitch at 18,
/// granule at 21.
std::optional<uint64_t> descriptor_fields(const MatrixInstruction& row, MatrixOperand operand,
                                          const Layout& tile, const Swizzle& swizzle, int64_t bits);
/// Bytes per unit of a descriptor's start address.
int64_t descriptor_unit(const MatrixInstruction& row);

}  // namespace tilelab
