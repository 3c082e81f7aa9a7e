// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of a tile. The order of a reduction is fixed: of s values the upper half is
// combined into the lower one (x[i] op x[i + ceil(s / 2)]) until one is left, in the kind of the
// destination; elements count in row-major order of the reduced dimensions.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/ir/build.h"
#include "core/sim/tile/run.h"

namespace tilelab::sim {
namespace {

struct Reduction {
  LaneFn cast, abs, combine;
  int64_t bytes;  // of the destination's kind
  int64_t from_bytes;
  Elem elem;
  bool nan = false;  // wins

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

/// Halves `count` groups of `unit` values until one is left.
void halve(const Reduction& r, uint8_t* x, int64_t count, int64_t unit) {
  while (count > 1) {
    int64_t half = (count + 1) / 2;
    r.fold(x, x + half * unit * r.bytes, size_t((count - half) * unit));
    count = half;
  }
}

/// n values with a stride, converted and made absolute, to `out`.
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

/// Offsets (elements, from the box's origin) of all positions along `dims`, row-major.
std::vector<int64_t> positions(const TileSpot& s, const std::vector<size_t>& dims) {
  std::vector<int64_t> v = {0};
  for (size_t d : dims) {
    std::vector<int64_t> next;
    next.reserve(v.size() * size_t(s.box->dims[d].extent));
    for (int64_t base : v)
      for (int64_t i = 0; i < s.box->dims[d].extent; ++i)
        next.push_back(base + i * s.memory->strides[d]);
    v = std::move(next);
  }
  return v;
}

/// The values of `runs` starts, each `length` long with `stride`, one after the other.
void take_runs(const Reduction& r, uint8_t* out, const uint8_t* in,
               const std::vector<int64_t>& starts, int64_t stride, int64_t length) {
  for (int64_t s : starts) {
    take(r, out, in + s * r.from_bytes, stride, length);
    out += length * r.bytes;
  }
}

/// Splits off the innermost of `dims`, as the run that is taken at once.
std::pair<int64_t, int64_t> innermost(const TileSpot& s, std::vector<size_t>& dims) {
  if (dims.empty()) return {1, 1};
  size_t d = dims.back();
  dims.pop_back();
  return {s.memory->strides[d], s.box->dims[d].extent};
}

}  // namespace

void run_reduce(TileBlock& block, TileRunner& runner, const CallSite& site) {
  const TileOp& op = block.image().ops[size_t(site.numbers[0])];
  TileSpot to = spot_of(block, runner, site, op.boxes[0]),
           from = spot_of(block, runner, site, op.boxes[1]);
  if (!inside(block, runner.span(), to, "writes") || !inside(block, runner.span(), from, "reads"))
    return;
  watch_box(block, runner.span(), from, TouchKind::read);
  if (!op.flag) watch_box(block, runner.span(), to, TouchKind::read);
  watch_box(block, runner.span(), to, TouchKind::write);
  const ReduceOp what = static_cast<ReduceOp>(op.kind);
  const Elem elem = to.memory->elem;
  Reduction r{cast_fn(elem, from.memory->elem),
              nullptr,
              lane_fn(combine_op(what), elem),
              to.bytes(),
              from.bytes(),
              elem,
              op.nan};
  if (what == ReduceOp::abssum || what == ReduceOp::absmax) r.abs = lane_fn(LaneOp::abs, elem);

  std::vector<size_t> reduced, kept, target(to.lo.size());
  for (size_t d = 0; d < from.lo.size(); ++d) {
    bool folds = std::find(op.dims.begin(), op.dims.end(), int64_t(d)) != op.dims.end();
    (folds ? reduced : kept).push_back(d);
  }
  for (size_t d = 0; d < target.size(); ++d) target[d] = d;
  const std::vector<int64_t> places = positions(to, target);
  const int64_t results = int64_t(places.size());
  int64_t count = 1;
  for (size_t d : reduced) count *= from.box->dims[d].extent;
  uint8_t* const out = to.origin();
  auto finish = [&](int64_t k, const uint8_t* value) {
    uint8_t* place = out + places[size_t(k)] * r.bytes;
    if (op.flag)
      std::memcpy(place, value, size_t(r.bytes));
    else
      r.fold(place, value, 1);
  };
  // Along the innermost dimension each result is folded alone, else all results side by side.
  bool along = kept.empty() || (!reduced.empty() && reduced.back() > kept.back());
  std::vector<uint8_t> work(size_t((along ? count : count * results) * r.bytes) + 64);
  if (along) {
    const std::vector<int64_t> bases = positions(from, kept);
    auto [stride, length] = innermost(from, reduced);
    const std::vector<int64_t> starts = positions(from, reduced);
    for (int64_t k = 0; k < results; ++k) {
      take_runs(r, work.data(), from.origin() + bases[size_t(k)] * r.from_bytes, starts, stride,
                length);
      halve(r, work.data(), count, 1);
      finish(k, work.data());
    }
    return;
  }
  const std::vector<int64_t> bases = positions(from, reduced);
  auto [stride, length] = innermost(from, kept);
  const std::vector<int64_t> starts = positions(from, kept);
  for (size_t i = 0; i < bases.size(); ++i)
    take_runs(r, work.data() + int64_t(i) * results * r.bytes,
              from.origin() + bases[i] * r.from_bytes, starts, stride, length);
  halve(r, work.data(), count, results);
  for (int64_t k = 0; k < results; ++k) finish(k, work.data() + k * r.bytes);
}

void run_scan(TileBlock& block, TileRunner& runner, const CallSite& site) {
  const TileOp& op = block.image().ops[size_t(site.numbers[0])];
  TileSpot to = spot_of(block, runner, site, op.boxes[0]),
           from = spot_of(block, runner, site, op.boxes[1]);
  if (!inside(block, runner.span(), to, "writes") || !inside(block, runner.span(), from, "reads"))
    return;
  watch_box(block, runner.span(), from, TouchKind::read);
  watch_box(block, runner.span(), to, TouchKind::write);
  const Elem elem = to.memory->elem;
  LaneFn cast = cast_fn(elem, from.memory->elem);
  LaneFn combine =
      lane_fn(static_cast<ScanOp>(op.kind) == ScanOp::sum ? LaneOp::add : LaneOp::max, elem);
  std::vector<size_t> from_dims, to_dims;
  for (size_t d = 0; d < from.lo.size(); ++d)
    if (from.box->dims[d].extent != 1) from_dims.push_back(d);
  for (size_t d = 0; d < to.lo.size(); ++d)
    if (to.box->dims[d].extent != 1) to_dims.push_back(d);
  size_t along =
      size_t(std::find(from_dims.begin(), from_dims.end(), size_t(op.dims[0])) - from_dims.begin());
  int64_t n = 1, from_step = 0, to_step = 0;
  if (along < from_dims.size()) {
    n = from.box->dims[from_dims[along]].extent;
    from_step = from.memory->strides[from_dims[along]];
    to_step = to.memory->strides[to_dims[along]];
    from_dims.erase(from_dims.begin() + static_cast<std::ptrdiff_t>(along));
    to_dims.erase(to_dims.begin() + static_cast<std::ptrdiff_t>(along));
  }
  const auto from_lines = positions(from, from_dims), to_lines = positions(to, to_dims);
  for (size_t line = 0; line < from_lines.size(); ++line) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      int64_t k = op.flag ? n - 1 - i : i;
      uint64_t value = 0;
      cast(&value, from.origin() + (from_lines[line] + k * from_step) * from.bytes(), nullptr,
           nullptr, 1);
      if (i == 0)
        sum = value;
      else
        combine(&sum, &sum, &value, nullptr, 1);
      std::memcpy(to.origin() + (to_lines[line] + k * to_step) * to.bytes(), &sum,
                  size_t(to.bytes()));
    }
  }
}

}  // namespace tilelab::sim
