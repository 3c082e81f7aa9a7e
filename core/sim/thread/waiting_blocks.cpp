// SPDX-License-Identifier: Apache-2.0
#include "core/sim/thread/waiting_blocks.h"

#include <algorithm>

namespace tilelab::sim {
namespace {

constexpr int kSurelyIdle = 2;  // rounds

struct Running {
  int64_t i = 0;
  Block* block = nullptr;
};

}  // namespace

void run_waiting_blocks(const WaitingBlocks& blocks, std::vector<std::unique_ptr<Block>>& made) {
  std::vector<Running> running;
  std::vector<Block*> spare;
  Clusters clusters(blocks.cluster);
  int64_t next = 0;
  int idle = 0;
  auto begin = [&] {
    const int64_t number = blocks.number(next);
    Block* block = nullptr;
    if (number == blocks.traced || spare.empty()) {
      block = made.emplace_back(blocks.make(number)).get();
    } else {
      block = spare.back();
      spare.pop_back();
    }
    clusters.join(*block, next, number);
    running.push_back({next++, block});
    block->begin(number);
    for (const Running& now : running) now.block->count_waits();
    idle = 0;
  };
  for (;;) {
    const bool stuck = idle >= kSurelyIdle &&
                       std::all_of(running.begin(), running.end(),
                                   [](const Running& now) { return now.block->surely_idle(); });
    const bool open = next % blocks.cluster != 0;  // some blocks of a cluster have begun
    const bool more = next < blocks.count && running.size() < kMostTogether && blocks.may_begin();
    if (open || (more && (int64_t(running.size()) < blocks.interleaved || stuck))) {
      begin();
      continue;
    }
    if (running.empty()) return;
    if (stuck) running.front().block->give_up();
    bool all_idle = true;
    for (size_t r = 0; r < running.size();) {
      const Running now = running[r];
      const bool on = now.block->run_slice();
      all_idle &= on && now.block->idle();
      if (on) {
        ++r;
        continue;
      }
      now.block->leave_cluster();
      if (!blocks.ended(now.i, *now.block)) return;
      if (!now.block->tracer()) spare.push_back(now.block);
      running.erase(running.begin() + int64_t(r));
    }
    idle = all_idle ? idle + 1 : 0;
    if (!all_idle)
      for (const Running& now : running) now.block->count_waits();
  }
}

}  // namespace tilelab::sim
