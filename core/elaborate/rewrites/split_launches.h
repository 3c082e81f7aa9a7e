// SPDX-License-Identifier: Apache-2.0
// T.sync_grid(): a grid-wide barrier, implemented by a second launch, which cannot deadlock for any
// number of blocks.
#pragma once

#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/node.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

struct GridBarrier {
  size_t place;  // index of the following statement in the kernel's body
  Span span;
};

/// Splits a kernel's body at its grid barriers; each part declares the names it uses: values are
/// rematerialized, memory moves to the only part that uses it. Memory of a block that is used in
/// two parts is rejected. `fresh` derives a new name, for views in two parts.
std::vector<Stmt> split_at_barriers(std::vector<Stmt> body,
                                    const std::vector<GridBarrier>& barriers,
                                    FunctionRef<Symbol(Symbol)> fresh, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
