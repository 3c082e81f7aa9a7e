// SPDX-License-Identifier: Apache-2.0
// A T.Parallel that gathers: each element of shared memory is an unmodified element of a tensor, at
// computed indices, or zero if a condition fails. Examples are T.im2col, and rows selected by an
// index tensor. Threads can execute it with asynchronous copies that complete in groups, a vector
// each.
//   for i, j in parallel(64, 32, by="async"): a[w, i, j] = A[rows[i], k * 32 + j] if i < n else 0.0
//   ->  for v in unroll(1): cp_async(a[w, tid // 4, tid % 4 * 8:+8], A[...], tid // 4 < n)
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/ranges.h"
#include "core/ir/stmt.h"

namespace tilelab {

/// The last statement of a list of lets and it, with the values of the lets; null for other lists.
Stmt without_lets(const Stmt& stmt);
/// The only store of such a loop, with lets substituted; null for other loops.
Stmt gathering_store(const Parallel& loop);

/// The tensor element that a value equals if `inside` (null: always) holds; else the value is zero.
struct Gathered {
  const Load* element = nullptr;  // null: the value has another form
  Expr inside;
};
Gathered gathered(const Expr& value);

/// A vector of a gather: one copy of one thread.
struct GatheredVector {
  const Store* into = nullptr;    // its first element
  std::vector<Expr> place, from;  // of the first element
  const Load* element = nullptr;
  Expr inside;
  Stmt first;  // owns them
};
/// The store with elements `lane` in [0, vec) as one copy from `tensor`; nullopt if its elements
/// are not contiguous, or a condition may cut it.
std::optional<GatheredVector> gathered_vector(const Stmt& store, Symbol lane, int64_t vec,
                                              const Buffer& tensor, const RangeAnalysis& facts);

/// Whether rows of the tensor always start at a multiple of `vec` elements.
bool rows_begin_aligned(const Buffer& tensor, int64_t vec, const RangeAnalysis& facts);

/// Number of tensor elements that one thread can copy at once: vectors of 4, 8 or 16 bytes; 0 if
/// none. `facts`: at the loop.
int64_t gather_width(const Parallel& loop, const Buffer& tensor, RangeAnalysis facts);

}  // namespace tilelab
