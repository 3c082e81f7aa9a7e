// SPDX-License-Identifier: Apache-2.0
#include "core/sim/indices.h"

#include "core/support/extents.h"
#include "core/support/text.h"

namespace tilelab::sim {

std::vector<int64_t> index_of(int64_t linear, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; linear /= shape[d]) index[d] = linear % shape[d];
  return index;
}

std::vector<int64_t> index_at(int64_t offset, const std::vector<int64_t>& strides) {
  std::vector<int64_t> index;
  for (int64_t stride : strides) {
    index.push_back(stride > 0 ? offset / stride : 0);
    if (stride > 0) offset %= stride;
  }
  return index;
}

int64_t linear_at(int64_t offset, const std::vector<int64_t>& shape,
                  const std::vector<int64_t>& strides) {
  return row_major_number(index_at(offset, strides), shape);
}

std::string index_text(const std::vector<int64_t>& index) { return "[" + join(index, ", ") + "]"; }

}  // namespace tilelab::sim
