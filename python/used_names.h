// SPDX-License-Identifier: Apache-2.0
// The names for which a call must provide values because a function's kernels use them.
#pragma once

#include <set>

#include "core/ir/func.h"
#include "core/support/symbol.h"

namespace tilelab::python {

/// Every name that a function's kernels use. An unused view needs neither its memory nor its
/// extents.
std::set<Symbol> used_in_kernels(const Func& func);

}  // namespace tilelab::python
