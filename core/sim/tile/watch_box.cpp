// SPDX-License-Identifier: Apache-2.0
// Watches boxes: what a tile operation reads or writes as a whole, run by run.
#include <algorithm>
#include <tuple>

#include "core/sim/tile/async.h"

namespace tilelab::sim {
namespace {

/// The dimensions of the in-bounds part of a box, outermost first, contiguous ones collapsed.
struct Dim {
  int64_t n, stride;
};

void each_run(const std::vector<Dim>& dims, size_t level, int64_t offset,
              FunctionRef<void(int64_t, int64_t, int64_t)> f) {
  if (level + 1 >= dims.size())
    return dims.empty() ? f(offset, 1, 1) : f(offset, dims[level].n, dims[level].stride);
  for (int64_t i = 0; i < dims[level].n; ++i)
    each_run(dims, level + 1, offset + i * dims[level].stride, f);
}

int64_t visible_elements(const ResolvedBox& s) {
  int64_t n = 1;
  for (size_t d = 0; d < s.lo.size(); ++d) {
    auto [lo, hi] = visible(s, d);
    n *= std::max<int64_t>(hi - lo, 0);
  }
  return n;
}

void watch_own(TileBlock& block, const Span& span, const ResolvedBox& s, TouchKind kind) {
  TileWatch& w = *block.watch();
  if (!w.uninitialized() || s.box->moves) return;
  const int64_t bytes = s.bytes();
  bool reported = false;
  for_each_run(s, [&](int64_t offset, int64_t n, int64_t stride) {
    if (stride == 1) n *= bytes;
    for (int64_t i = 0; i < (stride == 1 ? 1 : n); ++i) {
      const int64_t at = s.memory->at + (offset + i * stride) * bytes;
      const int64_t length = stride == 1 ? n : bytes;
      block.track_store(span, s.number, offset + i * stride, length / bytes, kind);
      if (kind != TouchKind::read) {
        w.mark_written(at, length);
        continue;
      }
      int64_t hole = reported ? length : w.first_unwritten(at, length);
      if (hole == length) continue;
      reported = true;
      Finding f = block.unwritten_read(span, *s.memory, at + hole);
      f.element = element_text(*s.memory, offset + i * stride + hole / bytes);
      block.warn(std::move(f));
    }
  });
}

}  // namespace

void for_each_run(const ResolvedBox& s, FunctionRef<void(int64_t, int64_t, int64_t)> f) {
  std::vector<Dim> dims;
  int64_t first = 0;
  for (size_t d = 0; d < s.lo.size(); ++d) {
    auto [lo, hi] = visible(s, d);
    if (lo >= hi) return;
    const int64_t stride = s.memory->strides[d];
    first += (s.lo[d] + lo) * stride;
    if (hi - lo == 1) continue;
    if (!dims.empty() && dims.back().stride == (hi - lo) * stride)
      dims.back() = {dims.back().n * (hi - lo), stride};
    else
      dims.push_back({hi - lo, stride});
  }
  each_run(dims, 0, first, f);
}

void move_marks(TileBlock& block, const ResolvedBox& to, const ResolvedBox& from) {
  TileWatch* w = block.watch();
  if (!w || !w->uninitialized() || !all_inside(to) || !all_inside(from)) return;
  std::vector<int64_t> places;
  for_each_offset(to, long_dims(to), [&](int64_t offset) { places.push_back(offset); });
  size_t next = 0;
  for_each_offset(from, long_dims(from), [&](int64_t offset) {
    const int64_t at = to.memory->at + places[next++] * to.bytes();
    if (w->written(from.memory->at + offset * from.bytes(), from.bytes()))
      w->mark_written(at, to.bytes());
    else
      w->forget_written(at, to.bytes());
  });
}

static void watch_as(TouchKind kind, TileBlock& block, const Span& span, const ResolvedBox& s) {
  if (block.async().tracks(*s.memory) && block.async().touch_box(s, kind, span) &&
      kind == TouchKind::read)
    return;
  TileWatch* w = block.watch();
  if (!w) return;
  const TileMemory& m = *s.memory;
  w->count(m.global, kind, visible_elements(s), s.bytes());
  if (m.global < 0) return watch_own(block, span, s, kind);
  if (!w->races() || !block.image().written(m)) return;
  for_each_run(s, [&](int64_t first, int64_t n, int64_t stride) {
    // Cells are elements, or smaller if a view has smaller ones: then the first cell of each.
    for (int64_t i = 0; i < (stride == 1 ? 1 : n); ++i)
      block.track_store(span, s.number, first + i * stride, stride == 1 ? n : 1, kind);
    if (stride == 1 && s.bytes() == m.granule && w->touch_run(m.root, first, n, kind, span)) return;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t offset = first + i * stride;
      auto hit = w->touch(m.root, true, offset * s.bytes() / m.granule, kind, -1, span, false);
      if (!hit) continue;
      Finding f = block.finding(FindingKind::race, hit->span, &m,
                                hit->kind == TouchKind::read ? "reads" : "writes");
      f.element = element_text(m, offset);
      f.where[0].actor = block.block_name(hit->who);
      f.where.push_back(
          {span, block.block_name(block.number()), kind == TouchKind::read ? "reads" : "writes"});
      block.warn(std::move(f));
    }
  });
}

void watch_box(TileBlock& block, const Span& span, const ResolvedBox& s, bool overwrites) {
  if (block.tracer()) trace_box(block, s, overwrites);
  if (s.box->atomic) return watch_as(TouchKind::atomic, block, span, s);
  if (s.box->read && !overwrites) watch_as(TouchKind::read, block, span, s);
  if (s.box->written) watch_as(TouchKind::write, block, span, s);
}

}  // namespace tilelab::sim
