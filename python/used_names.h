// SPDX-License-Identifier: Apache-2.0
// What a call has to give because the kernels of a function need it.
#pragma once

#include <set>

#include "core/ir/func.h"
#include "core/support/symbol.h"

namespace tilelab::python {

/// Every name that the kernels of a function use. A view that nobody uses needs neither its memory
/// nor its extents.
std::set<Symbol> used_in_kernels(const Func& func);

}  // namespace tilelab::python
