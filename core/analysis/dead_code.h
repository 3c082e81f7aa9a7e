// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/stmt.h"

namespace tilelab {

/// Dead code elimination: `body` without unused values and the branches and loops that this
/// empties. Calls with effects are kept.
Stmt eliminate_dead_code(const Stmt& body);

}  // namespace tilelab
