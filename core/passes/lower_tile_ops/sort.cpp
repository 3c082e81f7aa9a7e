// SPDX-License-Identifier: Apache-2.0
// T.sort: a bitonic network over shared memory. In each step the threads share the pairs of all
// lines. Steps whose pairs are in 2 * (threads of a warp) adjacent elements follow each other
// without a barrier of the block, because the same warp has these elements in each of them.
//     sort(s)  ->  for i in unroll(2): if s[high] < s[low]: exchange them; block_sync(); ...
#include <algorithm>
#include <bit>

#include "core/passes/lower_tile_ops/lowering.h"

namespace tilelab {
namespace {

class SortLowering {
 public:
  SortLowering(const Sort& sort, const LoweringScope& here, Lowering& lowering)
      : sort_(sort),
        here_(here),
        lowering_(lowering),
        tile_(region_of(sort.tile)),
        threads_(here.range.hi - here.range.lo) {
    for (size_t d = 0; d < tile_.dims.size(); ++d) {
      if (tile_.dims[d].point) continue;
      lines_ *= length_, length_ = tile_.dims[d].extent, along_ = d;
    }
    pairs_ = int64_t(std::bit_ceil(uint64_t(length_))) / 2;
  }

  Stmt lower() {
    std::vector<Stmt> out;
    int64_t before = 0;  // distance of the last step
    for (const SortStep& step : sort_network(length_)) {
      if (before) out.push_back(barrier(std::max(before, step.distance)));
      out.push_back(exchanges(step));
      before = step.distance;
    }
    return seq(std::move(out));
  }

 private:
  Stmt barrier(int64_t distance) const {
    const int64_t warp = lowering_.lanes();
    const bool whole_warps = threads_ % warp == 0 && here_.range.lo % warp == 0;
    return whole_warps && distance <= warp ? do_call(Intrinsic::warp_sync, {})
                                           : lowering_.block_barrier(here_);
  }

  Stmt exchanges(const SortStep& step) {
    LoweringScope here = here_;
    const int64_t all = lines_ * pairs_, each = (all + threads_ - 1) / threads_;
    const Symbol i = lowering_.fresh("i");
    here.facts.set(i, {0, each - 1});
    const Expr thread = sub(here.tid(), int_const(here.range.lo));
    const Expr pair = add(mul(name_ref(i), int_const(threads_)), thread);
    const Expr within = floormod(pair, int_const(pairs_)), distance = int_const(step.distance);
    const Expr first = mul(floordiv(within, distance), int_const(2 * step.distance));
    const Expr offset = floormod(within, distance);
    const Expr low = add(first, offset);
    const Expr high = step.mirrored ? add(first, sub(int_const(2 * step.distance - 1), offset))
                                    : add(low, distance);
    Expr inside = all % threads_ ? lt(pair, int_const(all)) : nullptr;
    if (length_ != 2 * pairs_) inside = land(inside, lt(high, int_const(length_)));
    const Expr line = floordiv(pair, int_const(pairs_));
    Stmt body = exchange(element(line, low, here), element(line, high, here));
    if (inside) body = if_then(here.simplified(inside), body);
    return for_loop(i, int_const(0), int_const(each), body, LoopMode::unroll);
  }

  std::vector<Expr> element(Expr line, const Expr& at, const LoweringScope& here) const {
    std::vector<Expr> index(tile_.dims.size());
    for (size_t d = tile_.dims.size(); d-- > 0;) {
      const RegionDim& dim = tile_.dims[d];
      Expr position = int_const(0);
      if (d == along_) {
        position = at;
      } else if (dim.extent > 1) {
        position = floormod(line, int_const(dim.extent));
        line = floordiv(line, int_const(dim.extent));
      }
      index[d] = here.simplified(offset_by(lowering_.expr(dim.lo, here), position));
    }
    return index;
  }

  Stmt exchange(const std::vector<Expr>& low, const std::vector<Expr>& high) {
    const Storage memory = lowering_.storage(tile_.buffer);
    const Symbol a = lowering_.fresh("a"), b = lowering_.fresh("b");
    const Expr x = name_ref(a, {memory.dtype}), y = name_ref(b, {memory.dtype});
    const auto store = [&](const std::vector<Expr>& at, const Expr& value) {
      return lowering_.write(tile_.buffer, at, value, true, nullptr, here_);
    };
    return seq(
        {let(a, lowering_.read(tile_.buffer, low, true, here_)),
         let(b, lowering_.read(tile_.buffer, high, true, here_)),
         if_then(sort_.descending ? lt(x, y) : lt(y, x), seq({store(low, y), store(high, x)}))});
  }

  const Sort& sort_;
  const LoweringScope& here_;
  Lowering& lowering_;
  const Region& tile_;
  int64_t threads_ = 1, lines_ = 1, length_ = 1, pairs_ = 0;
  size_t along_ = 0;
};

}  // namespace

Stmt lower(const Sort& sort, const LoweringScope& here, Lowering& lowering) {
  return SortLowering(sort, here, lowering).lower();
}

}  // namespace tilelab
