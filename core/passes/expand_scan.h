// SPDX-License-Identifier: Apache-2.0
// T.cumsum and T.cummax as loops over shared memory.
#pragma once

#include "core/ir/traverse.h"

namespace tilelab {

/// The scan as tile operations that later passes know: each line is one chain in one thread, in the
/// order of the tile operation, so its bits are the same. What does not lie in shared memory goes
/// through a buffer of the kernel. Names that it makes are added to `taken`.
Stmt expand_scan(const Scan& scan, const BufferTable& buffers, const BufferViews& views,
                 std::unordered_map<Symbol, int>& taken);

}  // namespace tilelab
