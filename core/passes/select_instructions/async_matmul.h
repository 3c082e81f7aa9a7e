// SPDX-License-Identifier: Apache-2.0
// Matmuls with explicit waits (T.wgmma_gemm, T.wait_wgmma): they stay in flight if the matrix unit
// can count them, and complete with their statement otherwise.
#pragma once

#include "core/ir/stmt.h"

namespace tilelab {

/// Makes every matmul complete with its statement and removes the waits.
Stmt with_synchronous_matmuls(const Stmt& body);

/// The same for a kernel whose matmuls have no instruction yet.
Stmt with_synchronous_source_matmuls(const Stmt& body);

/// Removes waits in a role, or in a block, that leaves no matmul in flight.
Stmt without_idle_waits(const Stmt& kernel_body);

}  // namespace tilelab
