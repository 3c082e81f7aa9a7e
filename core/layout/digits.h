// SPDX-License-Identifier: Apache-2.0
// The data of a layout: mixed-radix digits. layout.h has the algebra. Layouts are a layer below the
// IR, whose buffers and loops contain them.
#pragma once

#include <cstdint>
#include <vector>

namespace tilelab {

/// One mixed-radix digit of a dimension: value in [0, extent), contributing value * stride to the
/// thread ('t'), the register ('r') or the address in elements ('a').
struct Digit {
  char kind = 'a';
  int64_t extent = 1, stride = 0;
  bool operator==(const Digit&) const = default;
};

using Digits = std::vector<Digit>;  // most significant first

/// element -> (thread, register) or address. The product of a dimension's digit extents is at least
/// its extent; if it is greater, the domain is padded and iteration over it needs a predicate.
/// `rep`: thread digits independent of the element, which is replicated in each of these threads.
/// `base`: first thread of the map within its role.
struct Layout {
  std::vector<int64_t> shape;
  std::vector<Digits> dims;
  Digits rep;
  int64_t base = 0;
  bool operator==(const Layout&) const = default;
  bool known() const { return !dims.empty(); }
};

/// Byte address x -> x ^ (((x / line) & mask) * granule), x absolute in the shared arena.
/// granule == 0: no swizzle. Sources: NVIDIA 128/64/32 B = (16,128,7/3/1); MUSA SG 16/32/64 =
/// (16,256,15), (32,256,7), (64,256,3).
struct Swizzle {
  int32_t granule = 0, line = 0, mask = 0;
  bool operator==(const Swizzle&) const = default;
  bool known() const { return granule != 0; }
};

}  // namespace tilelab
