// SPDX-License-Identifier: Apache-2.0
// Index expressions as affine functions of the variables that move an access: those of a loop, the
// indices of a block, lanes. Proofs, layouts, barriers, vectors and the simulator compare accesses
// in this form.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/linear.h"

namespace tilelab {

/// An access of one element, for all values of what its index has.
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
  Linear nested;                // terms that have an axis inside: then the index is not affine

  bool affine() const { return nested.terms.empty(); }
  /// The only axis that moves the index; nothing where none does, or several do.
  std::optional<size_t> moved_by() const;
};
AffineIndex affine_index(const Linear& sum, const std::vector<Symbol>& axes);
inline AffineIndex affine_index(const Expr& index, const std::vector<Symbol>& axes) {
  return affine_index(linear_of(index), axes);
}

/// Whether the element that follows along `var` is the next one of the last dimension.
bool runs_along(const std::vector<Expr>& index, Symbol var);

}  // namespace tilelab
