// SPDX-License-Identifier: Apache-2.0
// Tile operations, one per file of ops/: `compile(node, compiler)` makes a TileOp (image.h) from
// the node's fields and emits it as a call, `run` executes it. The rest of the simulator is
// generic.
#pragma once

#include "core/sim/tile/async.h"
#include "core/sim/tile/compile.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {

#define NODE(kind, group)
#define TILE_NODE(kind) void compile(const kind& node, TileCompiler& compiler);
#include "core/ir/nodes.def"
#undef NODE

/// A barrier of an array, with a constant or dynamic index.
struct TileBarrier {
  int32_t first = 0, n = 1;  // of the array
  int32_t index = -1;        // operand of the call; -1: it is `known`
  int64_t known = 0;
  /// Its index among the block's barriers; -1 after a finding.
  int32_t number(TileBlock& block, TileRunner& runner, const CallSite& site) const;
};
TileBarrier compile_barrier(const Expr& of, TileCompiler& compiler, CallSite& site);
/// An arrival at a barrier, a wait for it, or bytes announced to it.
void compile_barrier(const Call& node, TileCompiler& compiler);

/// The barrier of a cluster, or one half of it.
void compile_cluster_barrier(const Call& node, TileCompiler& compiler);

/// A synchronous operation from one box to another. `overwrites`: ignores the target's old
/// contents.
struct BoxToBox : TileOp {
  TileBox to, from;
  bool overwrites = true;
  Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const override;
  virtual void apply(const ResolvedBox& target, const ResolvedBox& source) const = 0;
  BoxRule rule = BoxRule::scan;
  ReduceOp op = ReduceOp::sum;  // of a `reduce`
  /// The part of the source on which an element of the target depends.
  virtual BoxPart part(const ResolvedBox& target, const ResolvedBox& source,
                       const Position& at) const = 0;
  virtual const char* name() const = 0;
};

}  // namespace tilelab::sim
