// SPDX-License-Identifier: Apache-2.0
// Shuffles and votes: exchange between the lanes of a warp, where lanes are threads.
#include <algorithm>
#include <cstring>

#include "core/sim/tile/run.h"

namespace tilelab::sim {

/// The lane whose value lane `lane` of a warp takes; itself if there is none.
static int source_lane(Intrinsic what, int lane, int64_t by, int warp, int width) {
  int from = int(by % warp);
  if (what == Intrinsic::shfl_xor) from = int(lane ^ by);
  if (what == Intrinsic::shfl_up) from = int(lane - by);
  if (what == Intrinsic::shfl_down) from = int(lane + by);
  return from < 0 || from >= width ? lane : from;
}

void TileRunner::shuffle(const CallSite& site) {
  const Intrinsic what = Intrinsic(site.numbers[0]);
  const int warp = block_.image().warp, bytes = elem_bytes(site.elem);
  uint8_t* out = at(site.results[0]);
  std::vector<uint8_t> in;
  if (!site.operands.empty()) {
    const Operand& o = site.operands[0];
    in.assign(at(o.regs[0]), at(o.regs[0]) + lanes_ * elem_bytes(o.elem));
  }
  bool reported = !block_.watch();
  for (int l = 0; l < lanes_; ++l) {
    const int first = l / warp * warp, width = std::min(warp, lanes_ - first);
    if (what <= Intrinsic::shfl) {
      const Operand& by = site.operands[1];
      const int from = source_lane(what, l - first, integer(by.regs[0], by.elem, l), warp, width);
      if (!reported && mask()[l] && !mask()[first + from]) {
        reported = true;
        block_.warn(block_.finding(
            FindingKind::divergence, span(), nullptr,
            "takes the value of lane " + std::to_string(from) + ", which does not execute it"));
      }
      std::memcpy(out + l * bytes, in.data() + (first + from) * bytes, size_t(bytes));
      continue;
    }
    uint64_t votes = 0, present = 0;
    for (int k = 0; k < width && k < 64; ++k) {
      if (!mask()[first + k]) continue;
      present |= uint64_t{1} << k;
      if (!in.empty() && in[size_t(first + k)]) votes |= uint64_t{1} << k;
    }
    const uint64_t result = what == Intrinsic::ballot     ? votes
                            : what == Intrinsic::any_sync ? votes != 0
                            : what == Intrinsic::all_sync ? votes == present
                                                          : present;
    std::memcpy(out + l * bytes, &result, size_t(bytes));
  }
}

}  // namespace tilelab::sim
