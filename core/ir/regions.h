// SPDX-License-Identifier: Apache-2.0
// The dimensions of regions and elements.
#pragma once

#include <vector>

#include "core/ir/build.h"

namespace tilelab {

/// The dimensions of a region whose extent is not 1.
inline std::vector<size_t> long_dims(const Region& region) {
  std::vector<size_t> out;
  for (size_t d = 0; d < region.dims.size(); ++d)
    if (region.dims[d].extent != 1) out.push_back(d);
  return out;
}

/// All extents of a region, and those that are not 1.
inline std::vector<int64_t> all_extents(const Region& region) {
  std::vector<int64_t> out;
  for (const RegionDim& dim : region.dims) out.push_back(dim.extent);
  return out;
}
inline std::vector<int64_t> all_extents(const Expr& region) {
  return all_extents(to<Region>(region));
}
inline std::vector<int64_t> long_extents(const Region& region) {
  std::vector<int64_t> out = all_extents(region);
  std::erase(out, 1);
  return out;
}
inline std::vector<int64_t> long_extents(const Expr& region) {
  return long_extents(to<Region>(region));
}

/// The lower bounds of the dimensions.
template <class Dims> std::vector<Expr> lows(const Dims& dims) {
  std::vector<Expr> out;
  for (const auto& dim : dims) out.push_back(dim.lo);
  return out;
}

/// The dimensions of one element.
inline std::vector<RegionDim> points(const std::vector<Expr>& index) {
  std::vector<RegionDim> out;
  for (const Expr& i : index) out.push_back(point(i));
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

/// The element `k` positions after the first one, along the last dimension.
template <class Dims> std::vector<Expr> offset_element(const Dims& dims, int64_t k) {
  std::vector<Expr> index = lows(dims);
  if (k > 0) index.back() = offset_by(index.back(), int_const(k));
  return index;
}

}  // namespace tilelab
