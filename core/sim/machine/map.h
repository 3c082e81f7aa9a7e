// SPDX-License-Identifier: Apache-2.0
// Tensor maps: a copy engine's description of a tensor, and the runs of bytes of a box.
#pragma once

#include <array>
#include <cstdint>

#include "core/layout/digits.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

inline constexpr int max_map_rank = 5;

/// Swizzled address of byte `x` (absolute in the arena).
inline uint32_t swizzled(uint32_t x, const Swizzle& s) {
  return s.granule ? x ^ (((x / s.line) & s.mask) * s.granule) : x;
}

/// The end of the bytes to which a swizzle maps those before `end`.
inline int64_t swizzled_end(int64_t end, const Swizzle& s) {
  int64_t stretch = 1;
  while (stretch < (int64_t(s.mask) + 1) * s.granule) stretch *= 2;
  return (end + stretch - 1) / stretch * stretch;
}

/// A tensor as an engine addresses it. Dimension 0 is the innermost.
struct MapView {
  uint8_t* base = nullptr;
  int64_t bytes = 0;   // of the allocation from `base` on, to check each access
  int32_t memory = 0;  // its ID, for the race detector
  int32_t rank = 1, elem_bytes = 1;
  std::array<int64_t, max_map_rank> dims{}, strides{}, box{};  // elements; bytes; elements
  Swizzle swizzle;                                             // of the shared side
};

using Coords = std::array<int64_t, max_map_rank>;

/// Calls `run(box_offset, global_offset, bytes)` for each piece of the box at `at`, in box order
/// (innermost first, dense): `global_offset` is the piece's offset in the allocation, or -1 for
/// bytes outside the tensor (loads: zeros; stores: dropped).
void for_each_run(const MapView& map, const Coords& at, const Coords& box,
                  FunctionRef<void(int64_t, int64_t, int64_t)> run);

/// Whether every element inside the map's dims is within its allocation.
bool map_fits(const MapView& map);
int64_t box_bytes(const MapView& map, const Coords& box);

}  // namespace tilelab::sim
