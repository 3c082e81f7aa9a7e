// SPDX-License-Identifier: Apache-2.0
// Layouts as users write them: a function from an element to coordinates (and a thread), written
// down for every element of its static domain, and the digits that it stands for.
#pragma once

#include <optional>
#include <vector>

#include "core/layout/layout.h"

namespace tilelab {

/// What T.Layout and T.Fragment say. Elements in row-major order.
struct ForwardMap {
  Index shape;
  /// Coordinates of each element in memory (T.Layout) or in a thread's registers (T.Fragment; none
  /// at all: a thread numbers what it holds in row-major order).
  std::vector<Index> coordinates;
  int64_t replicas = 0;          // T.Fragment: how often an element is held; 0 for T.Layout
  std::vector<int64_t> threads;  // T.Fragment: of replica r of element e, at r * elements + e

  bool is_fragment() const { return replicas > 0; }
  int64_t elements() const;
  Index element(int64_t number) const;
};

/// One past the largest coordinate along each output. All coordinates have one length.
Index output_shape(const ForwardMap& map);

/// The map under further leading dimensions, whose indices come before its coordinates.
ForwardMap with_leading(const ForwardMap& map, const Index& leading);

/// Why a map is no layout of a buffer.
struct ForwardFault {
  enum class What { none, negative, clash, no_digits };
  What what = What::none;
  Index first, second;  // negative: the element; clash: both elements
  Index place;          // clash: coordinates of both (a thread first for a T.Fragment)
};

struct ForwardLayout {
  Layout layout;
  Swizzle swizzle;
  ForwardFault fault;
  bool ok() const { return fault.what == ForwardFault::What::none; }
};

/// The layout in digits, addresses row-major over `output_shape` and counted from the smallest; an
/// address map may end in a swizzle on bytes of elements of `element_bytes`.
ForwardLayout layout_of(const ForwardMap& map, int64_t element_bytes);

/// Maps of shared memory that spread the rows of a matrix over the banks: panels of 128, 64 or 32
/// bytes by all rows, one behind another, in which 16-byte chunks are exchanged by row (TileLang's
/// full, half and quarter bank swizzles: src/layout/swizzle.cc; the same as TMA's 128, 64 and 32 B
/// modes). Rows (the last but one extent) are a multiple of 8, a row is a multiple of the panel.
/// Leading dimensions stay in front. nullopt where the shape does not fit.
std::optional<ForwardMap> bank_swizzled(const Index& shape, int64_t element_bytes,
                                        int64_t panel_bytes);
/// The widest of the three that fits; else rows that are padded by 16 bytes if they are a multiple
/// of 32 bytes (and `pad`); else row-major.
ForwardMap widest_bank_swizzle(const Index& shape, int64_t element_bytes, bool pad);
ForwardMap linear_map(const Index& shape);
/// Every one of `threads` threads holds all elements.
ForwardMap replicated_map(const Index& shape, int64_t threads);

}  // namespace tilelab
