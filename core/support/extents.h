// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/support/checked.h"

namespace tilelab {

/// The number of elements of a box; INT64_MAX if it overflows.
inline int64_t volume(const std::vector<int64_t>& extents) {
  return checked_product(extents).value_or(INT64_MAX);
}

/// Strides, in elements, of a dense row-major array. An empty dimension counts as one element.
inline std::vector<int64_t> row_major_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  return strides;
}

}  // namespace tilelab
