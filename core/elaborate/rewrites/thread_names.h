// SPDX-License-Identifier: Apache-2.0
// Sibling scopes may bind one name. Where it is a value of single threads in one and one of the
// whole block in another, who asks by name (core/analysis/divergence.h) would take both for the
// threads':
//   for k in serial(8): row = 2 * k; if row < 7: copy(...)
//   row = 63 - tid                                             ->    row_1 = 63 - tid
#pragma once

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// The kernel's body with such values under two names; `fresh` gives one near another.
Stmt with_thread_names_apart(const Kernel& kernel, FunctionRef<Symbol(Symbol)> fresh);

}  // namespace tilelab::elaborate
