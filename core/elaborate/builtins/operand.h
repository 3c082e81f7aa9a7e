// SPDX-License-Identifier: Apache-2.0
// Small records of the elaborator: operands of tile operations, layouts that programs give, views.
#pragma once

#include "core/elaborate/value.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {

/// Operand of a tile operation. `head`: an element that only gives the start of the box.
struct Operand {
  enum class Form : uint8_t { whole, slice, head };
  Form form = Form::whole;
  BufferRef buffer;
  std::vector<SliceDim> dims;
  Span span;
  /// Whether an extent is not constant.
  bool is_dynamic() const;
};

// Tiles that are larger than a slice of a tensor (padded_tiles.cpp): the tile's extents apply, as
// in TileLang.

/// Extends a slice that ends at the edge of its tensor to the extents of a larger tile: elements
/// past the edge read as 0 and are not stored. A slice that ends before the edge is unchanged,
/// since the tile would get elements that the program did not select.
void extend_past_edge(Operand& slice, const Operand& tile, const Substitution& lets);

/// "A[b * 64:b * 64 + 64, h, 0:48]": the tensor slice with the extents of the other side's tile; ""
/// if the dimensions do not correspond, or neither side is a tensor.
std::string slice_of_tile(const Operand& a, const Operand& b);

/// A layout of T.annotate_layout.
struct GivenLayout {
  Layout layout;
  Swizzle swizzle;
  ElementMap where;
  Span span;
};

/// A view that was made before T.Kernel.
struct HostView {
  BufferRef made, source;
};

/// The same bits as another type of as many; null for a vector whose elements have no expressions.
Expr reinterpreted(const Expr& value, Type type);

}  // namespace tilelab::elaborate
