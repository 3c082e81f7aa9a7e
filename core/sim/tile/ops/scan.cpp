// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct ScanTile : BoxToBox {
  ScanOp scan = ScanOp::sum;
  size_t dim = 0;  // of `from`
  bool reverse = false;

  void apply(const ResolvedBox& target, const ResolvedBox& source) const override;
  BoxPart part(const ResolvedBox& target, const ResolvedBox& source,
               const Position& at) const override {
    BoxPart out = same_place(target, source, at);
    if (reverse)
      out[dim].second = source.extent(dim);
    else
      out[dim].first = 0;
    return out;
  }
  const char* name() const override { return "scan"; }
};

void ScanTile::apply(const ResolvedBox& target, const ResolvedBox& source) const {
  const Elem elem = target.memory->elem;
  const LaneFn cast = cast_fn(elem, source.memory->elem);
  const LaneFn combine = lane_fn(scan == ScanOp::sum ? LaneOp::add : LaneOp::max, elem);
  std::vector<size_t> from_dims = long_dims(source), to_dims = long_dims(target);
  int64_t n = 1, from_step = 0, to_step = 0;
  auto along = std::find(from_dims.begin(), from_dims.end(), dim);
  if (along != from_dims.end()) {
    auto to_along = to_dims.begin() + (along - from_dims.begin());
    n = source.extent(dim);
    from_step = source.memory->strides[dim], to_step = target.memory->strides[*to_along];
    from_dims.erase(along), to_dims.erase(to_along);
  }
  const auto from_lines = positions(source, from_dims), to_lines = positions(target, to_dims);
  for (size_t line = 0; line < from_lines.size(); ++line) {
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t k = reverse ? n - 1 - i : i;
      uint64_t value = 0;
      cast(&value, source.origin() + (from_lines[line] + k * from_step) * source.bytes(), nullptr,
           nullptr, 1);
      if (i == 0)
        sum = value;
      else
        combine(&sum, &sum, &value, nullptr, 1);
      std::memcpy(target.origin() + (to_lines[line] + k * to_step) * target.bytes(), &sum,
                  size_t(target.bytes()));
    }
  }
}

}  // namespace

void compile(const Scan& node, TileCompiler& compiler) {
  auto op = std::make_unique<ScanTile>();
  CallSite site;
  op->to = compiler.box(node.dst, site);
  op->from = compiler.box(node.src, site);
  if (op->to.extents() != op->from.extents())
    compiler.cannot(node, "a scan keeps the shape of its source");
  op->scan = node.op, op->reverse = node.reverse;
  const std::vector<size_t> slices = op->from.slices();
  const int64_t rank = int64_t(slices.size()), dim = node.dim < 0 ? node.dim + rank : node.dim;
  if (dim < 0 || dim >= rank) compiler.cannot(node, "scan along a dimension that does not exist");
  op->dim = slices[size_t(dim)];
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
