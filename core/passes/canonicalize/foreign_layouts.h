// SPDX-License-Identifier: Apache-2.0
// Layouts for the units of another target.
#pragma once

#include "core/ir/func.h"
#include "core/passes/pass.h"

namespace tilelab {

/// The kernel's body without the layouts of shared buffers that have a swizzle of another target's
/// units, not of this one's, if a matmul reads the buffer or T.copy fills it from a tensor in a
/// pipelined loop: such a layout (make_swizzled_layout of NVIDIA GPUs) is a request for the units,
/// which have their own here. Other buffers keep it, as do those whose addresses the kernel uses.
Stmt without_foreign_layouts(const Func& func, const Kernel& kernel, PassContext& context);

}  // namespace tilelab
