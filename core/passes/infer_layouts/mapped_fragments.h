// SPDX-License-Identifier: Apache-2.0
// Fragments whose layout is a function of a linear index, and not of the separate indices.
#pragma once

#include <unordered_map>

#include "core/ir/func.h"

namespace tilelab {

/// The kernel's body with each fragment that has a map (`where`) linearized, so that its layout has
/// digits. A T.Parallel over all of one becomes a loop over its linear index, and so do copies and
/// fills; other tile operations use a temporary fragment of the original shape.
///   for i, j in parallel(24, 40): x[i, j] = A[i, j]   with   where=lambda i, j: [i * 40 + j]
///   ->  for n in parallel(960): x[n] = A[n // 40, n % 40]
Stmt as_rows(const Func& func, const Kernel& kernel, std::unordered_map<Symbol, int>& taken);

}  // namespace tilelab
