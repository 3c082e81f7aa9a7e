// SPDX-License-Identifier: Apache-2.0
#include "core/sim/indices.h"
#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct CopyOp : LateOp {
  TileBox to, from;
  std::optional<TileBarrier> barrier;  // signalled on completion

  Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const override {
    TilePending copy{this, {}, false, runner.span()};
    for (const TileBox* box : {&to, &from})
      copy.regions.push_back(resolve(block, runner, site, *box));
    if (barrier) {
      const int32_t number = barrier->number(block, runner, site);
      if (number >= 0) block.async().barriers().copy(number, std::move(copy));
      return Step::next;
    }
    // A delayed one completes when its slot is waited for.
    if (!to.late || !block.async().later(copy)) complete(block, copy);
    return Step::next;
  }

  void complete(TileBlock& block, const TilePending& copy) const override {
    const ResolvedBox &target = copy.regions[0], &source = copy.regions[1];
    if (target.memory->global < 0) inside(block, copy.span, target);
    if (source.memory->global < 0) inside(block, copy.span, source);
    if (!points_inside(target)) return;
    const auto of = [&](const Position& at) { return same_place(target, source, at); };
    const BoxSource sources[] = {{&source, of}};
    block.perform({BoxRule::copy, "copy", copy.span, target, true, sources},
                  [&] { copy_box(target, source); });
  }
};

}  // namespace

void compile(const Copy& node, TileCompiler& compiler) {
  const Region &to = tilelab::to<Region>(node.dst), &from = tilelab::to<Region>(node.src);
  if (node.adds) {
    Atomic sum;
    sum.span = node.span, sum.dst = node.dst, sum.value = node.src;
    return compile(sum, compiler);
  }
  if (compiler.private_to_lanes(to) || compiler.private_to_lanes(from))
    return compiler.copy_each(node, to, from);
  auto op = std::make_unique<CopyOp>();
  CallSite site;
  op->to = compiler.box(node.dst, site);
  op->from = compiler.box(node.src, site);
  if (op->to.extents() != op->from.extents())
    compiler.cannot(node, "a copy of " + index_text(op->from.extents()) + " into " +
                              index_text(op->to.extents()));
  const auto held = [&](const TileBox& box) { return compiler.memory(box).holds; };
  const auto own = [&](const TileBox& box) { return compiler.memory(box).global < 0; };
  op->to.moves = op->from.moves = own(op->to) && own(op->from) &&
                                  op->to.memory != op->from.memory &&
                                  held(op->to) == held(op->from);
  const bool at_once = node.by == CopyBy::simt || node.by == CopyBy::async;
  if (node.barrier && !at_once) op->barrier = compile_barrier(node.barrier, compiler, site);
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
