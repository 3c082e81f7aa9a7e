// SPDX-License-Identifier: Apache-2.0
// Whether the statements of a loop may be taken in turn, each for all lanes.
#pragma once

#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// `body` is what the loop over [0, n) does. True if it is one statement that writes, or if of what
/// one of several writes no lane touches another one's.
bool lanes_apart(const Stmt& body, const For& loop, const BufferViews& views);

}  // namespace tilelab
