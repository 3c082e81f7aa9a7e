// SPDX-License-Identifier: Apache-2.0
// User-defined layouts: a function from an element to coordinates (and a thread), tabulated over
// its static domain, and its conversion to digits.
#pragma once

#include <optional>
#include <vector>

#include "core/layout/layout.h"

namespace tilelab {

/// The contents of T.Layout and T.Fragment. Elements in row-major order.
struct ForwardMap {
  Index shape;
  /// Coordinates of each element in memory (T.Layout) or in a thread's registers (T.Fragment; if
  /// empty, each thread numbers its elements in row-major order).
  std::vector<Index> coordinates;
  int64_t replicas = 0;          // T.Fragment: replicas per element; 0 for T.Layout
  std::vector<int64_t> threads;  // T.Fragment: of replica r of element e, at r * elements + e

  bool is_fragment() const { return replicas > 0; }
  int64_t elements() const;
  Index element(int64_t number) const;
};

/// The largest coordinate of each output, plus one. All coordinates have the same rank.
Index output_shape(const ForwardMap& map);

/// The map with additional leading dimensions, whose indices precede its coordinates.
ForwardMap with_leading(const ForwardMap& map, const Index& leading);

/// Why a map is not a valid layout of a buffer.
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

/// The layout in digits, with addresses row-major over `output_shape`, relative to the smallest. An
/// address map may include a swizzle on bytes, for elements of `element_bytes`.
ForwardLayout layout_of(const ForwardMap& map, int64_t element_bytes);

/// Shared memory maps that spread matrix rows over the banks: consecutive panels of 128, 64 or 32
/// bytes by all rows, in which 16-byte chunks are exchanged by row (TileLang's full, half and
/// quarter bank swizzles: src/layout/swizzle.cc; equal to TMA's 128, 64 and 32 B modes). The number
/// of rows (the last but one extent) must be a multiple of 8, and a row a multiple of the panel;
/// otherwise nullopt. Leading dimensions remain outermost.
std::optional<ForwardMap> bank_swizzled(const Index& shape, int64_t element_bytes,
                                        int64_t panel_bytes);
/// The widest of the three that fits; otherwise rows padded by 16 bytes if they are a multiple of
/// 32 bytes (and `pad`); otherwise row-major.
ForwardMap widest_bank_swizzle(const Index& shape, int64_t element_bytes, bool pad);
ForwardMap linear_map(const Index& shape);
/// All elements replicated in each of `threads` threads.
ForwardMap replicated_map(const Index& shape, int64_t threads);

}  // namespace tilelab
