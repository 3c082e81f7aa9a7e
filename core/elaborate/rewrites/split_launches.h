// SPDX-License-Identifier: Apache-2.0
// T.sync_grid(): what stands behind it begins in no block before it has ended in all. That is a
// second launch, which no number of blocks can bring to a standstill.
#pragma once

#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/node.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

struct GridMeeting {
  size_t place;  // in front of which statement of the kernel's body
  Span span;
};

/// The parts of a kernel's body between its meetings, each of which declares what it uses: values
/// of names are computed again, memory goes to the one part that uses it. Memory of blocks that
/// two parts use is refused. `fresh` gives a name near another one, for views that two parts have.
std::vector<Stmt> parts_between(std::vector<Stmt> body, const std::vector<GridMeeting>& meetings,
                                FunctionRef<Symbol(Symbol)> fresh, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
