// SPDX-License-Identifier: Apache-2.0
// What the language decides on a whole kernel: rules that need every loop's bounds, or every use of
// a buffer. The elaborator applies them to the complete function.
#pragma once

#include "core/ir/func.h"

namespace tilelab::elaborate {

/// - An index that is negative whatever happens counts from the end, as in Python, and so does a
///   slice all of whose indices are. One that may be negative stays what it is: outside (TileLang's
///   rule).
/// - Memory of threads that the variables of T.Parallel index everywhere is shared out among them:
///   a fragment.
FuncRef with_whole_kernel_rules(const FuncRef& func);

}  // namespace tilelab::elaborate
