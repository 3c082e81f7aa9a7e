// SPDX-License-Identifier: Apache-2.0
// Loops that select the registers of explicit matrix instructions.
#pragma once

#include "core/ir/stmt.h"

namespace tilelab {

/// Registers have no addresses: unrolls the loops with constant bounds whose variables select the
/// registers of T.ptx_ldmatrix and T.ptx_mma, and replaces names by their values there.
///   for i in serial(4): mma(c[i * 4:i * 4 + 4], ...)   ->   for i in unroll(4): ...
Stmt unroll_register_loops(const Stmt& body);

}  // namespace tilelab
