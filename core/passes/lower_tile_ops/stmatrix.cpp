// SPDX-License-Identifier: Apache-2.0
// Copies of a fragment to shared memory by stmatrix, which stores four matrices of 8 x 8 two-byte
// elements at once: a lane provides two consecutive elements of a row of each, as in the result of
// a matmul, and the address of 16 bytes for one row (PTX ISA, "stmatrix").
//   copy(C_l[0:64, 0:64], C_s)   ->   for i in unroll(4):
//      for v in unroll(2): for v_1 in unroll(2): m[4 * v + 2 * v_1:...] = f16(C_l[...])
//     stmatrix(C_s[16 * warp + tid % 16, 16 * i + 8 * (tid // 16 % 2)], m[0:8])
#include <algorithm>

#include "core/layout/layout.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr int64_t kLanes = 32, kMatrices = 4;

/// The walk of a copy over matrices. Loops of `held` are those of `outer`, then those over a lane's
/// two elements of the four matrices; `rows` has the same `outer` loops, and loops with the value 0
/// because the lane addresses whole rows.
struct MatrixTiles {
  enum class Loop : uint8_t { outer, matrix, inside };
  Layout held, rows;
  std::vector<Loop> held_loops, rows_loops;  // of their register digits, in order
};

Digits without_ones(const Digits& digits) {
  Digits out;
  std::copy_if(digits.begin(), digits.end(), std::back_inserter(out),
               [](const Digit& d) { return d.extent != 1; });
  return out;
}

bool ends_in(const Digits& digits, std::initializer_list<Digit> end) {
  return digits.size() >= end.size() &&
         std::equal(end.begin(), end.end(), digits.end() - std::ptrdiff_t(end.size()));
}

/// Splits the digits of both dimensions into those of matrices and those within one.
class TileReader {
 public:
  explicit TileReader(const Layout& layout) : layout_(layout) {
    for (const Digits& digits : layout.dims) dims_.push_back(without_ones(digits));
  }

  std::optional<MatrixTiles> read() {
    if (layout_.dims.size() < 2 || layout_.base % kLanes != 0) return std::nullopt;
    if (padded(layout_) || !without_ones(layout_.rep).empty()) return std::nullopt;
    const size_t last = dims_.size() - 1;
    Digits& columns = dims_[last];
    // Lane l has two consecutive elements of row l / 4: columns 2 (l % 4) and the next one.
    if (columns.size() < 2 || columns.back().kind != 'r' || columns.back().extent != 2)
      return std::nullopt;
    const Digit pair = columns.back();
    if (!ends_in(columns, {t_digit(4, 1), pair})) return std::nullopt;
    size_t row = 0;
    while (row < last && !ends_in(dims_[row], {t_digit(8, 4)})) ++row;
    if (row == last) return std::nullopt;
    columns.resize(columns.size() - 2);
    dims_[row].pop_back();
    if (!of_whole_warps()) return std::nullopt;
    // Lane l addresses row l % 8 of matrix l / 8.
    int64_t lanes = 8;
    const bool down = take(dims_[row], 2);
    if (down) add(row, 2, lanes), lanes *= 2;
    const int64_t across = kMatrices / (down ? 2 : 1);
    if (!take(columns, across)) return std::nullopt;
    add(last, across, lanes);
    return tiles(row, last, pair);
  }

 private:
  bool of_whole_warps() const {
    for (const Digits& digits : dims_)
      for (const Digit& d : digits)
        if (d.kind == 't' && d.stride % kLanes != 0) return false;
    return true;
  }

  /// Splits a factor off the last digit, if it is a register digit.
  bool take(Digits& digits, int64_t factor) {
    if (digits.empty() || digits.back().kind != 'r' || digits.back().extent % factor != 0)
      return false;
    taken_.push_back(r_digit(factor, digits.back().stride));
    digits.back().extent /= factor, digits.back().stride *= factor;
    if (digits.back().extent == 1) digits.pop_back();
    return true;
  }
  void add(size_t dim, int64_t extent, int64_t lanes) {
    matrices_.push_back({dim, taken_.back(), t_digit(extent, lanes)});
  }

  MatrixTiles tiles(size_t row, size_t last, const Digit& pair) const {
    using Loop = MatrixTiles::Loop;
    MatrixTiles out{layout_, layout_, {}, {}};
    for (size_t d = 0; d < dims_.size(); ++d) {
      Digits &held = out.held.dims[d], &rows = out.rows.dims[d];
      held = rows = dims_[d];
      for (const Digit& digit : dims_[d])
        if (digit.kind == 'r')
          out.held_loops.push_back(Loop::outer), out.rows_loops.push_back(Loop::outer);
      for (const Matrix& m : matrices_)
        if (m.dim == d) {
          held.push_back(m.held), rows.push_back(m.named);
          out.held_loops.push_back(Loop::matrix);
        }
      if (d == row) held.push_back(t_digit(8, 4)), rows.push_back(t_digit(8, 1));
      if (d != last) continue;
      held.push_back(t_digit(4, 1)), held.push_back(pair);
      rows.push_back(r_digit(8, 1));
      out.held_loops.push_back(Loop::inside), out.rows_loops.push_back(Loop::inside);
    }
    return out;
  }

  struct Matrix {
    size_t dim;
    Digit held, named;
  };
  const Layout& layout_;
  std::vector<Digits> dims_;
  std::vector<Digit> taken_;
  std::vector<Matrix> matrices_;
};

bool fits(const Copy& copy, const LoweringScope& here, const Lowering& lowering) {
  const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
  const Storage from = lowering.storage(src.buffer), into = lowering.storage(dst.buffer);
  if (!lowering.target().store_matrix || lowering.lanes() != kLanes || copy.barrier) return false;
  if (!copy.layout.known() || !from.spread() || into.scope() != Scope::shared) return false;
  if (bits(into.dtype) != 16 || dst.dims.back().extent == 1) return false;
  if (here.walk || here.single || here.divergent || !here.all_threads_reach()) return false;
  return uses_hardware_units(lowering.func()) && is_contiguous(16, into, dst.dims.back().lo, here);
}

/// Lanes store elements that other lanes hold: outside of rings, whose sides synchronize, the warp
/// synchronizes before and after, which the original copy did not need.
Stmt ordered(const Stmt& stores, const Storage& into) {
  if (into.buffer->ring) return stores;
  return seq({do_call(Intrinsic::warp_sync, {}), stores, do_call(Intrinsic::warp_sync, {})});
}

}  // namespace

bool is_contiguous(int64_t bytes, const Storage& memory, const Expr& last,
                   const LoweringScope& here) {
  const Swizzle& swizzle = memory.buffer->swizzle;
  const auto layout = memory.addresses();
  if (!layout) return false;
  const int64_t row = bytes * 8 / bits(memory.dtype);
  if (here.facts.range(last).multiple % row != 0) return false;
  if (swizzle.known() && swizzle.granule % bytes != 0) return false;
  const Digits& inner = layout->dims.back();
  if (inner.empty() || inner.back().stride != 1 || inner.back().extent % row != 0) return false;
  for (const Digits& digits : layout->dims)
    for (const Digit& digit : digits)
      if (&digit != &inner.back() && digit.stride % row != 0) return false;
  return true;
}

Stmt lower_by_stmatrix(const Copy& copy, LoweringScope here, Lowering& lowering) {
  if (!fits(copy, here, lowering)) return nullptr;
  const auto tiles = TileReader(copy.layout).read();
  if (!tiles) return nullptr;
  const Walk held = lowering.walk(tiles->held, {}, here),
             rows = lowering.walk(tiles->rows, {}, here);
  if (held.inside || held.first_replica || rows.inside) return nullptr;
  using Loop = MatrixTiles::Loop;
  Walk outer, inner;
  for (size_t i = 0; i < held.loops.size(); ++i)
    (tiles->held_loops[i] == Loop::outer ? outer : inner).loops.push_back(held.loops[i]);
  Substitution named;
  size_t next = 0;
  for (size_t i = 0; i < rows.loops.size(); ++i)
    named.emplace(rows.loops[i].var, tiles->rows_loops[i] == Loop::inside
                                         ? int_const(0)
                                         : name_ref(outer.loops[next++].var));
  std::vector<Expr> row;
  for (const Expr& index : rows.index) row.push_back(here.simplified(substitute(index, named)));

  const Region &src = to<Region>(copy.src), &dst = to<Region>(copy.dst);
  const Storage into = lowering.storage(dst.buffer);
  Buffer words =
      new_buffer(lowering.fresh("matrices"), Scope::local, into.dtype, {int_const(2 * kMatrices)});
  Expr at = int_const(0);  // the matrices of a column one after another
  int64_t stride = 2;
  for (size_t i = 0; i + 1 < inner.loops.size(); ++i, stride *= inner.loops[i - 1].extent)
    at = add(at, mul(name_ref(inner.loops[i].var), int_const(stride)));
  at = add(at, name_ref(inner.loops.back().var));
  const Expr value =
      lowering.read(src.buffer, element_of(src, held.index, here, lowering), true, here);
  const Stmt fill = store(words.name, {point(here.simplified(at))}, cast(into.dtype, value));
  const Expr place = region(into.name, into.dtype, points(element_of(dst, row, here, lowering)));
  const Expr all = region(words.name, words.dtype, {slice(int_const(0), 2 * kMatrices)});
  const Stmt body = seq(
      {make(std::move(words)), wrap(inner, fill, 2), do_call(Intrinsic::stmatrix, {place, all})});
  return ordered(wrap(outer, body), into);
}

}  // namespace tilelab
