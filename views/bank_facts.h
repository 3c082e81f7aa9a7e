// SPDX-License-Identifier: Apache-2.0
// The cost of a warp's accesses to shared memory, computed from a kernel's layouts without running
// it.
#pragma once

#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/layout/banks.h"

namespace tilelab {

/// Consecutive accesses of a warp.
using WarpAccesses = std::vector<std::vector<LaneAccess>>;

/// Accesses of element `index` of `buffer` by the first warp's first iterations of the loop, other
/// names being 0. Contiguous elements of a lane are one access; each element of a column is one.
/// Empty if unknown.
WarpAccesses warp_accesses(const Parallel& loop, const Buffer& buffer,
                           const std::vector<Expr>& index, int64_t lanes);

/// ": accesses of a warp have no bank conflicts (4 cycles)"; empty without accesses.
std::string conflicts_text(const WarpAccesses& accesses, const BankModel& banks);

}  // namespace tilelab
