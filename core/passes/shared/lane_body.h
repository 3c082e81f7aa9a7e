// SPDX-License-Identifier: Apache-2.0
// The body of a loop to vectorize, as a list of statements with effects.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/analysis/ranges.h"
#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// Stores and atomic sums, also under conditions or in loops with uniform bounds, and names that
/// are uniform for all lanes.
struct LaneBody {
  Stmt body;
  /// Variables, and values that are read several times: register arrays with an element per lane.
  std::vector<Stmt> arrays;
};

/// A marked loop's body in this form; nullopt for other bodies. Expressions that are uniform in an
/// aligned vector no longer depend on the lane: bounds checks, quotients. A branch with two stores
/// to the same element becomes a store of the selected value.
std::optional<LaneBody> lane_body(const For& loop, const RangeAnalysis& facts,
                                  std::unordered_map<Symbol, int>& taken);

}  // namespace tilelab
