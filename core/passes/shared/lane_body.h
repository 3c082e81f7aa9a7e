// SPDX-License-Identifier: Apache-2.0
// The body of a loop that shall become vectors, as statements that each leave something.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/analysis/ranges.h"
#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// Stores and atomic sums, alone, under conditions or in loops of the same turns for all lanes, and
/// names that are the same for all lanes.
struct LaneBody {
  Stmt body;
  /// Variables, and values that several statements read, or one more than once: arrays of registers
  /// with an element for each lane.
  std::vector<Stmt> arrays;
};

/// A marked loop's body in this form; nothing if it does something else. What elements of an
/// aligned vector can't differ in no longer asks which of them it is: borders that cut none,
/// quotients. A choice between two stores to one place is a store of the chosen value.
std::optional<LaneBody> lane_body(const For& loop, const RangeAnalysis& facts,
                                  std::unordered_map<Symbol, int>& taken);

}  // namespace tilelab
