// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tilelab {

/// The smallest multiple of `align` (positive) that is at least `value` (not negative).
constexpr int64_t round_up(int64_t value, int64_t align) {
  return (value + align - 1) / align * align;
}

}  // namespace tilelab
