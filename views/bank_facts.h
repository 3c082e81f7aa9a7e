// SPDX-License-Identifier: Apache-2.0
// What a warp's accesses to shared memory cost, as the maps of a kernel tell without running it.
#pragma once

#include <string>
#include <vector>

#include "core/ir/stmt.h"
#include "core/layout/banks.h"

namespace tilelab {

/// Accesses of a warp, one behind the other.
using WarpTurns = std::vector<std::vector<LaneAccess>>;

/// Of the element `index` of `buffer` that an iteration of the loop names: the first warp's first
/// iterations, other names being 0. Where those of a lane lie side by side they are one access; of
/// a column each is one. Empty where that is not known.
WarpTurns warp_turns(const Parallel& loop, const Buffer& buffer, const std::vector<Expr>& index,
                     int64_t lanes);

/// ": a warp's access is free of conflicts (4 cycles)"; empty without accesses.
std::string conflicts_text(const WarpTurns& turns, const BankModel& banks);

}  // namespace tilelab
