// SPDX-License-Identifier: Apache-2.0
// Elementwise access to boxes of tile operations.
#pragma once

#include "core/ir/build.h"

namespace tilelab::elaborate {

/// All extents of a region.
inline std::vector<int64_t> box(const Expr& region) {
  std::vector<int64_t> out;
  for (const RegionDim& dim : to<Region>(region).dims) out.push_back(dim.extent);
  return out;
}

/// The element at a position within the region's dimensions of extent > 1.
inline std::vector<Expr> element_in(const Region& region, const std::vector<Expr>& position) {
  std::vector<Expr> index;
  size_t next = 0;
  for (const RegionDim& dim : region.dims)
    index.push_back(dim.extent == 1 ? dim.lo : offset_by(dim.lo, position.at(next++)));
  return index;
}

/// The extents of a region that are greater than 1.
inline std::vector<int64_t> loops_over(const Expr& region) {
  std::vector<int64_t> out;
  for (const RegionDim& dim : to<Region>(region).dims)
    if (dim.extent != 1) out.push_back(dim.extent);
  return out;
}

inline std::vector<RegionDim> points(std::vector<Expr> index) {
  std::vector<RegionDim> out;
  for (Expr& e : index) out.push_back(point(std::move(e)));
  return out;
}

}  // namespace tilelab::elaborate
