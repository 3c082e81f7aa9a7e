// SPDX-License-Identifier: Apache-2.0
// Indices and their texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tilelab::sim {

/// The index of element `linear`, row-major.
std::vector<int64_t> index_of(int64_t linear, const std::vector<int64_t>& shape);
/// The index of the element at an offset; 0 along strides that are 0.
std::vector<int64_t> index_at(int64_t offset, const std::vector<int64_t>& strides);
/// The row-major number of that element.
int64_t linear_at(int64_t offset, const std::vector<int64_t>& shape,
                  const std::vector<int64_t>& strides);
/// "[4, 7]".
std::string index_text(const std::vector<int64_t>& index);

}  // namespace tilelab::sim
