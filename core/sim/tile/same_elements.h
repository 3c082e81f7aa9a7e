// SPDX-License-Identifier: Apache-2.0
// Iterations of a T.Parallel that share elements of fragments.
#pragma once

#include "core/ir/stmt.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

/// Whether several iterations update the same element: `r[j % 32] = max(r[j % 32], ...)`. The
/// thread that holds it executes them in order, and so does the simulator. Checks fragments with
/// indices from the loop's variables and names, in loops of up to 65536 iterations.
bool iterations_share_elements(const Parallel& loop, FunctionRef<bool(Symbol)> is_fragment);

}  // namespace tilelab::sim
