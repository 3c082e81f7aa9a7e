// SPDX-License-Identifier: Apache-2.0
// Small records of the elaborator: operands of tile operations, layouts that programs give, views.
#pragma once

#include "core/elaborate/value.h"

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
