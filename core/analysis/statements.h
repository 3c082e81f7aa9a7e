// SPDX-License-Identifier: Apache-2.0
// Questions about a statement.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "core/ir/stmt.h"

namespace tilelab {

/// The user-visible name of a tile operation: "T.copy", "T.reduce_max"; empty for other statements.
std::string tile_name(const Node& stmt);

/// The same as the user wrote it: T.clear is a fill as well.
std::string name_in_source(const Node& stmt);

// Statements that only compute scalars of a thread, which code that runs elsewhere can repeat.

/// A let, a variable, or an assignment to one.
bool is_scalar_statement(const Stmt& stmt);
/// Whether the statement is a scalar, or a branch or a loop of scalars.
bool computes_scalars(const Stmt& stmt);
/// Whether the statement, which computes scalars, binds or assigns one of the names.
bool binds_any(const Node& stmt, const std::unordered_map<Symbol, int>& names);

// A view of memory as a separate buffer, for analyses that need a shape, a type or a layout but not
// the aliased name.

/// The memory with the name, shape and type of the view. Nullopt if the view would split contiguous
/// elements, or if its elements are not contiguous: a tensor with strides, a layout without digits.
std::optional<Buffer> view_as_buffer(const Buffer& memory, const View& view);

}  // namespace tilelab
