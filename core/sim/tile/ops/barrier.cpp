// SPDX-License-Identifier: Apache-2.0
// Arrivals at barriers, waits for them, and bytes announced to them.
#include "core/ir/build.h"
#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct BarrierTile : TileOp {
  Intrinsic what = Intrinsic::bar_wait;
  TileBarrier barrier;
  int32_t operand = -1;           // of the call
  int64_t threads = 1, unit = 1;  // of the agent; per arrival

  bool together() const override { return false; }

  Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const override {
    const size_t agent = size_t(block.async().agent());
    const int32_t number = barrier.number(block, runner, site);
    if (number < 0) return Step::next;
    // One lane represents all threads of the agent, unless lanes are threads.
    const int64_t arriving = runner.lane_count() > 1 ? runner.active() : threads;
    TileBarriers& barriers = block.async().barriers();
    if (what == Intrinsic::named_sync) return barriers.sync(number, arriving, agent, runner.span());
    if (what == Intrinsic::bar_wait)
      return barriers.wait(number, runner.scalar(site, operand), agent);
    if (operand >= 0) barriers.expect(number, arriving * runner.scalar(site, operand));
    if (info(what).step == tilelab::Step::arrive)
      barriers.arrive(number, std::max<int64_t>(1, arriving / unit), agent, runner.span());
    return Step::next;
  }
};

}  // namespace

void TileCompiler::declare_barriers(const Buffer& buffer) {
  const int64_t n = number(buffer.shape.at(0), buffer);
  TileBarrierArray array;
  array.name = buffer.name, array.first = image_.barrier_count, array.n = int32_t(n);
  array.count = int32_t(buffer.count);
  array.unit = buffer.unit == Unit::lane ? 1 : (buffer.unit == Unit::warp ? 1 : 4) * image_.warp;
  image_.barrier_count += array.n;
  image_.barriers.push_back(std::move(array));
}

TileBarrierArray* TileCompiler::barriers_of(Symbol name) {
  for (TileBarrierArray& array : image_.barriers)
    if (array.name == name) return &array;
  return nullptr;
}

int32_t TileBarrier::number(TileBlock& block, TileRunner& runner, const CallSite& site) const {
  const int64_t at = index < 0 ? known : runner.scalar(site, index);
  if (at >= 0 && at < n) return int32_t(first + at);
  Finding f = block.finding(FindingKind::out_of_bounds, runner.span(), nullptr, "uses");
  f.detail = "barrier " + std::to_string(at) + " of " + std::to_string(n);
  block.report(std::move(f));
  return -1;
}

TileBarrier compile_barrier(const Expr& of, TileCompiler& compiler, CallSite& site) {
  const Region& region = to<Region>(of);
  const TileBarrierArray* array = compiler.barriers_of(region.buffer);
  if (!array || region.dims.size() != 1)
    compiler.cannot(region, "a barrier that is not known here");
  TileBarrier out{array->first, array->n};
  const Value at = compiler.expr(region.dims[0].lo);
  if (auto known = at.integer())
    out.known = *known;
  else
    out.index = compiler.operand(site, at);
  return out;
}

static TileBarrier named_barrier(const Call& node, TileCompiler& compiler, CallSite& site) {
  TileImage& image = compiler.image();
  if (image.named_barriers < 0) {
    image.named_barriers = int32_t(image.barriers.size());
    for (int64_t i = 0; i < named_barrier_count; ++i) {
      TileBarrierArray array;
      array.name = "named barrier " + std::to_string(i);
      array.first = image.barrier_count++, array.named = true;
      image.barriers.push_back(std::move(array));
    }
  }
  TileBarrierArray* arrays = &image.barriers[size_t(image.named_barriers)];
  TileBarrier out{arrays->first, named_barrier_count};
  const Value at = compiler.expr(node.args.at(0));
  const auto known = at.integer();
  if (known)
    out.known = *known;
  else
    out.index = compiler.operand(site, at);
  const Attr* threads = find_attr(node.attrs, "threads");
  for (int64_t i = 0; i < named_barrier_count; ++i) {
    if (known && *known != i) continue;
    arrays[i].count = int32_t(threads ? threads->integer : 0);
    arrays[i].arrivals.push_back({compiler.span(), image.agents.size()});
  }
  return out;
}

static void compile_named_barrier(const Call& node, TileCompiler& compiler) {
  auto op = std::make_unique<BarrierTile>();
  CallSite site;
  op->barrier = named_barrier(node, compiler, site);
  op->what = node.intrinsic, op->threads = compiler.threads();
  compiler.emit(std::move(op), std::move(site));
}

void compile_barrier(const Call& node, TileCompiler& compiler) {
  if (is_named_barrier(node.intrinsic)) return compile_named_barrier(node, compiler);
  auto op = std::make_unique<BarrierTile>();
  CallSite site;
  op->barrier = compile_barrier(node.args.at(0), compiler, site);
  TileBarrierArray* array = compiler.barriers_of(to<Region>(node.args[0]).buffer);
  op->what = node.intrinsic, op->threads = compiler.threads(), op->unit = array->unit;
  if (node.args.size() > 1) op->operand = compiler.operand(site, compiler.expr(node.args[1]));
  if (info(node.intrinsic).step == tilelab::Step::arrive)
    array->arrivals.push_back({compiler.span(), compiler.image().agents.size()});
  compiler.emit(std::move(op), std::move(site));
}

}  // namespace tilelab::sim
