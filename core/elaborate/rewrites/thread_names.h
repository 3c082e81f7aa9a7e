// SPDX-License-Identifier: Apache-2.0
// Renames bindings in sibling scopes that share a name if only one of them is thread-dependent.
// DivergenceAnalysis (core/analysis/divergence.h) identifies values by name and would treat both as
// thread-dependent:
//   for k in serial(8): row = 2 * k; if row < 7: copy(...)
//   row = 63 - tid                                             ->    row_1 = 63 - tid
#pragma once

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// The kernel's body with such values renamed; `fresh` derives a new name.
Stmt rename_thread_values(const Kernel& kernel, FunctionRef<Symbol(Symbol)> fresh);

}  // namespace tilelab::elaborate
