// SPDX-License-Identifier: Apache-2.0
// Copies and fills of boxes, as loop nests collapsed where both sides are contiguous.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {
namespace {

/// One loop of a copy: `extent` elements; those in [to_lo, to_hi) have a destination, those in
/// [from_lo, from_hi) a source.
struct CopyLoop {
  int64_t extent = 1, to_stride = 0, from_stride = 0;
  int64_t to_lo = 0, to_hi = 1, from_lo = 0, from_hi = 1;
  bool clipped() const { return to_lo > 0 || to_hi < extent || from_lo > 0 || from_hi < extent; }
};

struct CopyPlan {
  std::vector<CopyLoop> levels;
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

/// `present`: the outer loops are in bounds of the source.
void copy_level(const CopyPlan& p, size_t level, uint8_t* to, const uint8_t* from, bool present) {
  if (level == p.levels.size()) {
    if (present)
      put(p, to, 1, from, 1, 1);
    else
      put_safe(p, to, 1, 1);
    return;
  }
  const CopyLoop& l = p.levels[level];
  // A fill has no source.
  auto source = [&](int64_t i) { return from ? from + i * l.from_stride * p.from_bytes : nullptr; };
  if (level + 1 < p.levels.size()) {
    const CopyLoop& row = p.levels[level + 1];
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

/// Collapses adjacent loops with compatible strides on both sides.
void fold(std::vector<CopyLoop>& levels) {
  for (size_t i = levels.size(); i-- > 1;) {
    CopyLoop &outer = levels[i - 1], &inner = levels[i];
    bool even = outer.to_stride == inner.to_stride * inner.extent &&
                outer.from_stride == inner.from_stride * inner.extent;
    if (!even || inner.clipped() || outer.clipped()) continue;
    inner.extent *= outer.extent;
    inner.to_lo = inner.from_lo = 0;
    inner.to_hi = inner.from_hi = inner.extent;
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(i) - 1);
  }
}

bool overlap(const ResolvedBox& a, const ResolvedBox& b) {
  return a.memory->global == b.memory->global &&
         (a.memory->global >= 0 || a.memory->at == b.memory->at);
}

}  // namespace

void copy_box(const ResolvedBox& to, const ResolvedBox& from) {
  CopyPlan p;
  p.to = to.memory->elem, p.from = from.memory->elem;
  p.to_bytes = to.bytes(), p.from_bytes = from.bytes();
  p.cast = cast_fn(p.to, p.from);
  p.cast(&p.safe, &from.memory->safe, nullptr, nullptr, 1);
  auto to_dims = long_dims(to), from_dims = long_dims(from);
  for (size_t i = 0; i < to_dims.size(); ++i) {
    CopyLoop l{.extent = to.box->dims[to_dims[i]].extent,
               .to_stride = to.memory->strides[to_dims[i]],
               .from_stride = from.memory->strides[from_dims[i]]};
    std::tie(l.to_lo, l.to_hi) = visible(to, to_dims[i]);
    std::tie(l.from_lo, l.from_hi) = visible(from, from_dims[i]);
    p.levels.push_back(l);
  }
  fold(p.levels);
  if (!overlap(to, from)) return copy_level(p, 0, to.origin(), from.origin(), points_inside(from));
  // Within one memory: all reads precede the first write.
  int64_t n = 1;
  for (const CopyLoop& l : p.levels) n *= l.extent;
  std::vector<uint8_t> between(size_t(n * p.to_bytes) + 8);
  CopyPlan in = p, out = p;
  out.from = p.to, out.from_bytes = p.to_bytes, out.cast = cast_fn(p.to, p.to);
  int64_t stride = 1;
  for (size_t i = p.levels.size(); i-- > 0;) {
    CopyLoop &a = in.levels[i], &b = out.levels[i];
    a.to_stride = b.from_stride = stride;
    a.to_lo = b.from_lo = 0;
    a.to_hi = b.from_hi = a.extent;
    stride *= a.extent;
  }
  copy_level(in, 0, between.data(), from.origin(), points_inside(from));
  copy_level(out, 0, to.origin(), between.data(), true);
}

void fill_box(const ResolvedBox& to, const uint8_t* value) {
  CopyPlan p;
  p.to = p.from = to.memory->elem;
  p.to_bytes = p.from_bytes = to.bytes();
  std::memcpy(&p.safe, value, size_t(p.to_bytes));
  for (size_t d : long_dims(to)) {
    CopyLoop l;
    l.extent = to.extent(d);
    l.to_stride = l.from_stride = to.memory->strides[d];
    std::tie(l.to_lo, l.to_hi) = visible(to, d);
    l.from_lo = 0, l.from_hi = l.extent;
    p.levels.push_back(l);
  }
  fold(p.levels);
  copy_level(p, 0, to.origin(), nullptr, false);
}

}  // namespace tilelab::sim
