// SPDX-License-Identifier: Apache-2.0
// What insert_barriers asks of a single statement.
#pragma once

#include "core/ir/node.h"

namespace tilelab {

/// Whether all threads of the block or role meet here.
bool is_barrier(const Stmt& stmt);
/// Whether the threads of one group do.
bool is_group_barrier(const Stmt& stmt);
/// A loop that has at least one iteration.
bool surely_runs(const Stmt& stmt);
/// A loop over operations alone: no loop, role, ring or meeting point in it.
bool is_plain_loop(const Stmt& stmt);

}  // namespace tilelab
