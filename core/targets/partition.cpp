// SPDX-License-Identifier: Apache-2.0
#include "core/targets/partition.h"

#include <algorithm>

#include "core/support/check.h"

namespace tilelab {

namespace {

int64_t power_of_two_below(int64_t n) {  // the largest that is <= n
  int64_t power = 1;
  while (power * 2 <= n) power *= 2;
  return power;
}

/// Distribution of `rest` items over `free` threads: threads used, and iterations per thread.
struct Share {
  int64_t across, rounds;
};
Share share(int64_t rest, int64_t free, bool binary, bool innermost) {
  int64_t across = std::min(rest, free);
  if (binary && !(rest >= free && rest % free == 0)) {
    across = power_of_two_below(free);
    while (across / 2 >= rest) across /= 2;
  }
  int64_t rounds = (rest + across - 1) / across;
  // Full warps matter for the innermost threads; for outer ones, fewer threads with as many
  // iterations and no padding are equally fast and need no predicate.
  if (!binary && !innermost && rest % rounds == 0) across = rest / rounds;
  return {across, rounds};
}

Layout plan(const Index& extents, int64_t threads, int64_t vec, bool fragment) {
  Layout layout{extents, std::vector<Digits>(extents.size()), {}, 0};
  int64_t free_threads = threads, thread_stride = 1, reg_stride = vec;
  for (size_t d = extents.size(); d-- > 0;) {
    Digits& digits = layout.dims[d];
    int64_t rest = std::max<int64_t>(extents[d], 1);  // pad an empty dimension
    if (d + 1 == extents.size() && vec > 1) {
      CHECK(rest % vec == 0, "vector of " + std::to_string(vec) + " over " + std::to_string(rest));
      digits.insert(digits.begin(), r_digit(vec, 1));
      rest /= vec;
    }
    Share part = share(rest, free_threads, fragment, thread_stride == 1);
    if (part.across > 1) {
      digits.insert(digits.begin(), t_digit(part.across, thread_stride));
      thread_stride *= part.across;
      free_threads /= part.across;
    }
    if (part.rounds > 1) {
      digits.insert(digits.begin(), r_digit(part.rounds, reg_stride));
      reg_stride *= part.rounds;
    }
  }
  if (fragment && free_threads > 1) layout.rep = {t_digit(free_threads, thread_stride)};
  return layout;
}

}  // namespace

Layout plan_loop(const Index& extents, int64_t threads, int64_t vec) {
  return normalized(plan(extents, threads, vec, false));
}

Layout plan_fragment(const Index& extents, int64_t threads, int64_t vec) {
  return plan(extents, threads, vec, true);  // keep padding threads: warps remain whole
}

Layout plan_fragment(const Index& extents, int64_t threads, const std::vector<bool>& in_registers,
                     int64_t vec) {
  Index spread = extents;
  for (size_t d = 0; d < extents.size(); ++d)
    if (in_registers[d]) spread[d] = 1;
  Layout layout = plan(spread, threads, vec, true);
  layout.shape = extents;
  int64_t vector = 1;  // registers that a vector fills remain consecutive
  for (size_t d = 0; d < extents.size(); ++d)
    for (const Digit& digit : layout.dims[d])
      if (vec > 1 && digit.kind == 'r' && digit.stride == 1) vector = digit.extent;
  int64_t stride = vector;
  for (size_t d = extents.size(); d-- > 0;)
    if (in_registers[d]) {
      layout.dims[d] = {r_digit(extents[d], stride)};
      stride *= extents[d];
    }
  for (size_t d = 0; d < extents.size(); ++d)
    for (Digit& digit : layout.dims[d])
      if (!in_registers[d] && digit.kind == 'r' && digit.stride >= vector)
        digit.stride *= stride / vector;
  return layout;
}

Layout plan_accumulator(int64_t m, int64_t n, int64_t threads, int64_t vec) {
  while (n % vec != 0) vec /= 2;
  int64_t columns = n / vec, across = 1;
  // More threads along N while each has at least as many columns as rows.
  while (across * 2 <= threads && threads % (across * 2) == 0 && columns % (across * 2) == 0 &&
         n / (across * 2) * threads >= m * across * 2)
    across *= 2;
  int64_t down = threads / across;
  if (across * down != threads || m % down != 0) return plan_fragment({m, n}, threads, vec);
  int64_t rounds = columns / across, rows = m / down;
  Layout layout{{m, n},
                {{r_digit(rows, rounds * vec), t_digit(down, across)},
                 {r_digit(rounds, vec), t_digit(across, 1), r_digit(vec, 1)}},
                {},
                0};
  return normalized(layout);
}

Layout trimmed(const Layout& layout) {
  Layout result = layout;
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    Digits digits;
    int64_t weight = 1;
    for (size_t k = layout.dims[d].size(); k-- > 0 && weight < layout.shape[d];) {
      Digit digit = layout.dims[d][k];
      weight *= digit.extent;
      if (weight > layout.shape[d] && digit.kind != 't') {
        int64_t below = weight / digit.extent;
        digit.extent = (layout.shape[d] + below - 1) / below;
      }
      if (digit.extent > 1) digits.insert(digits.begin(), digit);
    }
    result.dims[d] = std::move(digits);
  }
  return result;
}

Layout compacted(const Layout& layout) {
  std::vector<Digit*> digits;
  Layout result = layout;
  for (Digits& dim : result.dims)
    for (Digit& digit : dim)
      if (digit.kind == 'r' && digit.extent > 1) digits.push_back(&digit);
  std::stable_sort(digits.begin(), digits.end(),
                   [](const Digit* a, const Digit* b) { return a->stride < b->stride; });
  int64_t stride = 1;
  for (Digit* digit : digits) {
    digit->stride = stride;
    stride *= digit->extent;
  }
  return result;
}

int64_t dividing_width(int64_t last_extent, int64_t widest) {
  int64_t width = 1;
  while (width * 2 <= widest && last_extent % (width * 2) == 0) width *= 2;
  return width;
}

}  // namespace tilelab
