// SPDX-License-Identifier: Apache-2.0
// Products that the program waits for itself (T.wgmma_gemm, T.wait_wgmma): they stay in flight
// where the matrix unit can count them, and have ended with their statement everywhere else.
#pragma once

#include "core/ir/stmt.h"

namespace tilelab {

/// Every product has ended with its statement, and nothing waits.
Stmt with_ended_products(const Stmt& body);

/// The same of a kernel none of whose products has an instruction yet.
Stmt with_ended_products_of_source(const Stmt& body);

/// Without waits in a role, or in a block, that leaves no product in flight.
Stmt without_idle_waits(const Stmt& kernel_body);

}  // namespace tilelab
