// SPDX-License-Identifier: Apache-2.0
// Index expressions as affine functions of the variables that an access depends on: loop variables,
// block indices, lanes. Proofs, layout inference, barrier insertion, vectorization and the
// simulator compare accesses in this form.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/linear.h"

namespace tilelab {

/// An access to one element, for all values of the variables in its index.
struct BufferAccess {
  Symbol buffer;
  std::vector<Expr> index;
  bool write = false;
  Span span;
  std::optional<Intrinsic> atomic = {};
};
bool same_index(const BufferAccess& a, const BufferAccess& b);

/// factor[0] * axes[0] + factor[1] * axes[1] + ... + rest.
struct AffineIndex {
  std::vector<int64_t> factor;  // by axis
  Linear rest;                  // terms without an axis
  Linear nested;  // terms that contain an axis below the top level; then the index is not affine

  bool affine() const { return nested.terms.empty(); }
  /// The only axis that the index depends on; nullopt if there is none, or several.
  std::optional<size_t> only_axis() const;
};
AffineIndex affine_index(const Linear& sum, const std::vector<Symbol>& axes);
inline AffineIndex affine_index(const Expr& index, const std::vector<Symbol>& axes) {
  return affine_index(linear_of(index), axes);
}

/// Whether incrementing `var` advances to the adjacent element of the last dimension.
bool is_contiguous_along(const std::vector<Expr>& index, Symbol var);

}  // namespace tilelab
