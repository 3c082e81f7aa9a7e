// SPDX-License-Identifier: Apache-2.0
// T.cumsum and T.cummax as loops over shared memory.
#pragma once

#include "core/ir/traverse.h"

namespace tilelab {

/// The scan as tile operations that later passes know. Of as many lines as there are threads each
/// is one chain in one thread, in the order of the tile operation, so its bits are the same; of
/// fewer, long ones are scanned in parts. What does not lie in shared memory goes through a buffer
/// of the kernel. Names that it makes are added to `taken`.
Stmt expand_scan(const Scan& scan, const BufferTable& buffers, const BufferViews& views,
                 int64_t threads, std::unordered_map<Symbol, int>& taken);

/// Whether it has so few lines.
bool scans_in_parts(const Scan& scan, int64_t threads);

}  // namespace tilelab
