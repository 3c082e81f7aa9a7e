// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "core/sim/tile/logged.h"
#include "core/sim/tile/op.h"
#include "core/sim/tile/padded_boxes.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {
namespace {

/// Whether the target already holds the values: blocks that store equal values do not race.
bool changes_nothing(const ResolvedBox& target, const ResolvedBox& source) {
  if (target.memory->elem != source.memory->elem || !all_inside(target) || !all_inside(source))
    return false;
  BoxPart all;
  for (size_t d = 0; d < target.lo.size(); ++d) all.push_back({0, target.extent(d)});
  bool same = true;
  each_position(all, [&](const std::vector<int64_t>& at) {
    const BoxPart from = same_place(target, source, at);
    int64_t to_offset = target.first(), from_offset = source.first();
    for (size_t d = 0; d < at.size(); ++d) to_offset += at[d] * target.memory->strides[d];
    for (size_t d = 0; d < from.size(); ++d)
      from_offset += from[d].first * source.memory->strides[d];
    same = std::memcmp(target.base + to_offset * target.bytes(),
                       source.base + from_offset * source.bytes(), size_t(target.bytes())) == 0;
    return same;
  });
  return same;
}

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
    if (!all_inside(source)) block.saw_padding();
    watch_box(block, copy.span, source);
    const bool compares = block.watch() && !block.tracer() && target.memory->global >= 0;
    if (!compares || !changes_nothing(target, source)) watch_box(block, copy.span, target);
    const std::vector<size_t> to_dims = long_dims(target), from_dims = long_dims(source);
    LoggedBox logged(block, copy.span, "copy", target, [&](const Position& at, Operands& of) {
      Position from_at(source.lo.size(), 0);
      for (size_t i = 0; i < to_dims.size(); ++i) from_at[from_dims[i]] = at[to_dims[i]];
      of.add(source, from_at);
    });
    pad_copied(block, copy.span, target, source);
    copy_box(target, source);
    if (target.box->moves) move_marks(block, target, source);
    if (NaNProvenance* provenance = block.provenance()) {
      auto of = [&](const std::vector<int64_t>& at) { return same_place(target, source, at); };
      provenance->operation(copy.span, target, true, {{&source, of}});
    }
  }
};

}  // namespace

void compile(const Copy& node, TileCompiler& compiler) {
  const Region &to = tilelab::to<Region>(node.dst), &from = tilelab::to<Region>(node.src);
  if (compiler.private_to_lanes(to) || compiler.private_to_lanes(from))
    return compiler.copy_each(node, to, from);
  auto op = std::make_unique<CopyOp>();
  CallSite site;
  op->to = compiler.box(node.dst, site);
  op->from = compiler.box(node.src, site);
  if (op->to.extents() != op->from.extents())
    compiler.cannot(node, "a copy of " + extents_text(op->from.extents()) + " into " +
                              extents_text(op->to.extents()));
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
