// SPDX-License-Identifier: Apache-2.0
// Fragments whose layout is digits of a number that the indices give, and of no index alone.
#pragma once

#include <unordered_map>

#include "core/ir/func.h"

namespace tilelab {

/// The kernel's body with each fragment that has a map (`where`) turned into the row of its
/// numbers, which has digits. A T.Parallel over all of one runs over its numbers; copies and fills
/// are such loops, other tile operations work on a fragment of the same shape beside it.
///   for i, j in parallel(24, 40): x[i, j] = A[i, j]   with   where=lambda i, j: [i * 40 + j]
///   ->  for n in parallel(960): x[n] = A[n // 40, n % 40]
Stmt as_rows(const Func& func, const Kernel& kernel, std::unordered_map<Symbol, int>& taken);

}  // namespace tilelab
