// SPDX-License-Identifier: Apache-2.0
// cp_async expanded to scalar copies: for levels and targets without such copies.
//   cp_async(s[i, 8:10], A[j, 0:2], p)
//   ->  s[i, 8] = select(p, A[j, 0], 0.0); s[i, 9] = select(p, A[j, 1], 0.0)
#pragma once

#include "core/ir/func.h"
#include "core/ir/intrinsics/intrinsics.h"

namespace tilelab {

/// The call, if the statement is a cp_async of regions (before addresses are flat); otherwise null.
const Call* element_copy(const Stmt& stmt);

/// Whether threads arrive at the barrier once their copies are done: bar_arrive with unit="copies".
bool arrives_after_copies(const Call& call);
/// Whether the call completes copies: a wait of the thread, or such an arrival.
bool completes_copies(const Call& call);

/// The required target feature. At tile level thread copies and their waits require none, nor do
/// ldmatrix and mma: a target without them expands them to loads, stores and shuffles.
Feature needed(Intrinsic intrinsic, Level level);

/// The stores that replace the copy.
Stmt copied_elements(const Call& copy);

}  // namespace tilelab
