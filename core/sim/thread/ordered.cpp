// SPDX-License-Identifier: Apache-2.0
// Order of other accesses by atomic ones: within the block, and between blocks.
#include "core/sim/thread/block.h"

namespace tilelab::sim {

/// Acquires and releases through the elements that the lanes accessed.
void ThreadWarp::order_atomic(const CallSite& call, const int64_t* address) {
  const bool acquires = call.numbers[num_order] & order_acquires;
  const bool releases = call.numbers[num_order] & order_releases;
  // A store ends the release sequence at its address; a read-modify-write continues it.
  const bool stores = !info(Intrinsic(call.what)).operands[0].reads();
  if (!acquires && !releases && !stores) return;
  const int32_t memory = call.operands[0].memory;
  for (LaneMask left = active_lanes(); left.any();) {
    const int64_t at = address[left.lowest()];
    LaneMask same;
    left.for_each([&](int lane) {
      if (address[lane] == at) same.set(lane);
    });
    left = left & ~same;
    if (at < 0) continue;  // out of bounds
    Knowledge& view = block_.atomic_view(memory, at);
    if (acquires) block_.race.acquire(index_, same, view);
    if (stores) view = {};
    if (releases) block_.race.release(index_, same, view);
    if (block_.launch.order && !block_.image.memories[size_t(memory)].shared)
      block_.launch.order->access(block_.output.block, block_.race, index_, same, {memory, at},
                                  {acquires, releases, !stores});
  }
}

}  // namespace tilelab::sim
