// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/stmt.h"

namespace tilelab {

/// `body` without values that nothing reads, and without the branches and loops that this empties.
/// Calls with effects stay.
Stmt without_unused(const Stmt& body);

}  // namespace tilelab
