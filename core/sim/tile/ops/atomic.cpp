// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "core/ir/build.h"
#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct AtomicTile : TileOp {
  TileBox to;
  LaneOp op = LaneOp::add;
  std::optional<TileBox> from;  // otherwise `value` for every element
  int32_t value = -1;           // operand
  MemoryOrder order;

  Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const override;
};

Step AtomicTile::run(TileBlock& block, TileRunner& runner, const CallSite& site) const {
  const ResolvedBox target = resolve(block, runner, site, to);
  const Span& span = runner.span();
  if (target.memory->global < 0 && !inside(block, span, target)) return Step::next;
  if (!points_inside(target)) return Step::next;
  const LaneFn fn = lane_fn(op, target.memory->elem);
  const std::vector<size_t> dims = long_dims(target);
  std::vector<size_t> from_dims;
  ResolvedBox source;
  LaneFn cast = nullptr;
  if (from) {
    source = resolve(block, runner, site, *from);
    if (!inside(block, span, source)) return Step::next;
    from_dims = long_dims(source);
    cast = cast_fn(target.memory->elem, source.memory->elem);
  }
  const auto of = [&](const Position& at) { return same_place(target, source, at); };
  const BoxSource sources[] = {{&source, of}};
  BoxOperation update{BoxRule::update, "atomic", span, target, false};
  if (from) update.sources = sources;
  update.combines = op, update.order = order;
  if (!from) update.value = runner.scalar_bytes(site, value);
  block.perform(update, [&] {
    for_each_offset(target, dims, [&](int64_t offset) {
      uint64_t operand = 0;
      if (cast) {
        int64_t left = offset, at = 0;  // position within the box, from the offset in the tensor
        for (size_t d = 0; d < target.lo.size(); ++d)
          left -= target.lo[d] * target.memory->strides[d];
        for (size_t i = 0; i < dims.size(); ++i) {
          const int64_t k = left / target.memory->strides[dims[i]];
          left -= k * target.memory->strides[dims[i]];
          at += k * source.memory->strides[from_dims[i]];
        }
        cast(&operand, source.origin() + at * source.bytes(), nullptr, nullptr, 1);
      } else {
        std::memcpy(&operand, update.value, size_t(target.bytes()));
      }
      uint8_t* place = target.base + offset * target.bytes();
      fn(place, place, &operand, nullptr, 1);
    });
  });
  return Step::next;
}

}  // namespace

void compile(const Atomic& node, TileCompiler& compiler) {
  auto op = std::make_unique<AtomicTile>();
  CallSite site;
  op->to = compiler.box(node.dst, site);
  op->op = *operation_of(intrinsic_of(node.op));
  op->order = memory_order_of(node);
  const TileMemory& m = compiler.memory(op->to);
  if (node.value->kind == Kind::Region && elements(to<Region>(node.value)) > 1) {
    op->from = compiler.box(node.value, site);
    if (op->to.extents() != op->from->extents())
      compiler.cannot(node, "an atomic needs operands of one shape");
  } else {
    op->value = compiler.operand(site, compiler.cast(m.elem, compiler.expr(node.value)));
  }
  if (op->from && compiler.memory(*op->from).per_lane && !m.per_lane &&
      compiler.same_in_threads(node))
    op->threads = TileOp::Threads::first;
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
