// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/op.h"
#include "core/support/text.h"

namespace tilelab::sim {
namespace {

constexpr int64_t max_stages = 4096;

struct RingTile : TileOp {
  int64_t ring = 0;
  RingOpKind op = RingOpKind::acquire;

  bool together() const override { return false; }
  Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const override {
    int32_t slot = -1;
    if (block.async().ring(ring, op, runner.span(), &slot) == Step::again) return Step::again;
    block.moved();
    if (slot >= 0) broadcast(runner.at(site.results[0]), &slot, 4, size_t(runner.lane_count()));
    return Step::next;
  }
};

}  // namespace

void TileCompiler::declare(const Ring& ring) {
  if (ring.stages < 1 || ring.stages > max_stages)
    cannot(ring, "a ring of " + plural(ring.stages, "stage"));
  const int64_t counted = ring.fill == RingFill::tx ? ring.bytes : 0;
  image_.rings.push_back({ring.name, ring.stages, counted, ring.span});
}

int32_t TileCompiler::ring_of(Symbol name) const {
  for (size_t r = 0; r < image_.rings.size(); ++r)
    if (image_.rings[r].name == name) return int32_t(r);
  return -1;
}

void compile(const RingOp& node, TileCompiler& compiler) {
  auto op = std::make_unique<RingTile>();
  op->ring = compiler.ring_of(node.ring);
  op->op = node.op;
  if (op->ring < 0) compiler.cannot(node, "no ring " + node.ring.str() + " is known here");
  CallSite site;
  const bool binds = node.op == RingOpKind::acquire || node.op == RingOpKind::wait;
  Value slot;
  if (binds) slot = compiler.result(site);
  compiler.emit(std::move(op), std::move(site));
  if (binds && node.slot) compiler.bind(node.slot, slot);
}

}  // namespace tilelab::sim
