// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct FillOp : TileOp {
  TileBox to;
  int32_t value = -1;  // operand

  Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const override {
    const ResolvedBox target = resolve(block, runner, site, to);
    if (target.memory->global < 0) inside(block, runner.span(), target);
    if (!points_inside(target)) return Step::next;
    BoxOperation fill{BoxRule::fill, "fill", runner.span(), target};
    fill.value = runner.scalar_bytes(site, value);
    fill.runner = &runner, fill.reg = site.operands[size_t(value)].regs[0];
    block.perform(fill, [&] { fill_box(target, fill.value); });
    return Step::next;
  }
};

}  // namespace

void compile(const Fill& node, TileCompiler& compiler) {
  const Value value = compiler.expr(node.value);
  if (compiler.private_to_lanes(to<Region>(node.dst)))
    return compiler.store_each(to<Region>(node.dst), value, node);
  auto op = std::make_unique<FillOp>();
  CallSite site;
  op->to = compiler.box(node.dst, site);
  op->value = compiler.operand(site, compiler.cast(compiler.memory(op->to).elem, value));
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
