// SPDX-License-Identifier: Apache-2.0
// Operand maps of matrix instructions. Register maps come from the fragment table, addresses in
// shared memory from the IR or, at flat level, from descriptors.
#pragma once

#include <cstdint>
#include <vector>

#include "core/layout/digits.h"
#include "core/layout/shared_operand.h"
#include "core/sim/lanes/gemm.h"

namespace tilelab::sim {

/// The matrix element, counted row by row, of each register of an instruction's operand: entry
/// `reg * lanes + thread`. Cached for the lifetime of the process.
const std::vector<int32_t>& fragment_elements(const MatrixInstruction& row, MatrixOperand operand,
                                              const MatrixShape& shape, int64_t bits);

/// A dense row-major matrix of lanes.
struct LaneMatrix {
  Elem elem = Elem::f32;
  int64_t rows = 0, cols = 0;
  std::vector<uint8_t> bytes;

  LaneMatrix(Elem e, int64_t r, int64_t c)
      : elem(e), rows(r), cols(c), bytes(size_t(r * c * elem_bytes(e))) {}
  Matrix view(bool transposed = false) {
    return {bytes.data(), elem, transposed ? 1 : cols, transposed ? cols : 1};
  }
};

/// Shared operand of a matrix operation: the addresses of its elements, before the swizzle.
struct OperandPlaces {
  int64_t rows = 0, cols = 0;       // as stored
  std::vector<int64_t> row_pieces;  // byte offsets of each run, `run` elements long
  int64_t run = 1;
  int64_t start = 0;
  Swizzle swizzle;
};
/// sqmma, 32 bits: 0..17 start byte, 18..20 pitch code (1 = 8 bytes ... 6 = 256), 21..22 granule.
OperandPlaces decode_sqmma(uint64_t bits, int64_t rows, int64_t cols, int elem_bytes);
/// wgmma, 64 bits (PTX ISA, "Matrix descriptor format"): start, leading and stride offset in units
/// of 16 bytes at 0, 16 and 32; at 62 the swizzle, 1: 128 bytes, 2: 64, 3: 32. An atom is 8 rows
/// of that many bytes; further rows follow at the stride, further columns at the leading offset.
OperandPlaces decode_wgmma(uint64_t bits, int64_t rows, int64_t cols, int elem_bytes);

}  // namespace tilelab::sim
