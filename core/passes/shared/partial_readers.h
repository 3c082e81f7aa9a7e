// SPDX-License-Identifier: Apache-2.0
// Shared memory that all threads fill, and a matrix unit of some of them reads:
//   for i, j in parallel(64, 64): b[i, j] = B[i, j] * 2
//   block_sync()
//   if tid < 128: gemm(b, a, c, by="wgmma")
#pragma once

#include "core/ir/func.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// Whether the kernel has such memory. Threads fence their stores where they issue the operation;
/// the others need a fence at the barrier in between.
bool has_partial_readers(const Kernel& kernel, const BufferViews& views);

}  // namespace tilelab
