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

/// What the parts of a kernel need to keep memory of a block, or of its threads, in a workspace.
struct LaunchNames {
  std::vector<Expr> block;            // the indices of a block, slowest first
  Expr thread;                        // the index of a thread in its block
  Stmt barrier;                       // of the threads of a block
  FunctionRef<Symbol(Symbol)> fresh;  // a new name for a buffer or view in another part
  /// A new workspace, with memory of this shape for each block or, if `by_thread`, for each thread.
  FunctionRef<Symbol(Symbol base, DType, bool by_thread, const std::vector<Expr>& shape)> workspace;
};

/// Splits a kernel's body at its grid barriers; each part declares the names it uses: values are
/// rematerialized, memory moves to the only part that uses it. Memory that several parts use is
/// saved in a workspace at the end of one part and restored at the start of the next, unless that
/// part overwrites it first. Barriers, whose phases end with a launch, are rejected.
std::vector<Stmt> split_at_barriers(std::vector<Stmt> body,
                                    const std::vector<GridBarrier>& barriers,
                                    const LaunchNames& names, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
