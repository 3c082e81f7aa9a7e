// SPDX-License-Identifier: Apache-2.0
// Properties of the dimensions of regions and elements.
#pragma once

#include <vector>

#include "core/ir/expr.h"

namespace tilelab {

/// The dimensions of a region whose extent is not 1.
inline std::vector<size_t> long_dims(const Region& region) {
  std::vector<size_t> out;
  for (size_t d = 0; d < region.dims.size(); ++d)
    if (region.dims[d].extent != 1) out.push_back(d);
  return out;
}

/// The lower bounds of the dimensions.
inline std::vector<Expr> lows(const std::vector<RegionDim>& dims) {
  std::vector<Expr> out;
  for (const RegionDim& dim : dims) out.push_back(dim.lo);
  return out;
}

}  // namespace tilelab
