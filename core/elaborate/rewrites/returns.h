// SPDX-License-Identifier: Apache-2.0
// T.thread_return(): what stands behind it runs in the threads that have not left.
#pragma once

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// What T.thread_return leaves in a body until its kernel is complete.
Stmt thread_return();
bool has_return(const Node& body);

/// The body without such marks: `if c: return; rest` becomes `if not c: rest`. Behind a return out
/// of a loop, or of a branch in a branch, a variable says who is gone; `name` gives its name.
Stmt without_returns(const Stmt& body, FunctionRef<Symbol()> name);

}  // namespace tilelab::elaborate
