// SPDX-License-Identifier: Apache-2.0
// Static checks of a kernel that need no data: warnings about likely mistakes, and errors that
// verify_kernel reports. Warnings of a run are reported by core/check.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/ir/stmt.h"
#include "core/ir/traverse.h"
#include "core/lint/access_strides.h"
#include "core/targets/target.h"

namespace tilelab {

/// For a tile function. Each reports only what holds for every execution.
void warn_of_unwritten_elements(const std::vector<AccessedTensor>& tensors,
                                Diagnostics& diagnostics);
void warn_of_unread_elements(const std::vector<AccessedTensor>& tensors, Diagnostics& diagnostics);
void warn_of_reduced_index(const Func& func, Diagnostics& diagnostics);
void warn_of_mismatched_tiles(const Func& func, Diagnostics& diagnostics);
void warn_of_unwaited_barriers(const Func& func, Diagnostics& diagnostics);
/// For a tile function with fragment layouts.
void warn_of_spilled_registers(const Func& func, const Target& target, Diagnostics& diagnostics);

// Clusters of blocks on targets that have none.

/// Warns about clusters that the target ignores: their blocks exchange no data. Those that do are
/// rejected, as any operation that a target lacks.
void verify_clusters(const Kernel& kernel, const Target& target, Diagnostics& diagnostics);

/// A barrier that all threads of a block must reach.
inline bool joins_block(Intrinsic i) {
  return info(i).scope == CollectiveScope::block && info(i).orders() && info(i).step != Step::setup;
}

// Indices of fragments that are out of bounds in some iterations of loops, not in all.

/// Reports accesses to out-of-bounds elements of fragments, which no thread holds, in every
/// execution of the kernel. For a tile function.
void verify_reached_indices(const Func& func, Diagnostics& sink);

// A warning about kernels whose results are unused.

/// Warns about each kernel of a tile function that writes no tensor and prints nothing.
void warn_of_lost_work(const Func& func, Diagnostics& diagnostics);

// Reads of variables of the block that iterations of a T.Parallel assign.

/// Iterations run in any order and any thread, so a variable (a T.alloc_var or T.alloc_local from
/// outside of the loop) that one of them assigns is private to it. Reports reads that would see
/// another iteration's value: in the loop before the assignment, and after the loop.
void verify_parallel_values(const Kernel& kernel, Diagnostics& sink);

// Registers of explicit matrix instructions.

/// Diagnoses registers of T.ptx_ldmatrix and T.ptx_mma that are selected at run time: the
/// instruction names them. Loops with constant bounds are unrolled for them (register_loops.cpp).
void verify_register_indices(const Kernel& kernel, Diagnostics& sink);

// Values and memory of single threads, next to operations that the threads of a block execute
// together (docs/ir.md, section 5).

/// Reports values that differ between the threads which execute a T.Parallel or a tile operation,
/// exchanges of values inside a T.Parallel, operations that combine memory of threads with that of
/// the block, atomic accesses to memory of single threads, and registers that are selected at run
/// time (register_indices.cpp).
void verify_thread_values(const Kernel& kernel, const BufferTable& buffers, Diagnostics& sink);

}  // namespace tilelab
