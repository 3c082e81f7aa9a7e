// SPDX-License-Identifier: Apache-2.0
// Tensor maps: how a copy engine sees a tensor, and which runs of bytes a box of it has.
#pragma once

#include <array>
#include <cstdint>

#include "core/layout/digits.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

inline constexpr int max_map_rank = 5;

/// Swizzled place of byte `x` (absolute in the arena).
inline uint32_t swizzled(uint32_t x, const Swizzle& s) {
  return s.granule ? x ^ (((x / s.line) & s.mask) * s.granule) : x;
}

/// One past the largest byte that a swizzle makes of those before `end`.
inline int64_t swizzled_end(int64_t end, const Swizzle& s) {
  int64_t stretch = 1;
  while (stretch < (int64_t(s.mask) + 1) * s.granule) stretch *= 2;
  return (end + stretch - 1) / stretch * stretch;
}

/// A tensor as an engine addresses it. Index 0 is the innermost dimension.
struct MapView {
  uint8_t* base = nullptr;
  int64_t bytes = 0;   // of the allocation behind `base`, for the check of every access
  int32_t memory = 0;  // which memory it is, for the race detector
  int32_t rank = 1, elem_bytes = 1;
  std::array<int64_t, max_map_rank> dims{}, strides{}, box{};  // elements; bytes; elements
  Swizzle swizzle;                                             // of the shared side
};

using Coords = std::array<int64_t, max_map_rank>;

/// Calls `run(box_offset, global_offset, bytes)` for each piece of the box at `at`, in the order of
/// the box (innermost first, dense): `global_offset` is where the piece starts in the allocation,
/// or -1 for bytes outside the tensor (loads: zeros; stores: dropped).
void for_each_run(const MapView& map, const Coords& at, const Coords& box,
                  FunctionRef<void(int64_t, int64_t, int64_t)> run);

/// Whether every element inside the map's dims lies in its allocation.
bool map_fits(const MapView& map);
int64_t box_bytes(const MapView& map, const Coords& box);

}  // namespace tilelab::sim
