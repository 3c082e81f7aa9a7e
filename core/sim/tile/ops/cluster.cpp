// SPDX-License-Identifier: Apache-2.0
// The barrier of a cluster of blocks, and copies to the memory of another one.
#include "core/ir/build.h"
#include "core/sim/tile/op.h"

namespace tilelab::sim {
namespace {

struct ClusterBarrier : TileOp {
  Intrinsic what = Intrinsic::cluster_sync;
  bool relaxed = false;

  Step run(TileBlock& block, TileRunner& runner, const CallSite&) const override {
    return block.async().cluster_barrier(what, relaxed, runner.span());
  }
};

struct ClusterCopyOp : TileOp {
  TileBox to, from;
  int32_t rank = -1;  // operand

  Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const override {
    const ResolvedBox source = resolve(block, runner, site, from);
    ResolvedBox target = resolve(block, runner, site, to);
    const Span& span = runner.span();
    if (source.memory->global < 0 && !inside(block, span, source)) return Step::next;
    if (!inside(block, span, target)) return Step::next;
    const int64_t number = runner.scalar(site, rank);
    TileBlock* peer = peer_of(block, number, span);
    if (!peer) return Step::next;
    const auto of = [&](const Position& at) { return same_place(source, source, at); };
    const BoxSource sources[] = {{&source, of}};
    const auto copy = [&] {  // only the source is in this block
      target.base = peer->base(target.number);
      copy_box(target, source);
      for_each_run(target, [&](int64_t first, int64_t n, int64_t stride) {
        for (int64_t i = 0; i < n; ++i)
          mark(block, number, target.memory->at + (first + i * stride) * target.bytes(),
               target.bytes());
      });
    };
    block.perform({BoxRule::copy, "copy", span, source, true, sources}, copy);
    return Step::next;
  }

 private:
  static TileBlock* peer_of(TileBlock& block, int64_t rank, const Span& span) {
    const int64_t size = block.cluster() ? block.cluster()->size() : 1;
    TileBlock* peer = nullptr;
    if (rank >= 0 && rank < size) peer = size == 1 ? &block : block.cluster()->member(rank);
    if (peer) return peer;
    Finding f = block.finding(FindingKind::cluster, span, nullptr, "writes to another block");
    f.detail =
        rank >= 0 && rank < size
            ? "block " + std::to_string(rank) + " of the cluster has ended"
            : "rank " + std::to_string(rank) + " is not in [0, " + std::to_string(size) + ")";
    block.report(std::move(f));
    return nullptr;
  }

  static void mark(TileBlock& block, int64_t rank, int64_t at, int64_t n) {
    if (block.cluster() && rank != block.rank())
      block.cluster()->mark_written(rank, at, n);
    else if (TileWatch* watch = block.watch())
      watch->mark_written(at, n);
  }
};

}  // namespace

void compile(const ClusterCopy& node, TileCompiler& compiler) {
  auto op = std::make_unique<ClusterCopyOp>();
  CallSite site;
  op->to = compiler.box(node.dst, site);
  op->from = compiler.box(node.src, site);
  op->rank = compiler.operand(site, compiler.expr(node.block));
  if (op->to.extents() != op->from.extents())
    compiler.cannot(node, "a copy between boxes of different shapes");
  compiler.emit(std::move(op), std::move(site));
}

/// Number of roles that take part in barriers of the cluster.
static int64_t roles_in_cluster(const Kernel& kernel) {
  int64_t out = 0;
  for_each(*kernel.body, [&](const Role& role) {
    out += any_of(*role.body, [](const Call& call) { return is_cluster_barrier(call.intrinsic); });
  });
  return out;
}

/// A block arrives once, with the role that calls the barrier; the threads of other roles end
/// before.
void compile_cluster_barrier(const Call& node, TileCompiler& compiler) {
  if (compiler.threads() != compiler.kernel_threads() && roles_in_cluster(compiler.kernel()) > 1)
    compiler.cannot(node, "barriers of the cluster in several roles");
  auto op = std::make_unique<ClusterBarrier>();
  op->what = node.intrinsic;
  const Attr* relaxed = find_attr(node.attrs, "relaxed");
  op->relaxed = relaxed && relaxed->integer;
  compiler.emit(std::move(op), {});
}

}  // namespace tilelab::sim
