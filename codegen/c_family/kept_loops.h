// SPDX-License-Identifier: Apache-2.0
// Selects `unroll` loops that stay loops in C.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "core/ir/func.h"

namespace tilelab::codegen {

/// The iteration count of a loop that is unrolled; 1 if unknown.
int64_t iterations(const For& loop);

/// Loops that index a thread's arrays as if these were registers, although they are in memory: an
/// array exceeds the registers, or has dynamic indices elsewhere. Unrolling such a loop has no
/// benefit, and compilers take minutes for hundreds of copies.
std::unordered_set<const For*> kept_loops(const Kernel& kernel);

}  // namespace tilelab::codegen
