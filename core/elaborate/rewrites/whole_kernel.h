// SPDX-License-Identifier: Apache-2.0
// Language rules that need the whole kernel: every loop's bounds, or every use of a buffer. The
// elaborator applies them to the complete function.
#pragma once

#include "core/ir/func.h"

namespace tilelab::elaborate {

/// - A provably negative index counts from the end, as in Python, and so does a slice whose indices
///   are all negative. An index that may be negative is out of bounds (TileLang's rule).
/// - A local buffer that is always indexed by variables of T.Parallel is distributed over threads:
///   it becomes a fragment.
FuncRef with_whole_kernel_rules(const FuncRef& func);

}  // namespace tilelab::elaborate
