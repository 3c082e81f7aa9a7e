// SPDX-License-Identifier: Apache-2.0
// Tile operations on boxes of memory: copy, fill, gemm, atomics.
#include <algorithm>
#include <cstring>

#include "core/sim/lanes/gemm.h"
#include "core/sim/tile/async.h"

namespace tilelab::sim {
namespace {

const TileOp& op_of(TileBlock& block, const CallSite& site) {
  return block.image().ops[size_t(site.numbers[0])];
}

/// One loop of a copy: `extent` elements; those in [to_lo, to_hi) have a place, those in
/// [from_lo, from_hi) a source.
struct Level {
  int64_t extent = 1, to_stride = 0, from_stride = 0;
  int64_t to_lo = 0, to_hi = 1, from_lo = 0, from_hi = 1;
  bool clipped() const { return to_lo > 0 || to_hi < extent || from_lo > 0 || from_hi < extent; }
};

struct CopyPlan {
  std::vector<Level> levels;
  Elem to = Elem::f32, from = Elem::f32;
  int64_t to_bytes = 4, from_bytes = 4;
  LaneFn cast = nullptr;
  uint64_t safe = 0;  // in the destination's kind
};

void put_safe(const CopyPlan& p, uint8_t* to, int64_t stride, int64_t n) {
  if (stride == 1) return broadcast(to, &p.safe, int(p.to_bytes), size_t(n));
  for (int64_t i = 0; i < n; ++i)
    std::memcpy(to + i * stride * p.to_bytes, &p.safe, size_t(p.to_bytes));
}

void put(const CopyPlan& p, uint8_t* to, int64_t to_stride, const uint8_t* from,
         int64_t from_stride, int64_t n) {
  if (n <= 0) return;
  if (to_stride == 1 && from_stride == 1) return p.cast(to, from, nullptr, nullptr, size_t(n));
  alignas(64) uint8_t in[256 * 8], out[256 * 8];
  for (int64_t i = 0; i < n; i += 256) {
    int64_t m = std::min<int64_t>(256, n - i);
    const uint8_t* source = from + i * from_stride * p.from_bytes;
    if (from_stride != 1) {
      for (int64_t k = 0; k < m; ++k)
        std::memcpy(in + k * p.from_bytes, source + k * from_stride * p.from_bytes,
                    size_t(p.from_bytes));
      source = in;
    }
    uint8_t* target = to + i * to_stride * p.to_bytes;
    p.cast(to_stride == 1 ? target : out, source, nullptr, nullptr, size_t(m));
    if (to_stride == 1) continue;
    for (int64_t k = 0; k < m; ++k)
      std::memcpy(target + k * to_stride * p.to_bytes, out + k * p.to_bytes, size_t(p.to_bytes));
  }
}

/// `present`: the outer loops are inside the source.
void copy_level(const CopyPlan& p, size_t level, uint8_t* to, const uint8_t* from, bool present) {
  if (level == p.levels.size()) {
    if (present)
      put(p, to, 1, from, 1, 1);
    else
      put_safe(p, to, 1, 1);
    return;
  }
  const Level& l = p.levels[level];
  // A fill has no source.
  auto source = [&](int64_t i) { return from ? from + i * l.from_stride * p.from_bytes : nullptr; };
  if (level + 1 < p.levels.size()) {
    const Level& row = p.levels[level + 1];
    if (level + 2 == p.levels.size() && present && p.to == p.from && row.to_stride == 1 &&
        row.from_stride == 1 && !l.clipped() && !row.clipped())
      return copy_rows(to, l.to_stride * p.to_bytes, from, l.from_stride * p.from_bytes, l.extent,
                       row.extent * p.to_bytes);
    for (int64_t i = l.to_lo; i < l.to_hi; ++i)
      copy_level(p, level + 1, to + i * l.to_stride * p.to_bytes, source(i),
                 present && i >= l.from_lo && i < l.from_hi);
    return;
  }
  int64_t lo = present ? std::clamp(l.from_lo, l.to_lo, l.to_hi) : l.to_hi;
  int64_t hi = present ? std::clamp(l.from_hi, lo, l.to_hi) : l.to_hi;
  auto place = [&](int64_t i) { return to + i * l.to_stride * p.to_bytes; };
  if (lo > l.to_lo) put_safe(p, place(l.to_lo), l.to_stride, lo - l.to_lo);
  put(p, place(lo), l.to_stride, source(lo), l.from_stride, hi - lo);
  if (l.to_hi > hi) put_safe(p, place(hi), l.to_stride, l.to_hi - hi);
}

/// Joins neighbouring loops that run on evenly on both sides.
void fold(std::vector<Level>& levels) {
  for (size_t i = levels.size(); i-- > 1;) {
    Level &outer = levels[i - 1], &inner = levels[i];
    bool even = outer.to_stride == inner.to_stride * inner.extent &&
                outer.from_stride == inner.from_stride * inner.extent;
    if (!even || inner.clipped() || outer.clipped()) continue;
    inner.extent *= outer.extent;
    inner.to_lo = inner.from_lo = 0;
    inner.to_hi = inner.from_hi = inner.extent;
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i) - 1);
  }
}

/// Whether the dimensions of extent 1 lie inside.
bool points_inside(const TileSpot& s) {
  for (size_t d = 0; d < s.lo.size(); ++d)
    if (s.box->dims[d].extent == 1 && (s.lo[d] < 0 || s.lo[d] >= s.memory->shape[d])) return false;
  return true;
}

std::vector<size_t> long_dims(const TileSpot& s) {
  std::vector<size_t> v;
  for (size_t d = 0; d < s.lo.size(); ++d)
    if (s.box->dims[d].extent != 1) v.push_back(d);
  return v;
}

bool overlap(const TileSpot& a, const TileSpot& b) {
  return a.memory->global == b.memory->global &&
         (a.memory->global >= 0 || a.memory->at == b.memory->at);
}

}  // namespace

std::pair<int64_t, int64_t> visible(const TileSpot& s, size_t d) {
  int64_t extent = s.box->dims[d].extent, shape = s.memory->shape[d];
  int64_t lo = std::clamp<int64_t>(-s.lo[d], 0, extent);
  return {lo, std::clamp<int64_t>(shape - s.lo[d], lo, extent)};
}

int64_t TileSpot::first() const {
  int64_t offset = 0;
  for (size_t d = 0; d < lo.size(); ++d) offset += lo[d] * memory->strides[d];
  return offset;
}

TileSpot spot_of(TileBlock& block, TileRunner& runner, const CallSite& site, const TileBox& box) {
  TileSpot s;
  s.memory = &block.memory(box.memory);
  s.box = &box;
  s.base = block.base(box.memory);
  s.number = box.memory;
  for (const TileBox::Dim& d : box.dims)
    s.lo.push_back(d.base + (d.operand < 0 ? 0 : runner.scalar(site, d.operand)));
  return s;
}

std::string element_text(const TileMemory& memory, int64_t offset) {
  std::string text;
  for (int64_t stride : memory.strides) {
    if (stride <= 0) return "offset " + std::to_string(offset);
    text += (text.empty() ? "" : ", ") + std::to_string(offset / stride);
    offset %= stride;
  }
  return "[" + text + "]";
}

bool inside(TileBlock& block, const Span& span, const TileSpot& s, const char* verb) {
  for (size_t d = 0; d < s.lo.size(); ++d) {
    int64_t last = s.lo[d] + s.box->dims[d].extent - 1;
    if (s.lo[d] >= 0 && last < s.memory->shape[d]) continue;
    Finding f = block.finding(FindingKind::out_of_bounds, span, s.memory, verb);
    f.detail = "dimension " + std::to_string(d) + ": [" + std::to_string(s.lo[d]) + ", " +
               std::to_string(last + 1) + ") of " + std::to_string(s.memory->shape[d]);
    block.report(std::move(f));
    return false;
  }
  return true;
}

void for_each_offset(const TileSpot& s, const std::vector<size_t>& dims,
                     FunctionRef<void(int64_t)> f) {
  std::vector<int64_t> lo(dims.size()), hi(dims.size()), at(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    std::tie(lo[i], hi[i]) = visible(s, dims[i]);
    if (lo[i] >= hi[i]) return;
    at[i] = lo[i];
  }
  for (;;) {
    int64_t offset = 0;
    std::vector<bool> done(s.lo.size(), false);
    for (size_t i = 0; i < dims.size(); ++i) {
      offset += (s.lo[dims[i]] + at[i]) * s.memory->strides[dims[i]];
      done[dims[i]] = true;
    }
    for (size_t d = 0; d < s.lo.size(); ++d)
      if (!done[d]) offset += s.lo[d] * s.memory->strides[d];
    f(offset);
    size_t i = dims.size();
    while (i > 0 && ++at[i - 1] >= hi[i - 1]) at[i - 1] = lo[i - 1], --i;
    if (i == 0) return;
  }
}

void run_copy(TileBlock& block, TileRunner& runner, const CallSite& site) {
  TilePending copy;
  copy.op = &op_of(block, site);
  copy.span = runner.span();
  for (const TileBox& box : copy.op->boxes) copy.spots.push_back(spot_of(block, runner, site, box));
  if (!block.async().later(copy)) copy_boxes(block, copy.span, copy.spots[0], copy.spots[1]);
}

void copy_boxes(TileBlock& block, const Span& span, const TileSpot& to, const TileSpot& from) {
  if (to.memory->global < 0) inside(block, span, to, "writes");
  if (from.memory->global < 0) inside(block, span, from, "reads");
  if (!points_inside(to)) return;
  watch_box(block, span, from, TouchKind::read);
  watch_box(block, span, to, TouchKind::write);
  CopyPlan p;
  p.to = to.memory->elem, p.from = from.memory->elem;
  p.to_bytes = to.bytes(), p.from_bytes = from.bytes();
  p.cast = cast_fn(p.to, p.from);
  p.cast(&p.safe, &from.memory->safe, nullptr, nullptr, 1);
  auto to_dims = long_dims(to), from_dims = long_dims(from);
  for (size_t i = 0; i < to_dims.size(); ++i) {
    Level l;
    l.extent = to.box->dims[to_dims[i]].extent;
    l.to_stride = to.memory->strides[to_dims[i]];
    l.from_stride = from.memory->strides[from_dims[i]];
    std::tie(l.to_lo, l.to_hi) = visible(to, to_dims[i]);
    std::tie(l.from_lo, l.from_hi) = visible(from, from_dims[i]);
    p.levels.push_back(l);
  }
  fold(p.levels);
  if (!overlap(to, from)) return copy_level(p, 0, to.origin(), from.origin(), points_inside(from));
  // Within one memory: all reads come before the first write.
  int64_t n = 1;
  for (const Level& l : p.levels) n *= l.extent;
  std::vector<uint8_t> between(size_t(n * p.to_bytes) + 8);
  CopyPlan in = p, out = p;
  out.from = p.to, out.from_bytes = p.to_bytes, out.cast = cast_fn(p.to, p.to);
  int64_t stride = 1;
  for (size_t i = p.levels.size(); i-- > 0;) {
    Level &a = in.levels[i], &b = out.levels[i];
    a.to_stride = b.from_stride = stride;
    a.to_lo = b.from_lo = 0;
    a.to_hi = b.from_hi = a.extent;
    stride *= a.extent;
  }
  copy_level(in, 0, between.data(), from.origin(), points_inside(from));
  copy_level(out, 0, to.origin(), between.data(), true);
}

void run_fill(TileBlock& block, TileRunner& runner, const CallSite& site) {
  const TileOp& op = op_of(block, site);
  TileSpot to = spot_of(block, runner, site, op.boxes[0]);
  if (to.memory->global < 0) inside(block, runner.span(), to, "writes");
  if (!points_inside(to)) return;
  watch_box(block, runner.span(), to, TouchKind::write);
  CopyPlan p;
  p.to = p.from = to.memory->elem;
  p.to_bytes = p.from_bytes = to.bytes();
  std::memcpy(&p.safe, runner.scalar_bytes(site, op.value), size_t(p.to_bytes));
  for (size_t d : long_dims(to)) {
    Level l;
    l.extent = to.box->dims[d].extent;
    l.to_stride = l.from_stride = to.memory->strides[d];
    std::tie(l.to_lo, l.to_hi) = visible(to, d);
    l.from_lo = 0, l.from_hi = l.extent;
    p.levels.push_back(l);
  }
  fold(p.levels);
  copy_level(p, 0, to.origin(), nullptr, false);
}

void run_gemm(TileBlock& block, TileRunner& runner, const CallSite& site) {
  TilePending product;
  product.op = &op_of(block, site);
  product.span = runner.span();
  product.clear = *runner.scalar_bytes(site, product.op->value) != 0;
  for (const TileBox& box : product.op->boxes)
    product.spots.push_back(spot_of(block, runner, site, box));
  block.async().gemm(std::move(product));
}

void gemm_boxes(TileBlock& block, const Span& span, const TileOp& op,
                const std::vector<TileSpot>& spots, bool clear) {
  Matrix matrix[3];
  int64_t extent[3][2];
  for (size_t i = 0; i < 3; ++i) {
    const TileSpot& s = spots[i];
    if (!inside(block, span, s, i == 0 ? "writes" : "reads")) return;
    size_t row = size_t(op.dims[2 * i]), col = size_t(op.dims[2 * i + 1]);
    matrix[i] = {s.origin(), s.memory->elem, s.memory->strides[row], s.memory->strides[col]};
    extent[i][0] = s.box->dims[row].extent, extent[i][1] = s.box->dims[col].extent;
    if (i > 0 || !clear) watch_box(block, span, s, TouchKind::read);
    if (i == 0) watch_box(block, span, s, TouchKind::write);
  }
  if (op.trans_a) std::swap(matrix[1].row_stride, matrix[1].col_stride);
  if (op.trans_b) std::swap(matrix[2].row_stride, matrix[2].col_stride);
  gemm(matrix[0], matrix[1], matrix[2], extent[0][0], extent[0][1], extent[1][op.trans_a ? 0 : 1],
       clear);
}

void run_tile_atomic(TileBlock& block, TileRunner& runner, const CallSite& site) {
  const TileOp& op = op_of(block, site);
  TileSpot to = spot_of(block, runner, site, op.boxes[0]);
  if (to.memory->global < 0 && !inside(block, runner.span(), to, "writes")) return;
  if (!points_inside(to)) return;
  watch_box(block, runner.span(), to, TouchKind::atomic);
  static constexpr LaneOp ops[] = {LaneOp::add, LaneOp::max,  LaneOp::min,
                                   LaneOp::or_, LaneOp::and_, LaneOp::xor_};
  LaneFn fn = lane_fn(ops[op.kind], to.memory->elem);
  std::vector<size_t> dims = long_dims(to), from_dims;
  TileSpot from;
  LaneFn cast = nullptr;
  if (op.boxes.size() > 1) {
    from = spot_of(block, runner, site, op.boxes[1]);
    if (!inside(block, runner.span(), from, "reads")) return;
    watch_box(block, runner.span(), from, TouchKind::read);
    from_dims = long_dims(from);
    cast = cast_fn(to.memory->elem, from.memory->elem);
  }
  for_each_offset(to, dims, [&](int64_t offset) {
    uint64_t value = 0;
    if (cast) {
      int64_t left = offset, source = 0;  // position within the box, from the offset in the tensor
      for (size_t d = 0; d < to.lo.size(); ++d) left -= to.lo[d] * to.memory->strides[d];
      for (size_t i = 0; i < dims.size(); ++i) {
        int64_t k = left / to.memory->strides[dims[i]];
        left -= k * to.memory->strides[dims[i]];
        source += k * from.memory->strides[from_dims[i]];
      }
      cast(&value, from.origin() + source * from.bytes(), nullptr, nullptr, 1);
    } else {
      std::memcpy(&value, runner.scalar_bytes(site, op.value), size_t(to.bytes()));
    }
    uint8_t* place = to.base + offset * to.bytes();
    fn(place, place, &value, nullptr, 1);
  });
}

}  // namespace tilelab::sim
