// SPDX-License-Identifier: Apache-2.0
// Rewrites of a complete kernel, or of a complete function (with_whole_kernel_rules), that have no
// other interface. kernel.cpp applies them in order.
#pragma once

#include <cstdint>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/ir/node.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

// Language rules that need the whole kernel: every loop's bounds, or every use of a buffer. The
// elaborator applies them to the complete function.

/// - A provably negative index counts from the end, as in Python, and so does a slice whose indices
///   are all negative. An index that may be negative is out of bounds (TileLang's rule).
/// - A local buffer that is always indexed by variables of T.Parallel is distributed over threads:
///   it becomes a fragment.
FuncRef with_whole_kernel_rules(const FuncRef& func);

// T.copy and T.fill of thread-private memory in divergent code: each active thread does its own, in
// a loop. Elsewhere they are unchanged; lower_tile_ops expands them to such loops.

/// Turns fragments that hold a separate value per thread into local buffers: their elements do not
/// belong to the block.
Stmt privatize_fragments(const Kernel& kernel);

/// The kernel's body with these loops; `name` creates names of loop variables.
Stmt expand_private_copies(const Kernel& kernel, FunctionRef<Symbol()> name);

// Fragments in T.Parallel whose iterations do not match their elements, as TileLang defines it.

/// Variables that do not occur in the index of an accumulation into a fragment become serial loops
/// inside the iterations: the thread that holds the element adds its terms in order.
///   for i, j in parallel(64, 32): acc[i] = acc[i] + s[i, j]
///   ->  for i in parallel(64): for j in serial(32): acc[i] = acc[i] + s[i, j]
Stmt with_serial_accumulations(const Kernel& kernel);

/// A fragment that is only used element by element gets the elements that its T.Parallel loops
/// use beyond its extents; warns, because in another place this is a mistake.
Stmt with_extended_fragments(const Kernel& kernel, Diagnostics& diagnostics);

// Renames bindings in sibling scopes that share a name if only one of them is thread-dependent.
// DivergenceAnalysis (core/analysis/divergence.h) identifies values by name and would treat both as
// thread-dependent:
//   for k in serial(8): row = 2 * k; if row < 7: copy(...)
//   row = 63 - tid                                             ->    row_1 = 63 - tid

/// The kernel's body with such values renamed; `fresh` derives a new name.
Stmt rename_thread_values(const Kernel& kernel, FunctionRef<Symbol(Symbol)> fresh);

// T.thread_return(): later statements run only in threads that have not returned.

/// The marker of T.thread_return in a body, until its kernel is complete.
Stmt thread_return();
bool has_return(const Node& body);

/// Removes the markers: `if c: return; rest` becomes `if not c: rest`. After a return inside a loop
/// or a nested branch, a flag records which threads have returned; `name` creates its name.
Stmt without_returns(const Stmt& body, FunctionRef<Symbol()> name);

// T.sync_grid() in a loop or a branch: a barrier of blocks that all run at once. At the top level
// of a kernel it is a second launch (split_launches.h), which needs no such promise.

/// The marker of such a barrier in a body, until its kernel is complete.
Stmt resident_barrier();
bool has_resident_barrier(const Node& body);

/// Replaces the markers by a sense-reversing barrier (Mellor-Crummey and Scott, 1991): thread 0 of
/// each block adds 1 to a counter, and the first block so much that its top bit changes when all
/// have arrived; each waits for that. A block that ends counts as well, and the last one restores
/// the zeros. `counters`: two u32 in a zeroed workspace; `sync`: a barrier of the block's threads.
/// Reports barriers that not all blocks and threads surely reach.
Stmt with_resident_barriers(const Kernel& kernel, Symbol counters, const Stmt& sync,
                            FunctionRef<Symbol(const char*)> fresh, Diagnostics& diagnostics);

// Register budgets per thread of a role (T.inc_max_nreg, T.dec_max_nreg).

/// Moves the calls of reg_limit in the kernel's body into the budgets of its roles; calls before
/// the roles apply to the roles of their threads. Either all roles have budgets or none: budgets
/// that exceed the registers of a block with `block` threads, omit a role, or belong to several
/// roles of one warp group are reported to have no effect.
Stmt with_register_budgets(const Stmt& body, int64_t block, int64_t min_blocks,
                           Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
