// SPDX-License-Identifier: Apache-2.0

#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct SortTile : BoxToBox {
  bool descending = false;
  size_t along = 0;  // the sorted dimension

  void apply(const ResolvedBox& target, const ResolvedBox& source) const override;
  BoxPart part(const ResolvedBox& target, const ResolvedBox& source,
               const Position& at) const override {
    BoxPart out = same_place(target, source, at);
    out[along] = {0, source.extent(along)};
    return out;
  }
  const char* name() const override { return "sort"; }
};

void SortTile::apply(const ResolvedBox& target, const ResolvedBox&) const {
  std::vector<size_t> dims = long_dims(target);
  const int64_t n = target.extent(along), step = target.memory->strides[along];
  if (n == 1) return;
  std::erase(dims, along);
  const size_t bytes = size_t(target.bytes());
  const LaneFn less = lane_fn(LaneOp::lt, target.memory->elem);
  const std::vector<SortStep> network = sort_network(n);
  for (const int64_t line : positions(target, dims)) {
    const auto element = [&](int64_t i) {
      return target.origin() + (line + i * step) * int64_t(bytes);
    };
    for (const auto& [distance, mirrored] : network) {
      for (int64_t first = 0; first < n; first += 2 * distance) {
        for (int64_t offset = 0; offset < distance; ++offset) {
          const int64_t low = first + offset,
                        high = mirrored ? first + 2 * distance - 1 - offset : low + distance;
          if (high >= n) continue;
          uint8_t *a = element(low), *b = element(high), wrong = 0;
          less(&wrong, descending ? a : b, descending ? b : a, nullptr, 1);
          if (wrong) std::swap_ranges(a, a + bytes, b);
        }
      }
    }
  }
}

}  // namespace

void compile(const Sort& node, TileCompiler& compiler) {
  auto op = std::make_unique<SortTile>();
  CallSite site;
  op->to = compiler.box(node.tile, site);
  op->from = op->to;  // in place: one box, which is read and then written
  op->from.written = op->to.read = false;
  op->descending = node.descending;
  const std::vector<size_t> slices = op->to.slices();
  if (slices.empty()) compiler.cannot(node, "sorting one element");
  op->along = slices.back();
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
