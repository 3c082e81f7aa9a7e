// SPDX-License-Identifier: Apache-2.0
// How work is spread over threads: loops over elements, GEMM tiles over warps.
#pragma once

#include <vector>

#include "core/layout/layout.h"

namespace tilelab {

/// A map of a loop over `extents`: `vec` consecutive elements of the last dimension a thread, then
/// threads, then further rounds in registers: for the flat number f, thread = (f / vec) % threads
/// and register = f / (vec * threads) * vec + f % vec, as TileLang has it. Extents that don't fit
/// are padded a dimension at a time. Threads left over idle. vec must divide the last extent.
Layout plan_loop(const Index& extents, int64_t threads, int64_t vec);
/// The same for a fragment: threads left over hold replicas, and thread digits are powers of two
/// where the extents don't fill all threads evenly, so that shuffles can reduce over them.
Layout plan_fragment(const Index& extents, int64_t threads, int64_t vec);
/// The same with the dimensions marked in `in_registers` whole in each thread, innermost there.
Layout plan_fragment(const Index& extents, int64_t threads, const std::vector<bool>& in_registers);
/// Accumulator of a gemm by plain multiply-adds: threads in a grid as square as M x N allows, each
/// with a block of rows and `vec` neighbouring columns at a time, so that operands are reused.
Layout plan_accumulator(int64_t m, int64_t n, int64_t threads, int64_t vec);
/// Digits that the extents never reach are gone and rounds are cut to what they reach; threads of
/// the padding stay, so that warps remain whole.
Layout trimmed(const Layout& layout);
/// Registers numbered without holes, in the order of their strides.
Layout compacted(const Layout& layout);
/// Largest divisor of `last_extent` that is a power of two and at most `widest`.
int64_t dividing_width(int64_t last_extent, int64_t widest);

/// How many warps a GEMM tile has along M and N.
struct WarpGrid {
  int64_t m = 1, n = 1;
  bool operator==(const WarpGrid&) const = default;
};

}  // namespace tilelab
