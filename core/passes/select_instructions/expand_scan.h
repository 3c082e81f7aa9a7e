// SPDX-License-Identifier: Apache-2.0
// T.cumsum and T.cummax as loops over shared memory.
#pragma once

#include "core/ir/traverse.h"

namespace tilelab {

/// Expands the scan into tile operations that later passes support. With at least as many lines as
/// threads, each line is one sequential chain in one thread, in the order of the tile operation, so
/// its bits are the same; otherwise long lines are scanned in parts. Operands outside of shared
/// memory are copied through a buffer of the kernel. Adds new names to `taken`.
Stmt expand_scan(const Scan& scan, const BufferTable& buffers, const BufferViews& views,
                 int64_t threads, std::unordered_map<Symbol, int>& taken);

/// Whether there are too few lines, so that it scans in parts.
bool scans_in_parts(const Scan& scan, int64_t threads);

}  // namespace tilelab
