// SPDX-License-Identifier: Apache-2.0
// Tensors that a kernel accesses through a view: the map of their elements.
#pragma once

#include <vector>

#include "core/elaborate/value.h"

namespace tilelab::elaborate {

struct GlobalLayout {
  std::vector<Symbol> names;  // the indices in `places`
  std::vector<Expr> places;   // the coordinates in the view
  Expr inside;              // condition; elements outside read as 0 and are not stored; null: none
  std::vector<Expr> shape;  // of the view
  std::vector<int64_t> bounds;  // of the tensor, if the map does not exclude other elements
  Symbol view;
  BufferRef of;
  Span span;
};

/// The same element in the view. Elements outside of the tensor remain out of bounds, whatever the
/// function maps them to: their first coordinate is the end. `inside`: dimensions known to be in
/// bounds.
std::vector<Expr> laid_out(const GlobalLayout& layout, const std::vector<Expr>& index,
                           const std::vector<bool>& inside = {});

/// Whether the layout contains an element; null if it contains all.
Expr inside_of(const GlobalLayout& layout, const std::vector<Expr>& index);

}  // namespace tilelab::elaborate
