// SPDX-License-Identifier: Apache-2.0
// Disjointness of strided accesses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilelab {

/// Whether any two distinct sums of n_i * step_i with 0 <= n_i < extent_i, given as (step, extent),
/// differ by more than `reach`: each step exceeds the sum of `reach` and all smaller steps.
/// Sufficient, not necessary. Steps of extent 1 are ignored.
inline bool steps_disjoint(std::vector<std::pair<int64_t, int64_t>> steps, int64_t reach = 0) {
  std::erase_if(steps, [](const auto& s) { return s.second <= 1; });
  for (auto& s : steps) s.first = s.first < 0 ? -s.first : s.first;
  std::sort(steps.begin(), steps.end());
  for (const auto& [step, extent] : steps) {
    if (step <= reach) return false;
    reach += step * (extent - 1);
  }
  return true;
}

}  // namespace tilelab
