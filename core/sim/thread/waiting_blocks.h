// SPDX-License-Identifier: Apache-2.0
// Blocks of a kernel in which some wait for writes of others.
#pragma once

#include <memory>
#include <vector>

#include "core/sim/thread/block.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

struct WaitingBlocks {
  int64_t count = 0;        // of blocks to run
  int64_t interleaved = 1;  // that are interleaved anyway
  int64_t cluster = 1;      // in a cluster, whose blocks start together
  int64_t traced = -1;      // index of the traced one
  FunctionRef<int64_t(int64_t)> number;
  FunctionRef<std::unique_ptr<Block>(int64_t number)> make;
  FunctionRef<bool()> may_begin;  // false: no further block
  /// Block `i` of those to run has ended. False: stop.
  FunctionRef<bool(int64_t i, Block& block)> ended;
};

/// Runs the blocks in order. While all running ones only wait, another one starts beside them. If
/// none is left to start, the first gives up its loop, which is a finding. `made` keeps the blocks
/// for reuse.
void run_waiting_blocks(const WaitingBlocks& blocks, std::vector<std::unique_ptr<Block>>& made);

}  // namespace tilelab::sim
