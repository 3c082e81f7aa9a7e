// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/resolved_box.h"

#include <algorithm>

#include "core/sim/indices.h"

namespace tilelab::sim {

bool points_inside(const ResolvedBox& s) {
  for (size_t d = 0; d < s.lo.size(); ++d)
    if (s.box->dims[d].extent == 1 && (s.lo[d] < 0 || s.lo[d] >= s.memory->shape[d])) return false;
  return true;
}

bool all_inside(const ResolvedBox& s) {
  for (size_t d = 0; d < s.lo.size(); ++d)
    if (s.lo[d] < 0 || s.lo[d] + s.box->dims[d].extent > s.memory->shape[d]) return false;
  return true;
}

std::vector<size_t> long_dims(const ResolvedBox& s) {
  std::vector<size_t> v;
  for (size_t d = 0; d < s.lo.size(); ++d)
    if (s.box->dims[d].extent != 1) v.push_back(d);
  return v;
}

std::pair<int64_t, int64_t> visible(const ResolvedBox& s, size_t d) {
  int64_t extent = s.box->dims[d].extent, shape = s.memory->shape[d];
  int64_t lo = std::clamp<int64_t>(-s.lo[d], 0, extent);
  return {lo, std::clamp<int64_t>(shape - s.lo[d], lo, extent)};
}

int64_t ResolvedBox::first() const {
  int64_t offset = 0;
  for (size_t d = 0; d < lo.size(); ++d) offset += lo[d] * memory->strides[d];
  return offset;
}

ResolvedBox resolve(TileBlock& block, TileRunner& runner, const CallSite& site,
                    const TileBox& box) {
  ResolvedBox s;
  const TileMemory& all = block.memory(box.memory);
  if (box.address >= 0) block.locate(box.memory, runner.scalar(site, box.address), runner.span());
  s.memory = all.per_lane ? &block.memory_of(box.memory, runner.scalar_lane()) : &all;
  s.box = &box;
  s.base = block.base(box.memory) + (s.memory->at - all.at);
  s.number = box.memory;
  for (const TileBox::Dim& d : box.dims)
    s.lo.push_back(d.base + (d.operand < 0 ? 0 : runner.scalar(site, d.operand)));
  return s;
}

BoxPart whole(const ResolvedBox& s) {
  BoxPart out;
  for (size_t d = 0; d < s.lo.size(); ++d) out.push_back({0, s.extent(d)});
  return out;
}

Position first_of(const BoxPart& part) {
  Position at;
  for (const auto& range : part) at.push_back(range.first);
  return at;
}

BoxPart same_place(const ResolvedBox& target, const ResolvedBox& source, const Position& at) {
  BoxPart out(source.lo.size(), {0, 1});
  const std::vector<size_t> to = long_dims(target), from = long_dims(source);
  for (size_t i = 0; i < from.size() && i < to.size(); ++i)
    out[from[i]] = {at[to[i]], at[to[i]] + 1};
  return out;
}

std::optional<int64_t> offset_of(const ResolvedBox& s, const Position& at) {
  int64_t offset = 0;
  for (size_t d = 0; d < s.lo.size(); ++d) {
    const int64_t index = s.lo[d] + at[d];
    if (index < 0 || index >= s.memory->shape[d]) return std::nullopt;
    offset += index * s.memory->strides[d];
  }
  return offset;
}

std::string element_text(const TileMemory& memory, int64_t offset) {
  const auto& strides = memory.strides;
  if (std::any_of(strides.begin(), strides.end(), [](int64_t stride) { return stride <= 0; }))
    return "offset " + std::to_string(offset);
  return index_text(index_at(offset, strides));
}

std::optional<Position> position_in(const ResolvedBox& s, int64_t offset) {
  Position at = index_at(offset, s.memory->strides);
  for (size_t d = 0; d < at.size(); ++d) {
    at[d] -= s.lo[d];
    if (at[d] < 0 || at[d] >= s.extent(d)) return std::nullopt;
  }
  return at;
}

bool inside(TileBlock& block, const Span& span, const ResolvedBox& s, const char* verb) {
  for (size_t d = 0; d < s.lo.size(); ++d) {
    int64_t last = s.lo[d] + s.box->dims[d].extent - 1;
    if (s.lo[d] >= 0 && last < s.memory->shape[d]) continue;
    if (!verb) verb = s.box->written ? "writes" : "reads";
    Finding f = block.finding(FindingKind::out_of_bounds, span, s.memory, verb);
    f.detail = "dimension " + std::to_string(d) + ": [" + std::to_string(s.lo[d]) + ", " +
               std::to_string(last + 1) + ") of " + std::to_string(s.memory->shape[d]);
    block.report(std::move(f));
    return false;
  }
  return true;
}

void for_each_offset(const ResolvedBox& s, const std::vector<size_t>& dims,
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

void for_each_row(const ResolvedBox& to, const ResolvedBox& from,
                  FunctionRef<bool(const CopyRow&)> f) {
  std::vector<size_t> to_dims = long_dims(to), from_dims = long_dims(from);
  CopyRow row{to.first(), from.first(), 1, 1, 1};
  if (to_dims.empty()) return void(f(row));
  row.n = to.extent(to_dims.back());
  row.to_stride = to.memory->strides[to_dims.back()];
  row.from_stride = from.memory->strides[from_dims.back()];
  to_dims.pop_back();
  BoxPart outer;
  for (size_t d : to_dims) outer.push_back({0, to.extent(d)});
  each_position(outer, [&](const Position& at) {
    CopyRow here = row;
    for (size_t i = 0; i < at.size(); ++i) {
      here.to += at[i] * to.memory->strides[to_dims[i]];
      here.from += at[i] * from.memory->strides[from_dims[i]];
    }
    return f(here);
  });
}

std::vector<int64_t> positions(const ResolvedBox& s, const std::vector<size_t>& dims) {
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

}  // namespace tilelab::sim
