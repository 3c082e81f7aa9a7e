// SPDX-License-Identifier: Apache-2.0
// Collectives of a warp: shuffles and votes between its lanes, where lanes are threads.
#include <algorithm>
#include <cstring>

#include "core/sim/program/shuffle.h"
#include "core/sim/tile/run.h"

namespace tilelab::sim {

/// A collective of a warp needs all its lanes or none: reports the first warp that lacks some.
void TileRunner::watch_whole_warps(Intrinsic what) {
  const int warp = block_.image().warp;
  for (int first = 0; first < lanes_; first += warp) {
    const uint8_t *begin = mask() + first, *end = begin + std::min(warp, lanes_ - first);
    const auto missing = std::count(begin, end, 0);
    if (missing == 0 || missing == end - begin) continue;
    const auto lane = std::find(begin, end, 0) - begin;
    const std::string runs = std::string("runs ") + name(what);
    Finding f = block_.finding(FindingKind::divergence, span(), nullptr, runs);
    f.detail = std::to_string(missing) + " lanes of warp " + std::to_string(first / warp) +
               " are missing, the first is lane " + std::to_string(lane);
    return block_.warn(std::move(f));
  }
}

void TileRunner::shuffle(const CallSite& site) {
  const Intrinsic what = Intrinsic(site.numbers[0]);
  const int warp = block_.image().warp, bytes = elem_bytes(site.elem);
  std::vector<uint8_t> in;
  if (!site.operands.empty()) {
    const Operand& o = site.operands[0];
    in.assign(at(o.regs[0]), at(o.regs[0]) + lanes_ * elem_bytes(o.elem));
  }
  if (block_.watch() && what != Intrinsic::activemask) watch_whole_warps(what);
  if (site.results.empty()) return;
  uint8_t* out = at(site.results[0]);
  for (int l = 0; l < lanes_; ++l) {
    const int first = l / warp * warp, live = std::min(warp, lanes_ - first);
    if (what <= Intrinsic::shfl) {
      const Operand& by = site.operands[1];
      const int64_t operand = integer(by.regs[0], by.elem, l);
      const int from = first + shuffle_source(what, l - first, operand, warp, live);
      std::memcpy(out + l * bytes, in.data() + from * bytes, size_t(bytes));
      continue;
    }
    uint64_t votes = 0, present = 0;  // a target whose warps are larger has no masks
    bool any = false, all = true;
    for (int k = 0; k < live; ++k) {
      if (!mask()[first + k]) continue;
      const bool vote = !in.empty() && in[size_t(first + k)];
      any |= vote, all &= vote;
      if (k < 64) present |= uint64_t{1} << k, votes |= uint64_t{vote} << k;
    }
    const uint64_t result = what == Intrinsic::ballot     ? votes
                            : what == Intrinsic::any_sync ? any
                            : what == Intrinsic::all_sync ? all
                                                          : present;
    std::memcpy(out + l * bytes, &result, size_t(bytes));
  }
}

}  // namespace tilelab::sim
