// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic with overflow checks.
#pragma once

#include <cstdint>
#include <optional>

namespace tilelab {

inline std::optional<int64_t> checked_add(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
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

}  // namespace tilelab
