// SPDX-License-Identifier: Apache-2.0
// Register maps of matrix instructions and the products themselves. t: thread of the warp (mma) or
// group of 128 (wgmma, sqmma); l or r: register. Sources: reference papers' tilelang 3.4 (mma,
// wgmma) and musa 3.5 (sqmma), which agree with the vendors' published layouts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/layout/digits.h"
#include "core/sim/lanes/gemm.h"

namespace tilelab::sim {

struct RowCol {
  int row, col;
};

/// C of m16n8: two rows of pairs.
inline RowCol mma_c(int t, int l) { return {8 * (l / 2) + t / 4, 2 * (t % 4) + l % 2}; }
/// A of m16 x k; `pack` = elements in 32 bits.
inline RowCol mma_a(int t, int l, int pack) {
  return {8 * ((l / pack) % 2) + t / 4, 4 * pack * (l / (2 * pack)) + pack * (t % 4) + l % pack};
}
/// B of k x n8.
inline RowCol mma_b(int t, int l, int pack) {
  return {4 * pack * (l / pack) + pack * (t % 4) + l % pack, t / 4};
}
/// C of wgmma m64nN: 16 rows a warp.
inline RowCol wgmma_c(int t, int l) {
  return {16 * (t / 32) + 8 * ((l / 2) % 2) + t % 32 / 4, 8 * (l / 4) + 2 * (t % 4) + l % 2};
}
/// A of wgmma from registers.
inline RowCol wgmma_a(int t, int l, int pack) {
  RowCol in_warp = mma_a(t % 32, l, pack);
  return {16 * (t / 32) + in_warp.row, in_warp.col};
}
/// C of sqmma MxN over 128 threads.
inline RowCol sqmma_c(int t, int r, int n) {
  return {t / 8 + 16 * (r / (n / 8)), t % 8 + 8 * (r % (n / 8))};
}

/// A dense row-major matrix of lanes.
struct LaneMatrix {
  Elem elem = Elem::f32;
  int64_t rows = 0, cols = 0;
  std::vector<uint8_t> bytes;

  LaneMatrix(Elem e, int64_t r, int64_t c)
      : elem(e), rows(r), cols(c), bytes(size_t(r * c * elem_bytes(e))) {}
  uint8_t* at(int64_t r, int64_t c) { return bytes.data() + (r * cols + c) * elem_bytes(elem); }
  Matrix view(bool transposed = false) {
    return {bytes.data(), elem, transposed ? 1 : cols, transposed ? cols : 1};
  }
};

/// SQMMA operand descriptor of mp_31: bits 0..17 start byte, 18..20 pitch code, 21..22 granule
/// code.
struct SqmmaDescriptor {
  int64_t start = 0, pitch = 0;
  Swizzle swizzle;
};
SqmmaDescriptor decode_sqmma(uint32_t bits);

}  // namespace tilelab::sim
