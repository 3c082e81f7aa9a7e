// SPDX-License-Identifier: Apache-2.0
// T.thread_return(): later statements run only in threads that have not returned.
#pragma once

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// The marker of T.thread_return in a body, until its kernel is complete.
Stmt thread_return();
bool has_return(const Node& body);

/// Removes the markers: `if c: return; rest` becomes `if not c: rest`. After a return inside a loop
/// or a nested branch, a flag records which threads have returned; `name` creates its name.
Stmt without_returns(const Stmt& body, FunctionRef<Symbol()> name);

}  // namespace tilelab::elaborate
