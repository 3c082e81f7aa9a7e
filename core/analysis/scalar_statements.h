// SPDX-License-Identifier: Apache-2.0
// Statements that only compute scalars of a thread, which code that runs elsewhere can repeat.
#pragma once

#include <unordered_map>

#include "core/ir/stmt.h"

namespace tilelab {

/// A let, a variable, or an assignment to one.
bool is_scalar_statement(const Stmt& stmt);
/// Whether the statement is a scalar, or a branch or a loop of scalars.
bool computes_scalars(const Stmt& stmt);
/// Whether the statement, which computes scalars, binds or assigns one of the names.
bool binds_any(const Node& stmt, const std::unordered_map<Symbol, int>& names);

}  // namespace tilelab
