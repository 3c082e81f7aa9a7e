// SPDX-License-Identifier: Apache-2.0
// The steps of canonicalize that are in separate files.
#pragma once

#include "core/ir/func.h"
#include "core/ir/stmt.h"
#include "core/passes/pass.h"

namespace tilelab {

// Layouts for the units of another target.

/// The kernel's body without the layouts of shared buffers that have a swizzle of another target's
/// units, not of this one's, if a matmul reads the buffer or T.copy fills it from a tensor in a
/// pipelined loop: such a layout (make_swizzled_layout of NVIDIA GPUs) is a request for the units,
/// which have their own here. Other buffers keep it, as do those whose addresses the kernel uses.
Stmt without_foreign_layouts(const Func& func, const Kernel& kernel, PassContext& context);

// Part of canonicalize.

/// Normalizes the condition of a branch around tile operations that a range of threads takes to
/// `tid >= lo and tid < hi`, which all later passes understand. Uniform conjuncts move to a branch
/// around it. `lanes`: per warp.
Stmt name_thread_ranges(const Kernel& kernel, int64_t lanes);

// Loops that select the registers of explicit matrix instructions.

/// Registers have no addresses: unrolls the loops with constant bounds whose variables select the
/// registers of T.ptx_ldmatrix and T.ptx_mma, and replaces names by their values there.
///   for i in serial(4): mma(c[i * 4:i * 4 + 4], ...)   ->   for i in unroll(4): ...
Stmt unroll_register_loops(const Stmt& body);

/// Removes shared buffers that nothing reads or writes, and their views from a kernel's body: they
/// would take shared memory from pipelines or the block.
Stmt without_unused_buffers(const Stmt& body);

}  // namespace tilelab
