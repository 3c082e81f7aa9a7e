// SPDX-License-Identifier: Apache-2.0
// Registers of explicit matrix instructions.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/stmt.h"

namespace tilelab {

/// Diagnoses registers of T.ptx_ldmatrix and T.ptx_mma that are selected at run time: the
/// instruction names them. Loops with constant bounds are unrolled for them (register_loops.h).
void verify_register_indices(const Kernel& kernel, Diagnostics& sink);

}  // namespace tilelab
