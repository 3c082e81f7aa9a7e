// SPDX-License-Identifier: Apache-2.0
// Selects `unroll` loops that stay loops in C, and serial loops that do not.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::codegen {

/// The iteration count of a loop; nullopt if it is known at run time only.
std::optional<int64_t> known_iterations(const For& loop);
/// The same to compare: at least 1, at most 2^20, and 1 if unknown.
int64_t iterations(const For& loop);

/// Loops that index a thread's arrays as if these were registers, although they are in memory: an
/// array exceeds the registers, or has dynamic indices elsewhere. Unrolling such a loop has no
/// benefit, and compilers take minutes for hundreds of copies.
std::unordered_set<const For*> kept_loops(const Kernel& kernel);

/// How many iterations of a serial loop C writes next to each other, so that their loads are in
/// flight together; 1 if the compiler decides. All of a few short iterations that load from memory
/// of the block or tensors; eight of many ones with a few bytes of tensors. None of them may
/// synchronize. Compilers unroll by the length of the body alone, so that each iteration, or each
/// fourth, waits for its own loads.
int64_t copies_for_loads(const For& loop, FunctionRef<const Buffer*(Symbol)> buffer_of);

/// NVVM (CUDA 13.0) never ends on a loop by twos from min(n, C) to C + 1 unless a pragma keeps it
/// from being unrolled. The minimum may be in a name: every loop by twos from a variable to a
/// constant.
bool may_hang_compiler(const For& loop);

}  // namespace tilelab::codegen
