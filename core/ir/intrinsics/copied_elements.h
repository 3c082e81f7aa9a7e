// SPDX-License-Identifier: Apache-2.0
// What cp_async does, an element after the other: for levels and targets without such copies.
//   cp_async(s[i, 8:10], A[j, 0:2], p)
//   ->  s[i, 8] = select(p, A[j, 0], 0.0); s[i, 9] = select(p, A[j, 1], 0.0)
#pragma once

#include "core/ir/func.h"
#include "core/ir/intrinsics/intrinsics.h"

namespace tilelab {

/// The call, if the statement is a cp_async of regions, as it is until addresses are flat; else
/// null.
const Call* element_copy(const Stmt& stmt);

/// What a target must have for it: at tile level copies of threads, and waits for them, ask for
/// nothing; a target without them makes loads and stores of them.
Feature needed(Intrinsic intrinsic, Level level);

/// The copy's stores.
Stmt copied_elements(const Call& copy);

}  // namespace tilelab
