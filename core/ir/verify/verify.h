// SPDX-License-Identifier: Apache-2.0
// What must hold of a function at its level. A text that breaks a rule is its writer's mistake; a
// function that a pass made and that breaks one is a bug of the pass.
//
// Every level
//   names       declared before use and visible; bound once along a path of regions; identifiers.
//               Names of buffers are unique in the function.
//   types       both operands of an operator have one type that it exists for, conditions bool,
//               indices, extents and loop bounds i32 or i64; a store, a variable and its value have
//               one dtype; as many lanes are stored as elements are named.
//   references  as many indices as dimensions; slices of positive width.
//   calls       as many operands as the table says, of its kinds; the result that it gives; an
//               effect only under Do or as a whole Let; attributes of attributes.def with their
//               values; intrinsics that the target has.
//   structure   host statements before and between kernels, everything else inside; kernels behind
//               the binds; a kernel has three extents, a name of its own and no kernel inside;
//               break only in a loop; unroll and vec have constant bounds; steps are constants from
//               1 on.
//   roles       disjoint ranges of whole warps inside the block, not nested; their registers fit
//               those of a block; both as the target has them.
//   buffers     constant shapes of at least one element, but for global ones: parameters or
//               workspaces; sizes that can be counted; a layout with one list of digits for each
//               dimension, covering it, whose threads exist and can be told apart; swizzles that
//               keep bytes apart; barriers only where barriers are operands. A view of a block's
//               memory is as large as that, and does not cut through its layout.
// tile
//   Thread statements may stand beside tile operations. Values are elements: boxes are operands.
//   rings       declared at the head of their kernel; their roles are its roles; who acquires and
//   commits is the producer, who
//               waits and releases the consumer; a buffer of a ring has its stages as first extent.
//   copies      by threads without a tensor map; by engines and asynchronous ones between tensors
//               and shared memory; both regions have the same extents, but for those that are 1; so
//               have scans and atomics.
//   gemm        matrices; an instruction of three extents that divide the product, two counts of
//               warps; what its row of matrix.def multiplies, sums in and reads from where.
// thread
//   No tile operation but Record, no Parallel, TileLoop, fragment, Ring or pipelined loop.
//   Operands of register matrices are slices whose starts depend on unrolled loops only.
// flat
//   As thread; also no role, no array of barriers, no digits or swizzle on shared buffers, which
//   have their place, one index into every buffer, the attributes that only this level needs.
// from a pass on
//   What it leaves, by the function's `after`: stages.def.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/ir/intrinsics/features.h"

namespace tilelab {

/// What a target allows (`limits_of`, core/targets/target.h).
struct Limits {
  int64_t lanes = 0;          // of a warp
  int64_t registers = 0;      // 32-bit, of a block
  Features features;          // what its intrinsics may need
  char letter = 0;            // of the target, in the `targets` column of core/layout/matrix.def
  int64_t barrier_ids = 0;    // how many barriers the hardware has; 0: they lie in shared memory
  int64_t barrier_bytes = 0;  // of one that lies there
};

/// Reports every broken rule; true if there is none.
bool verify(const Func& func, const Limits& limits, Diagnostics& sink);

}  // namespace tilelab
