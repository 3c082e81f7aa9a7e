// SPDX-License-Identifier: Apache-2.0
#include "core/layout/fragments.h"

namespace tilelab {
namespace {

struct Shape {
  int64_t M, N, K, E;
};
struct Maker {
  std::string_view instruction;
  MatrixOperand operand;
  Digits (*rows)(const Shape&);
  Digits (*cols)(const Shape&);
};

constexpr auto t = t_digit;
constexpr auto r = r_digit;
template <class... Ds> Digits D(Ds... digits) { return {digits...}; }

#define BODY(digits)                            \
  [](const Shape& shape) -> Digits {            \
    [[maybe_unused]] auto [M, N, K, E] = shape; \
    return digits;                              \
  }
#define FRAGMENT(instruction, operand, rows, cols) \
  {#instruction, MatrixOperand::operand, BODY(rows), BODY(cols)},
const Maker makers[] = {
#include "core/layout/fragments.def"
};
#undef FRAGMENT
#undef BODY

/// Units along M and N, the sub-tile of each, and the number of its columns that one atom covers.
struct Units {
  const MatrixInstruction* row;
  int64_t along_m, along_n, lanes, tile_m, tile_n;
  bool paired(const GemmTiling& g) const {
    return row->order == RegisterOrder::n_pairs && tile_n % (2 * g.inst_n) == 0;
  }
};
std::optional<Units> units_of(const GemmTiling& g) {
  const MatrixInstruction* row = find_matrix(g.instruction);
  if (!row || g.warps_m % row->warps != 0) return std::nullopt;
  const int64_t along_m = g.warps_m / row->warps, lanes = row->warps * g.warp_lanes;
  if (along_m < 1 || g.warps_n < 1 || g.m % along_m || g.n % g.warps_n) return std::nullopt;
  Units units{row, along_m, g.warps_n, lanes, g.m / along_m, g.n / g.warps_n};
  if (g.inst_m < 1 || g.inst_n < 1 || units.tile_m % g.inst_m || units.tile_n % g.inst_n)
    return std::nullopt;
  return units;
}

/// `atom` repeated `count_m` x `count_n` times, `step` registers apart, with n or m fastest.
Layout tiled(Layout atom, int64_t count_m, int64_t count_n, int64_t step, bool n_fastest) {
  int64_t step_m = n_fastest ? step * count_n : step, step_n = n_fastest ? step : step * count_m;
  if (count_m > 1) atom = repeated(atom, 0, count_m, 'r', step_m);
  if (count_n > 1) atom = repeated(atom, 1, count_n, 'r', step_n);
  return atom;
}

}  // namespace

std::optional<Layout> fragment_map(std::string_view instruction, MatrixOperand operand, int64_t m,
                                   int64_t n, int64_t k, int64_t bits) {
  for (const Maker& maker : makers) {
    if (maker.instruction != instruction || maker.operand != operand) continue;
    Shape shape{m, n, k, operand == MatrixOperand::c ? 1 : 32 / bits};
    Layout layout{{m, n}, {maker.rows(shape), maker.cols(shape)}, {}, 0};
    if (operand == MatrixOperand::a || operand == MatrixOperand::a_mn) layout.shape = {m, k};
    if (operand == MatrixOperand::b || operand == MatrixOperand::b_mn) layout.shape = {k, n};
    if (!well_formed(layout) || padded(layout)) return std::nullopt;
    return normalized(layout);
  }
  return std::nullopt;
}

std::optional<Layout> accumulator_layout(const GemmTiling& g) {
  std::optional<Units> units = units_of(g);
  if (!units) return std::nullopt;
  int64_t inst_n = g.inst_n;
  const RegisterOrder order = units->row->order;
  if (order == RegisterOrder::columns_whole) inst_n = units->tile_n;
  std::optional<Layout> atom =
      fragment_map(g.instruction, MatrixOperand::c, g.inst_m, inst_n, g.inst_k);
  if (!atom) return std::nullopt;
  if (units->paired(g)) {
    atom = repeated(*atom, 1, 2, 'r');
    inst_n *= 2;
  }
  Layout tile = tiled(*atom, units->tile_m / g.inst_m, units->tile_n / inst_n, extent(*atom, 'r'),
                      order != RegisterOrder::m_fastest);
  if (units->along_m > 1) tile = repeated(tile, 0, units->along_m, 't', units->lanes);
  if (units->along_n > 1)
    tile = repeated(tile, 1, units->along_n, 't', units->lanes * units->along_m);
  return normalized(tile);
}

std::optional<Layout> operand_layout(const GemmTiling& g, MatrixOperand operand) {
  std::optional<Units> units = units_of(g);
  if (!units || g.inst_k < 1 || g.k % g.inst_k) return std::nullopt;
  std::optional<Layout> atom =
      fragment_map(g.instruction, operand, g.inst_m, g.inst_n, g.inst_k, g.bits);
  if (!atom) return std::nullopt;
  int64_t steps = g.k / g.inst_k, unit_m = units->lanes, unit_n = units->lanes * units->along_m;
  if (operand == MatrixOperand::a || operand == MatrixOperand::a_mn) {
    Layout tile = tiled(*atom, units->tile_m / g.inst_m, steps, extent(*atom, 'r'), true);
    if (units->along_m > 1) tile = repeated(tile, 0, units->along_m, 't', unit_m);
    if (units->along_n > 1) tile = replicated(tile, units->along_n, unit_n);
    return normalized(tile);
  }
  int64_t inst_n = g.inst_n;
  if (units->paired(g)) {
    atom = repeated(*atom, 1, 2, 'r');
    inst_n *= 2;
  }
  Layout tile = tiled(*atom, steps, units->tile_n / inst_n, extent(*atom, 'r'), false);
  if (units->along_n > 1) tile = repeated(tile, 1, units->along_n, 't', unit_n);
  if (units->along_m > 1) tile = replicated(tile, units->along_m, unit_m);
  return normalized(tile);
}

}  // namespace tilelab
