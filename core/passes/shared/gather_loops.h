// SPDX-License-Identifier: Apache-2.0
// A T.Parallel that copies: each element of shared memory is an element of a tensor as it is, found
// by an expression of the indices, or zero where a condition fails. T.im2col is one, and rows that
// another tensor numbers. Threads can do it with copies that complete in groups, a vector at once.
//   for i, j in parallel(64, 32, by="async"): a[w, i, j] = A[rows[i], k * 32 + j] if i < n else 0.0
//   ->  for v in unroll(1): cp_async(a[w, tid // 4, tid % 4 * 8:+8], A[...], tid // 4 < n)
#pragma once

#include <optional>
#include <vector>

#include "core/analysis/access.h"
#include "core/analysis/ranges.h"
#include "core/ir/stmt.h"

namespace tilelab {

/// The one store of such a loop, its lets written out; null of any other loop.
Stmt gathering_store(const Parallel& loop);

/// The element that a value is where `inside` (null: always) holds; else the value is zero.
struct Gathered {
  const Load* element = nullptr;  // null: it is no such value
  Expr inside;
};
Gathered gathered(const Expr& value);

/// A vector of a gather: what one thread copies at once.
struct GatheredVector {
  const Store* into = nullptr;    // its first element
  std::vector<Expr> place, from;  // of the first element
  const Load* element = nullptr;
  Expr inside;
  Stmt first;  // keeps them
};
/// The store, whose elements `lane` in [0, vec) numbers, as one copy from `tensor`; nothing where
/// its elements do not lie side by side, or a condition may cut it.
std::optional<GatheredVector> gathered_vector(const Stmt& store, Symbol lane, int64_t vec,
                                              const Buffer& tensor, const RangeAnalysis& facts);

/// How many elements of the tensor one thread can copy at once: vectors of 4, 8 or 16 bytes; 0
/// where there are none. `facts`: of the loop's place.
int64_t gather_width(const Parallel& loop, const Buffer& tensor, RangeAnalysis facts);

}  // namespace tilelab
