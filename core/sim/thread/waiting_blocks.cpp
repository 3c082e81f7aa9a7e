// SPDX-License-Identifier: Apache-2.0
#include "core/sim/thread/waiting_blocks.h"

namespace tilelab::sim {
namespace {

constexpr size_t kMostTogether = 256;
constexpr int kSurelyIdle = 2;  // rounds: each loop has gone round in the second

struct Running {
  int64_t i = 0;
  Block* block = nullptr;
};

}  // namespace

void run_waiting_blocks(const LaunchContext& context, const WaitingBlocks& blocks,
                        std::vector<std::unique_ptr<Block>>& made) {
  std::vector<Running> running;
  std::vector<Block*> spare;
  int64_t next = 0;
  int idle = 0;
  auto begin = [&] {
    if (spare.empty()) spare.push_back(made.emplace_back(std::make_unique<Block>(context)).get());
    running.push_back({next, spare.back()});
    spare.pop_back();
    running.back().block->begin(blocks.number(next++));
    idle = 0;
  };
  for (;;) {
    const bool stuck = idle >= kSurelyIdle;
    const bool more = next < blocks.count && running.size() < kMostTogether && blocks.may_begin();
    if (more && (int64_t(running.size()) < blocks.abreast || stuck)) {
      begin();
      continue;
    }
    if (running.empty()) return;
    if (stuck) running.front().block->give_up();
    bool all_idle = true;
    for (size_t r = 0; r < running.size();) {
      const Running now = running[r];
      const bool on = now.block->turn();
      all_idle &= on && now.block->idle();
      if (on) {
        ++r;
        continue;
      }
      if (!blocks.ended(now.i, *now.block)) return;
      spare.push_back(now.block);
      running.erase(running.begin() + int64_t(r));
    }
    idle = all_idle ? idle + 1 : 0;
  }
}

}  // namespace tilelab::sim
