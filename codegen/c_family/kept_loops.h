// SPDX-License-Identifier: Apache-2.0
// Selects `unroll` loops that stay loops in C, and serial loops that do not.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::codegen {

/// The iteration count of a loop that is unrolled; 1 if unknown.
int64_t iterations(const For& loop);

/// Loops that index a thread's arrays as if these were registers, although they are in memory: an
/// array exceeds the registers, or has dynamic indices elsewhere. Unrolling such a loop has no
/// benefit, and compilers take minutes for hundreds of copies.
std::unordered_set<const For*> kept_loops(const Kernel& kernel);

/// Whether a serial loop has a few short iterations that load from memory of the block or tensors
/// and do not synchronize. Unrolled, it issues the loads of all iterations together: otherwise,
/// each iteration waits for its own. Compilers unroll by the length of the body alone.
bool overlaps_loads(const For& loop, FunctionRef<bool(Symbol)> in_memory);

}  // namespace tilelab::codegen
