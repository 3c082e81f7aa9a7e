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

/// A shuffle needs all lanes of a warp or none: reports the first warp of which some are missing.
void TileRunner::watch_whole_warps() {
  const int warp = block_.image().warp;
  for (int first = 0; first < lanes_; first += warp) {
    const uint8_t *begin = mask() + first, *end = begin + std::min(warp, lanes_ - first);
    const auto missing = std::count(begin, end, 0);
    if (missing == 0 || missing == end - begin) continue;
    const auto lane = std::find(begin, end, 0) - begin;
    Finding f = block_.finding(FindingKind::divergence, span(), nullptr, "shuffles");
    f.detail = std::to_string(missing) + " lanes of warp " + std::to_string(first / warp) +
               " are missing, the first is lane " + std::to_string(lane);
    return block_.warn(std::move(f));
  }
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
  if (block_.watch() && what <= Intrinsic::shfl) watch_whole_warps();
  for (int l = 0; l < lanes_; ++l) {
    const int first = l / warp * warp, width = std::min(warp, lanes_ - first);
    if (what <= Intrinsic::shfl) {
      const Operand& by = site.operands[1];
      const int from = source_lane(what, l - first, integer(by.regs[0], by.elem, l), warp, width);
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
