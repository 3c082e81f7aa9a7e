// SPDX-License-Identifier: Apache-2.0
// The barrier of a cluster of blocks.
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

}  // namespace

void compile_cluster_barrier(const Call& node, TileCompiler& compiler) {
  if (compiler.threads() != compiler.kernel_threads())
    compiler.cannot(node, "a barrier of the cluster in some threads of a block");
  auto op = std::make_unique<ClusterBarrier>();
  op->what = node.intrinsic;
  const Attr* relaxed = find_attr(node.attrs, "relaxed");
  op->relaxed = relaxed && relaxed->integer;
  compiler.emit(std::move(op), {});
}

}  // namespace tilelab::sim
