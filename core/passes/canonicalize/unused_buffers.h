// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/stmt.h"

namespace tilelab {

/// Removes shared buffers that nothing reads or writes, and their views from a kernel's body: they
/// would take shared memory from pipelines or the block.
Stmt without_unused_buffers(const Stmt& body);

}  // namespace tilelab
