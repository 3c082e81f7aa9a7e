// SPDX-License-Identifier: Apache-2.0
// T.copy and T.fill of thread-private memory in divergent code: each active thread does its own, in
// a loop. Elsewhere they are unchanged; lower_tile_ops expands them to such loops.
#pragma once

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// Turns fragments that hold a separate value per thread into local buffers: their elements do not
/// belong to the block.
Stmt privatize_fragments(const Kernel& kernel);

/// The kernel's body with these loops; `name` creates names of loop variables.
Stmt expand_private_copies(const Kernel& kernel, FunctionRef<Symbol()> name);

}  // namespace tilelab::elaborate
