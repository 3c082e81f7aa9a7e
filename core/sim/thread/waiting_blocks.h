// SPDX-License-Identifier: Apache-2.0
// Blocks of a kernel in which some wait for what others write.
#pragma once

#include <memory>
#include <vector>

#include "core/sim/thread/block.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

struct WaitingBlocks {
  int64_t count = 0;    // of blocks to run
  int64_t abreast = 1;  // that run together anyway
  int64_t traced = -1;  // number of the one that is
  FunctionRef<int64_t(int64_t)> number;
  FunctionRef<std::unique_ptr<Block>(int64_t number)> make;
  FunctionRef<bool()> may_begin;  // false: no further block
  /// Block `i` of those that run has come to its end. False: no other has to.
  FunctionRef<bool(int64_t i, Block& block)> ended;
};

/// Runs them in their order; while all that have begun only wait, another one begins beside them.
/// Where none is left to begin the first of them gives up its loop, which is a finding. `made`
/// keeps the blocks, each of which stands for several.
void run_waiting_blocks(const WaitingBlocks& blocks, std::vector<std::unique_ptr<Block>>& made);

}  // namespace tilelab::sim
