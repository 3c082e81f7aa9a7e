// SPDX-License-Identifier: Apache-2.0
// Tensors of which a kernel sees another view: where their elements lie in it.
#pragma once

#include <vector>

#include "core/elaborate/value.h"

namespace tilelab::elaborate {

struct GlobalLayout {
  std::vector<Symbol> names;    // of the indices in
  std::vector<Expr> places;     // the coordinates in the view
  Expr inside;                  // what else is 0, and not stored to; or null
  std::vector<Expr> shape;      // of the view
  std::vector<int64_t> bounds;  // of the tensor, where what is outside could have a place
  Symbol view;
  BufferRef of;
  Span span;
};

/// The same element in the view. Elements outside of the tensor stay outside, wherever the function
/// would take them: their first coordinate is the end. `inside`: dimensions where none is.
std::vector<Expr> laid_out(const GlobalLayout& layout, const std::vector<Expr>& index,
                           const std::vector<bool>& inside = {});

/// Whether an element is one that the layout has, where it leaves some out; else null.
Expr inside_of(const GlobalLayout& layout, const std::vector<Expr>& index);

}  // namespace tilelab::elaborate
