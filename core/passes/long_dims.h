// SPDX-License-Identifier: Apache-2.0
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

}  // namespace tilelab
