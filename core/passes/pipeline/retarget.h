// SPDX-License-Identifier: Apache-2.0
// A function made for another target.
#pragma once

#include "core/ir/func.h"

namespace tilelab {

struct Target;  // core/targets/target.h

/// The function for `target`. Where a block is one thread (a CPU core), the `threads` of its
/// kernels are dropped as TileLang does: the block runs once, the indices of thread, lane and warp
/// are 0, and layouts of fragments and loops by hand are nothing. Kernels with roles keep their
/// threads, which verify_kernel then refuses.
FuncRef for_target(const FuncRef& func, const Target& target);

}  // namespace tilelab
