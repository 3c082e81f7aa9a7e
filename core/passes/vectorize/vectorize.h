// SPDX-License-Identifier: Apache-2.0
// Private to vectorize: vectorize.cpp finds the marked loops, vectorize_loop.cpp rewrites one.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/analysis/ranges.h"
#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab {

struct Target;

/// What an iteration leaves in memory or registers: a store, or an atomic sum without a result.
struct VectorEffect {
  Symbol buffer;
  std::vector<RegionDim> dims;
  Expr value;
  const Call* sum = nullptr;  // the atomic
};
/// Of a statement that is one; else nothing.
std::optional<VectorEffect> vector_effect(const Stmt& stmt);

/// What surrounds a loop.
struct VectorContext {
  const Target& target;
  BufferTable buffers;  // and, as buffers of their own, the views of memory that have a layout
  BufferViews views;
  std::unordered_map<Symbol, int> taken;  // names; once there is a loop to vectorize
};

/// A loop over [0, n) with accesses of n elements; null if nothing of it can be a vector.
Stmt vector_loop(const For& loop, const RangeAnalysis& facts, VectorContext& context);

}  // namespace tilelab
