// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of one warp of the emulation: MMA of mp_22 (128 lanes), WMMA of mp_31 (32).
// The mapping of a lane's registers to a matrix follows the vendor's layouts, not the compiler's
// table.
#include <cmath>
#include <cstring>

#include "tests/emulation/machine.h"

namespace tilelab::emu {
namespace {

struct Element {
  int mn, k;
};

/// Element `r` of lane `t` of a K-major operand, whose registers hold `e` elements each.
Element operand_element(bool wide, int t, int r, int e, int k) {
  if (wide) return {t / 4 % 16 + 16 * (r / e), e * (t % 4) + 4 * e * (t / 64) + r % e};
  const int pieces = k / (4 * e);
  return {t / 4 + 8 * (r / (e * pieces)), e * (t % 4) + 4 * e * (r / e % pieces) + r % e};
}

/// Accumulator `r` of lane `t`: row and column.
Element sum_element(bool wide, int t, int r, int n) {
  if (wide)
    return {t / 8 % 4 + 4 * (t / 64) + 8 * (r / 2), t % 8 + 8 * (t / 32 % 2) + 16 * (r % 2)};
  return {t / 8 + 4 * (r / (n / 8)), t % 8 + 8 * (r % (n / 8))};
}

}  // namespace

void Machine::on_matrix(const tl_emu_mma& p) {
  if (p.c != p.d) fault_here("a matrix instruction adds to its own accumulators");
  if (p.changed) fault_here("negated or saturated products are not used here");
  if (p.layout != 1) fault_here("both operands of a matrix instruction are K-major here");
  const bool wide = module_.warp_size == 128;
  // For MMA `fmt` is 1 for f16, for WMMA for signed bytes.
  if (p.fmt != (p.type == (wide ? 2 : 1))) fault_here("`fmt` is of another operand type");
  lanes_[current_].matrix = &p;
  on_warp(TL_EMU_MATRIX, 0, 0);
}

/// Each sum is one chain of fused multiply-adds over increasing k.
void Machine::multiply(const std::vector<int>& warp) {
  const tl_emu_mma& p = *lanes_[warp[0]].matrix;
  const int lanes = module_.warp_size, bytes = operand_bytes(p.type);
  if (int(warp.size()) != lanes)
    return note("a matrix instruction without all lanes of its warp", lanes_[warp[0]].line,
                warp[0]);
  const bool wide = lanes == 128, integer = p.type < 2, exact = p.type == 2;
  scratch_a_.resize(size_t(p.m * p.k));
  scratch_b_.resize(size_t(p.n * p.k));
  auto gather = [&](std::vector<float>& out, const int* from, int t, int count) {
    for (int r = 0; r < count * p.k / lanes; ++r) {
      const Element at = operand_element(wide, t, r, 4 / bytes, p.k);
      out[size_t(at.mn * p.k + at.k)] =
          operand_value(reinterpret_cast<const unsigned char*>(from) + r * bytes, p.type);
    }
  };
  for (int t = 0; t < lanes; ++t) {
    gather(scratch_a_, lanes_[warp[size_t(t)]].matrix->a, t, p.m);
    gather(scratch_b_, lanes_[warp[size_t(t)]].matrix->b, t, p.n);
  }
  for (int t = 0; t < lanes; ++t)
    for (int r = 0; r < p.m * p.n / lanes; ++r) {
      const Element at = sum_element(wide, t, r, p.n);
      const float *a = &scratch_a_[size_t(at.mn * p.k)], *b = &scratch_b_[size_t(at.k * p.k)];
      int* d = lanes_[warp[size_t(t)]].matrix->d + r;
      if (integer) {
        auto sum = uint32_t(*d);
        for (int k = 0; k < p.k; ++k) sum += uint32_t(int(a[k]) * int(b[k]));
        *d = int(sum);
        continue;
      }
      float sum;
      std::memcpy(&sum, d, 4);
      for (int k = 0; k < p.k; ++k) sum = exact ? sum + a[k] * b[k] : std::fma(a[k], b[k], sum);
      std::memcpy(d, &sum, 4);
    }
}

}  // namespace tilelab::emu
