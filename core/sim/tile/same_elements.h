// SPDX-License-Identifier: Apache-2.0
// Iterations of a T.Parallel that share elements of fragments.
#pragma once

#include "core/ir/stmt.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

/// Whether several iterations change one element that they read: `r[j % 32] = max(r[j % 32], ...)`.
/// The thread that has it goes through them one after another, and so do we. Looks at fragments,
/// at places that the loop's variables and names tell, of loops of up to 65536 iterations.
bool iterations_share_elements(const Parallel& loop, FunctionRef<bool(Symbol)> is_fragment);

}  // namespace tilelab::sim
