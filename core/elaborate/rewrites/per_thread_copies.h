// SPDX-License-Identifier: Apache-2.0
// T.copy and T.fill of memory of one thread, where only some threads come: each that comes does
// its own, in a loop. Elsewhere they stay what they are, and become such loops in lower_tile_ops.
#pragma once

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// The kernel's body with fragments that threads use one by one, each with a value of its own, as
/// memory of each thread: there is no element that the block has.
Stmt with_own_fragments(const Kernel& kernel);

/// The kernel's body with these loops; `name` gives the name of a loop's variable.
Stmt with_own_loops(const Kernel& kernel, FunctionRef<Symbol()> name);

}  // namespace tilelab::elaborate
