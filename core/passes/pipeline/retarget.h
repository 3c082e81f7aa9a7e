// SPDX-License-Identifier: Apache-2.0
// Adapts a function to another target.
#pragma once

#include "core/ir/func.h"

namespace tilelab {

struct Target;  // core/targets/target.h

/// The function for `target`. If a block is one thread (a CPU core), the `threads` of its kernels
/// are dropped as in TileLang: the block runs once, the indices of thread, lane and warp are 0, and
/// explicit layouts of fragments and loops are removed. Kernels with roles keep their threads, and
/// verify_kernel then rejects them.
FuncRef for_target(const FuncRef& func, const Target& target);

}  // namespace tilelab
