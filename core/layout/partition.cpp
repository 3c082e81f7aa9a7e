// SPDX-License-Identifier: Apache-2.0
#include "core/layout/partition.h"

#include <cstdlib>

#include "core/support/check.h"

namespace tilelab {

Layout plan_loop(const Index& extents, int64_t threads, int64_t vec, bool replicate) {
  Layout layout{extents, std::vector<Digits>(extents.size()), {}, 0};
  int64_t free_threads = threads, thread_stride = 1, reg_stride = vec;
  for (size_t d = extents.size(); d-- > 0;) {
    Digits& digits = layout.dims[d];
    int64_t rest = extents[d];
    if (d + 1 == extents.size() && vec > 1) {
      CHECK(rest % vec == 0, "vector of " + std::to_string(vec) + " over " + std::to_string(rest));
      digits.insert(digits.begin(), r_digit(vec, 1));
      rest /= vec;
    }
    int64_t across = std::min(rest, free_threads);
    int64_t rounds = (rest + across - 1) / across;
    // Full warps matter for the innermost threads; further out, fewer threads without padding in
    // as many rounds are as good and need no predicate.
    if (thread_stride > 1 && rest % rounds == 0) across = rest / rounds;
    if (across > 1) {
      digits.insert(digits.begin(), t_digit(across, thread_stride));
      thread_stride *= across;
      free_threads /= across;
    }
    if (rounds > 1) {
      digits.insert(digits.begin(), r_digit(rounds, reg_stride));
      reg_stride *= rounds;
    }
  }
  if (replicate && free_threads > 1) layout.rep = {t_digit(free_threads, thread_stride)};
  return normalized(layout);
}

int64_t dividing_width(int64_t last_extent, int64_t widest) {
  int64_t width = 1;
  while (width * 2 <= widest && last_extent % (width * 2) == 0) width *= 2;
  return width;
}

std::optional<WarpGrid> partition_warps(int64_t M, int64_t N, int64_t warps, WarpPolicy policy,
                                        const WarpUnit& unit) {
  std::optional<WarpGrid> best;
  // Score |(M/(um m)) / (N/(un n)) - M/N| times the constant N/M: |un n / (um m) - 1|; compared as
  // fractions, so that ties are exact.
  int64_t best_top = 0, best_bottom = 1;
  for (int64_t m = unit.warps_m_multiple; m <= warps; m += unit.warps_m_multiple) {
    if (warps % m != 0) continue;
    int64_t n = warps / m;
    if (M % (unit.m * m) != 0 || N % (unit.n * n) != 0) continue;
    int64_t top = std::abs(unit.n * n - unit.m * m), bottom = unit.m * m;
    bool better = !best;
    if (best && policy == WarpPolicy::full_row) better = m > best->m;
    if (best && policy == WarpPolicy::full_col) better = n > best->n;
    if (best && policy == WarpPolicy::square) better = top * best_bottom < best_top * bottom;
    if (!better) continue;
    best = WarpGrid{m, n};
    best_top = top;
    best_bottom = bottom;
  }
  return best;
}

}  // namespace tilelab
