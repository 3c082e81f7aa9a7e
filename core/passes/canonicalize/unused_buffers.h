// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/stmt.h"

namespace tilelab {

/// A kernel's body without shared buffers that nothing reads or writes, and without views of them:
/// they would take room from pipelines, or from the block.
Stmt without_untouched(const Stmt& body);

}  // namespace tilelab
