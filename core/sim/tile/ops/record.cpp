// SPDX-License-Identifier: Apache-2.0
// T.print, T.device_assert, T.assume: values of each active lane; boxes as a whole, once.
#include <cstring>

#include "core/ir/build.h"
#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct RecordOp : TileOp {
  struct What {
    int32_t operand = -1;  // or
    TileBox box;
  };
  std::vector<What> values;
  bool assertion = false;
  RecordKind what = RecordKind::print;
  int64_t number = 0;
  int index_count = 0;

  bool together() const override { return false; }
  Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const override;
  void take(Recorded& record, int lane, TileBlock& block, TileRunner& runner,
            const CallSite& site) const;
};

/// A value's bits, of `elem`.
void push(Recorded& record, Elem elem, const uint8_t* from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, size_t(elem_bytes(elem)));
  record.dtypes.push_back(uint8_t(elem));
  record.values.push_back(bits);
}

void RecordOp::take(Recorded& record, int lane, TileBlock& block, TileRunner& runner,
                    const CallSite& site) const {
  for (const What& what : values) {
    if (what.operand >= 0) {
      const Operand& o = site.operands[size_t(what.operand)];
      push(record, o.elem, runner.at(o.regs[0]) + lane * elem_bytes(o.elem));
      continue;
    }
    const ResolvedBox region = resolve(block, runner, site, what.box);
    if (!inside(block, runner.span(), region, "prints")) continue;
    std::vector<size_t> dims(region.lo.size());
    for (size_t d = 0; d < dims.size(); ++d) dims[d] = d;
    for_each_offset(region, dims, [&](int64_t offset) {
      push(record, region.memory->elem, region.base + offset * region.bytes());
    });
  }
}

Step RecordOp::run(TileBlock& block, TileRunner& runner, const CallSite& site) const {
  Recorded record;
  record.site = number;
  record.is_assert = assertion;
  record.index_count = index_count;
  record.block = block.place();
  const int lane = runner.scalar_lane();
  record.thread = block.first_thread() + lane;
  record.span = runner.span();
  take(record, lane, block, runner, site);
  if (assertion && !record.values.empty() && record.values[0] != 0) return Step::next;  // it holds
  if (assertion) {
    Finding f = block.finding(failure_of(what), runner.span(), nullptr,
                              what == RecordKind::opaque ? "calls it" : "fails");
    f.detail = site.text;
    if (threads == Threads::each) f.where[0].actor = runner.actor_of_lane(lane);
    block.report(std::move(f));
    block.halt();
  }
  if (what != RecordKind::opaque) block.add(std::move(record));
  return assertion ? Step::halt : Step::next;
}

}  // namespace

void compile(const Record& node, TileCompiler& compiler) {
  auto op = std::make_unique<RecordOp>();
  op->what = node.what;
  op->assertion = node.what != RecordKind::print;
  CallSite site;
  site.text = node.message;
  for (const Expr& e : node.values) {
    if (e->kind == Kind::Region && elements(to<Region>(e)) > 1)
      op->values.push_back({-1, compiler.box(e, site)});
    else
      op->values.push_back({compiler.operand(site, compiler.expr(e)), {}});
  }
  for (const Expr& e : node.index)
    op->values.push_back({compiler.operand(site, compiler.expr(e)), {}});
  op->index_count = int(node.index.size());
  op->number = compiler.image().records++;
  op->threads = compiler.same_in_threads(node) ? TileOp::Threads::first : TileOp::Threads::each;
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
