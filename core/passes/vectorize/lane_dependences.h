// SPDX-License-Identifier: Apache-2.0
// Dependence test of vectorize: may a loop be distributed over its statements, each for all lanes?
#pragma once

#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// `body` is the body of the loop over [0, n). True for a single statement that writes, or if no
/// lane accesses memory that another lane writes.
bool lanes_are_independent(const Stmt& body, const For& loop, const BufferViews& views);

}  // namespace tilelab
