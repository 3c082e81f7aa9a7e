// SPDX-License-Identifier: Apache-2.0
// Sums of whole multiples of steps: the one rule that tells places apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tilelab {

/// Whether the sums of n_i * step_i with 0 <= n_i < extent_i, given as (step, extent), all differ
/// by more than `reach`: each step is longer than what `reach` and the smaller steps make together.
/// Sufficient, not necessary. Steps of extent 1 do not count.
inline bool steps_apart(std::vector<std::pair<int64_t, int64_t>> steps, int64_t reach = 0) {
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
