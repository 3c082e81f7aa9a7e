// SPDX-License-Identifier: Apache-2.0
// Which loops of level unroll are loops in C, too.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "core/ir/func.h"

namespace tilelab::codegen {

/// How often a loop's body stands in the code where it is written out; 1 where that is not known.
int64_t iterations(const For& loop);

/// Loops that choose elements of a thread's arrays as if these were registers, where they lie in
/// memory all the same: an array is too large for registers, or indexed by values of run time
/// elsewhere. Written out, hundreds of copies of such a body gain nothing, and compilers take
/// minutes over them.
std::unordered_set<const For*> kept_loops(const Kernel& kernel);

}  // namespace tilelab::codegen
