// SPDX-License-Identifier: Apache-2.0
// Extents of boxes and arrays, and integer arithmetic with overflow checks for them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tilelab {

/// The smallest multiple of `align` (positive) that is at least `value` (not negative).
constexpr int64_t round_up(int64_t value, int64_t align) {
  return (value + align - 1) / align * align;
}

inline std::optional<int64_t> checked_mul(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

/// The product of all items of a range; nullopt on overflow, unless a factor is 0.
template <class Items> std::optional<int64_t> checked_product(const Items& items) {
  std::optional<int64_t> out = 1;
  for (int64_t item : items) {
    if (item == 0) return 0;
    if (out) out = checked_mul(*out, item);
  }
  return out;
}

/// The number of elements of a box; INT64_MAX if it overflows.
inline int64_t volume(const std::vector<int64_t>& extents) {
  return checked_product(extents).value_or(INT64_MAX);
}

/// The number of an element in row-major order.
inline int64_t row_major_number(const std::vector<int64_t>& index,
                                const std::vector<int64_t>& shape) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + index[d];
  return number;
}

/// Strides, in elements, of a dense row-major array. An empty dimension counts as one element.
inline std::vector<int64_t> row_major_strides(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  return strides;
}

}  // namespace tilelab
