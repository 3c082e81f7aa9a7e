// SPDX-License-Identifier: Apache-2.0
// Work distribution: loops over elements, GEMM tiles over warps.
#pragma once

#include <vector>

#include "core/layout/layout.h"

namespace tilelab {

/// A map of a loop over `extents`: `vec` consecutive elements of the last dimension per thread,
/// then threads, then further iterations in registers: for the flat index f, thread = (f / vec) %
/// threads and register = f / (vec * threads) * vec + f % vec, as in TileLang. Extents that do not
/// fit are padded per dimension. Excess threads are idle. vec must divide the last extent.
Layout plan_loop(const Index& extents, int64_t threads, int64_t vec);
/// The same for a fragment: excess threads hold replicas, and thread digits are powers of two if
/// the extents do not fill all threads evenly, so that shuffles can reduce over them.
Layout plan_fragment(const Index& extents, int64_t threads, int64_t vec);
/// The same with the dimensions in `in_registers` entirely in each thread, innermost after the
/// `vec` consecutive elements.
Layout plan_fragment(const Index& extents, int64_t threads, const std::vector<bool>& in_registers,
                     int64_t vec);
/// Accumulator of a gemm by plain multiply-adds: a thread grid as square as M x N allows; each
/// thread has a block of rows and `vec` adjacent columns at a time, so that operands are reused.
Layout plan_accumulator(int64_t m, int64_t n, int64_t threads, int64_t vec);
/// Removes unreachable digits and iterations; padding threads are kept, so that warps remain whole.
Layout trimmed(const Layout& layout);
/// Registers renumbered without holes, in the order of their strides.
Layout compacted(const Layout& layout);
/// Largest divisor of `last_extent` that is a power of two and at most `widest`.
int64_t dividing_width(int64_t last_extent, int64_t widest);

/// The number of warps of a GEMM tile along M and N.
struct WarpGrid {
  int64_t m = 1, n = 1;
  bool operator==(const WarpGrid&) const = default;
};

}  // namespace tilelab
