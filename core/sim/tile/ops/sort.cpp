// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct SortTile : BoxToBox {
  bool descending = false;

  void apply(const ResolvedBox& target, const ResolvedBox& source) const override;
  BoxPart part(const ResolvedBox& target, const ResolvedBox& source,
               const Position& at) const override {
    BoxPart out = same_place(target, source, at);
    const std::vector<size_t> dims = long_dims(source);
    if (!dims.empty()) out[dims.back()] = {0, source.extent(dims.back())};
    return out;
  }
  const char* name() const override { return "sort"; }
};

void SortTile::apply(const ResolvedBox& target, const ResolvedBox&) const {
  std::vector<size_t> dims = long_dims(target);
  if (dims.empty()) return;
  const int64_t n = target.extent(dims.back()), step = target.memory->strides[dims.back()];
  dims.pop_back();
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
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
