// SPDX-License-Identifier: Apache-2.0
// Invariants of a function at its level. In a text, a violation is an input error; in the output
// of a pass, it is a bug of the pass.
//
// Every level
//   names       declared before use and in scope; bound once per region path; identifiers.
//               Names of buffers are unique in the function.
//   types       both operands of an operator have one type that it supports; conditions are bool;
//               indices, extents and loop bounds i32 or i64; a store, a variable and its value have
//               one dtype; the stored lanes match the referenced elements.
//   references  one index per dimension; slices of positive width.
//   calls       operands and result as the table states; an effect only under Do or as a whole
//               Let; attributes of attributes.def with valid values; intrinsics that the target
//               supports.
//   structure   host statements before and between kernels, everything else inside; kernels after
//               the binds; a kernel has three extents, a unique name and no nested kernel;
//               break only in a loop; unroll and vec have constant bounds; steps are constants
//               >= 1.
//   roles       disjoint ranges of whole warps inside the block, not nested; their registers fit
//               those of a block; both as the target supports them.
//   buffers     constant shapes of at least one element, except global ones: parameters or
//               workspaces; sizes without overflow; a layout with one list of digits for each
//               dimension, covering it, with decodable, existing threads; injective swizzles;
//               barriers only as barrier operands. A view of a block's memory has its size and
//               does not split its layout.
// tile
//   Thread statements are allowed next to tile operations. Values are elements: boxes are operands.
//   rings       declared at the head of their kernel; their roles are its roles; the producer
//               acquires and commits, the consumer waits and releases; the first extent of a ring
//               buffer is the number of stages.
//   copies      by threads without a tensor map; by engines and asynchronous ones between tensors
//               and shared memory; both regions have the same extents, ignoring those that are 1;
//               so have scans and atomics.
//   gemm        matrices; an instruction of three extents that divide the product, two counts of
//               warps; dtypes, accumulator and operand scopes as in its row of matrix.def.
// thread
//   No tile operation except Record, no Parallel, TileLoop, fragment, Ring or pipelined loop.
//   Operands of register matrices are slices whose starts depend on unrolled loops only.
// flat
//   As thread; also no role, no array of barriers, no digits or swizzle on shared buffers, which
//   have addresses, one index into every buffer, the attributes that only this level needs.
// after a pass
//   The properties of passes.def, by the function's `after`.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/ir/intrinsics/features.h"

namespace tilelab {

/// Limits of a target (`limits_of`, core/targets/target.h).
struct Limits {
  int64_t lanes = 0;          // of a warp
  int64_t registers = 0;      // 32-bit, of a block
  Features features;          // required by intrinsics
  char letter = 0;            // of the target, in the `targets` column of core/layout/matrix.def
  int64_t barrier_ids = 0;    // number of hardware barriers; 0: they are in shared memory
  int64_t barrier_bytes = 0;  // size of one in shared memory
};

/// Reports every violation; true if there is none.
bool verify(const Func& func, const Limits& limits, Diagnostics& sink);

}  // namespace tilelab
