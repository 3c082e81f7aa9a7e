// SPDX-License-Identifier: Apache-2.0
// The order of a reduction is a fixed tree: of s values the upper half is combined into the lower
// one (x[i] op x[i + ceil(s / 2)]) until one remains, in the dtype of the destination; elements
// count in row-major order of the reduced dimensions.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ir/build.h"
#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct Reduction {
  LaneFn cast, abs, combine;
  int64_t bytes;  // of the destination's kind
  int64_t from_bytes;
  Elem elem;
  bool nan = false;  // NaN propagates

  /// x[i] = x[i] op y[i].
  void fold(uint8_t* x, const uint8_t* y, size_t n) const {
    if (!nan) return combine(x, x, y, nullptr, n);
    const uint64_t none = to<Const>(float_const(NAN, elem)).bits;
    for (size_t i = 0; i < n; ++i, x += bytes, y += bytes) {
      if (is_nan(x) || is_nan(y))
        std::memcpy(x, &none, size_t(bytes));
      else
        combine(x, x, y, nullptr, 1);
    }
  }
  bool is_nan(const uint8_t* at) const {
    uint64_t bits = 0;
    std::memcpy(&bits, at, size_t(bytes));
    const double value = *number_value(constant({elem}, bits));
    return std::isnan(value);
  }
};

LaneOp combine_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::max:
    case ReduceOp::absmax: return LaneOp::max;
    case ReduceOp::min: return LaneOp::min;
    case ReduceOp::bitand_: return LaneOp::and_;
    case ReduceOp::bitor_: return LaneOp::or_;
    case ReduceOp::bitxor_: return LaneOp::xor_;
    default: return LaneOp::add;
  }
}

/// Halves `count` groups of `unit` values until one remains.
void halve(const Reduction& r, uint8_t* x, int64_t count, int64_t unit) {
  while (count > 1) {
    int64_t half = (count + 1) / 2;
    r.fold(x, x + half * unit * r.bytes, size_t((count - half) * unit));
    count = half;
  }
}

/// Reads n strided values, converted and made absolute, into `out`.
void take(const Reduction& r, uint8_t* out, const uint8_t* in, int64_t stride, int64_t n) {
  const size_t count = size_t(n);
  if (stride == 1) {
    r.cast(out, in, nullptr, nullptr, count);
  } else {
    for (int64_t i = 0; i < n; ++i)
      r.cast(out + i * r.bytes, in + i * stride * r.from_bytes, nullptr, nullptr, 1);
  }
  if (r.abs) r.abs(out, out, nullptr, nullptr, count);
}

/// Reads runs of `length` values with `stride` from each start, consecutively.
void take_runs(const Reduction& r, uint8_t* out, const uint8_t* in,
               const std::vector<int64_t>& starts, int64_t stride, int64_t length) {
  for (int64_t s : starts) {
    take(r, out, in + s * r.from_bytes, stride, length);
    out += length * r.bytes;
  }
}

/// Splits off the innermost of `dims`, as the run that is read at once.
std::pair<int64_t, int64_t> innermost(const ResolvedBox& s, std::vector<size_t>& dims) {
  if (dims.empty()) return {1, 1};
  size_t d = dims.back();
  dims.pop_back();
  return {s.memory->strides[d], s.box->dims[d].extent};
}

struct ReduceTile : BoxToBox {
  std::vector<size_t> dims;  // of `from`
  bool nan = false;          // NaN propagates

  bool folds(size_t dim) const { return std::find(dims.begin(), dims.end(), dim) != dims.end(); }
  Reduction reduction(Elem to_elem, Elem from_elem) const;
  void apply(const ResolvedBox& target, const ResolvedBox& source) const override;
  BoxPart part(const ResolvedBox& target, const ResolvedBox& source,
               const Position& at) const override;
  const char* name() const override { return "reduce"; }
};

/// The full range of the reduced dimensions, one index of the others.
BoxPart ReduceTile::part(const ResolvedBox& target, const ResolvedBox& source,
                         const Position& at) const {
  BoxPart out;
  std::vector<size_t> to = long_dims(target);
  size_t next = 0;
  for (size_t d = 0; d < source.lo.size(); ++d) {
    if (folds(d)) {
      out.push_back({0, source.extent(d)});
      continue;
    }
    const int64_t i = source.extent(d) == 1 || next == to.size() ? 0 : at[to[next++]];
    out.push_back({i, i + 1});
  }
  return out;
}

Reduction ReduceTile::reduction(Elem to_elem, Elem from_elem) const {
  const bool absolute = op == ReduceOp::abssum || op == ReduceOp::absmax;
  return {cast_fn(to_elem, from_elem),
          absolute ? lane_fn(LaneOp::abs, to_elem) : nullptr,
          lane_fn(combine_op(op), to_elem),
          elem_bytes(to_elem),
          elem_bytes(from_elem),
          to_elem,
          nan};
}

void ReduceTile::apply(const ResolvedBox& target, const ResolvedBox& source) const {
  const Reduction r = reduction(target.memory->elem, source.memory->elem);
  std::vector<size_t> reduced, kept, all(target.lo.size());
  for (size_t d = 0; d < source.lo.size(); ++d) (folds(d) ? reduced : kept).push_back(d);
  for (size_t d = 0; d < all.size(); ++d) all[d] = d;
  const std::vector<int64_t> places = positions(target, all);
  const int64_t results = int64_t(places.size());
  int64_t count = 1;
  for (size_t d : reduced) count *= source.extent(d);
  uint8_t* const out = target.origin();
  auto finish = [&](int64_t k, const uint8_t* value) {
    uint8_t* place = out + places[size_t(k)] * r.bytes;
    if (overwrites)
      std::memcpy(place, value, size_t(r.bytes));
    else
      r.fold(place, value, 1);
  };
  // Reduces each result separately along the innermost dimension, otherwise all results in
  // parallel.
  const bool along = kept.empty() || (!reduced.empty() && reduced.back() > kept.back());
  std::vector<uint8_t> work(size_t((along ? count : count * results) * r.bytes) + 64);
  if (along) {
    const std::vector<int64_t> bases = positions(source, kept);
    auto [stride, length] = innermost(source, reduced);
    const std::vector<int64_t> starts = positions(source, reduced);
    for (int64_t k = 0; k < results; ++k) {
      take_runs(r, work.data(), source.origin() + bases[size_t(k)] * r.from_bytes, starts, stride,
                length);
      halve(r, work.data(), count, 1);
      finish(k, work.data());
    }
    return;
  }
  const std::vector<int64_t> bases = positions(source, reduced);
  auto [stride, length] = innermost(source, kept);
  const std::vector<int64_t> starts = positions(source, kept);
  for (size_t i = 0; i < bases.size(); ++i)
    take_runs(r, work.data() + int64_t(i) * results * r.bytes,
              source.origin() + bases[i] * r.from_bytes, starts, stride, length);
  halve(r, work.data(), count, results);
  for (int64_t k = 0; k < results; ++k) finish(k, work.data() + k * r.bytes);
}

}  // namespace

void compile(const Reduce& node, TileCompiler& compiler) {
  auto op = std::make_unique<ReduceTile>();
  CallSite site;
  op->to = compiler.box(node.dst, site);
  op->from = compiler.box(node.src, site);
  op->rule = BoxRule::reduce, op->op = node.op;
  op->overwrites = node.clear, op->nan = node.nan_propagate;
  const size_t rank = op->from.dims.size();
  for (int64_t d : node.dims) {
    if (d < 0 || size_t(d) >= rank)
      compiler.cannot(node, "reduce over a dimension that does not exist");
    op->dims.push_back(size_t(d));
  }
  int64_t kept = 1, given = 1;
  for (size_t d = 0; d < rank; ++d)
    if (!op->folds(d)) kept *= op->from.dims[d].extent;
  for (const TileBox::Dim& d : op->to.dims) given *= d.extent;
  if (kept != given)
    compiler.cannot(node, "reduce gives " + std::to_string(kept) +
                              " values, but its destination holds " + std::to_string(given));
  if (node.op >= ReduceOp::bitand_ && is_float(compiler.memory(op->to).elem))
    compiler.cannot(node, "a reduction of bits needs integers");
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
