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

/// The effect of an iteration: a store, an atomic sum without a result, or a store to another
/// block.
struct VectorEffect {
  Symbol buffer;
  std::vector<RegionDim> dims;
  Expr value;
  const Call* call = nullptr;  // null: a store
  bool is_sum() const { return call && call->intrinsic == Intrinsic::atomic_add; }
};
/// The statement as such an effect; nullopt for others.
std::optional<VectorEffect> vector_effect(const Stmt& stmt);

/// Context of a loop.
struct VectorContext {
  const Target& target;
  BufferTable buffers;  // with views of memory that have a layout as separate buffers
  BufferViews views;
  std::unordered_map<Symbol, int> taken;  // names; filled for the first loop that is vectorized
};

/// A loop over [0, n) with accesses of n elements; null if nothing can be vectorized.
Stmt vector_loop(const For& loop, const RangeAnalysis& facts, VectorContext& context);

// Dependence test of vectorize: may a loop be distributed over its statements, each for all lanes?

/// `body` is the body of the loop over [0, n). True for a single statement that writes, or if no
/// lane accesses memory that another lane writes.
bool lanes_are_independent(const Stmt& body, const For& loop, const BufferViews& views);

}  // namespace tilelab
