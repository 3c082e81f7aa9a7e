// SPDX-License-Identifier: Apache-2.0
// What passes that place meeting points ask of a single statement.
#pragma once

#include "core/ir/expr.h"

namespace tilelab {

/// The operation that the statement calls for its effect, or null.
const Call* called(const Stmt& stmt);
/// Whether all threads of the block or role meet here.
bool is_barrier(const Stmt& stmt);
/// Whether the threads of one group do.
bool is_group_barrier(const Stmt& stmt);
/// One at which the threads that come meet others, that the program names.
bool is_named_sync(const Stmt& stmt);
/// A loop that has at least one iteration.
bool surely_runs(const Stmt& stmt);
/// A loop over operations alone: no loop, role, ring or meeting point in it.
bool is_plain_loop(const Stmt& stmt);

}  // namespace tilelab
