// SPDX-License-Identifier: Apache-2.0
// Transformations of layouts.
#include <algorithm>

#include "core/layout/layout.h"
#include "core/layout/recognize.h"
#include "core/support/check.h"
#include "core/support/extents.h"

namespace tilelab {
namespace {

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Appends a digit at the top, merging it with the one below if their strides are contiguous.
void push_top(Digits& digits, Digit digit) {
  if (digit.extent == 1) return;
  if (!digits.empty()) {
    Digit& below = digits.front();
    bool same_kind = below.kind == digit.kind;
    if (same_kind && digit.stride == below.stride * below.extent) {
      below.extent *= digit.extent;
      return;
    }
  }
  digits.insert(digits.begin(), digit);
}

Digits normal_digits(const Digits& digits, int64_t shape, char still) {
  Digits result;
  int64_t weight = 1;
  for (size_t k = digits.size(); k-- > 0 && weight < shape;) {
    Digit digit = digits[k];
    digit.extent = std::min(digit.extent, ceil_div(shape, weight));
    if (digit.stride == 0) digit.kind = still;
    weight *= digits[k].extent;
    push_top(result, digit);
  }
  if (!result.empty())  // a merged top digit may exceed the extent again
    result[0].extent = ceil_div(shape, capacity(result) / result[0].extent);
  return result;
}

Digits normal_replicas(const Digits& rep) {
  Digits sorted;
  for (const Digit& digit : rep)
    if (digit.extent > 1 && digit.stride > 0) sorted.push_back(digit);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
  Digits result;
  for (size_t k = sorted.size(); k-- > 0;) push_top(result, sorted[k]);
  return result;
}

/// The digits of the row-major element index. Only the first dimension may be padded.
std::optional<Digits> flat_digits(const Layout& layout) {
  Digits flat;
  int64_t outer = element_count(layout);
  for (size_t d = layout.dims.size(); d-- > 0;) {
    // Remove unreachable digit values: [t(4, 1)] of extent 3 is not padding.
    Digits digits = normal_digits(layout.dims[d], layout.shape[d], 'r');
    outer /= layout.shape[d];
    if (outer > 1 && capacity(digits) != layout.shape[d]) return std::nullopt;
    for (size_t k = digits.size(); k-- > 0;) push_top(flat, digits[k]);
    if (outer <= 1) break;
  }
  return flat;
}

/// Removes digits worth `extent` from the bottom of `flat`, splitting the last one.
std::optional<Digits> take_low(Digits& flat, int64_t extent) {
  Digits taken;
  int64_t need = extent;
  while (need > 1) {
    if (flat.empty()) return std::nullopt;
    Digit& low = flat.back();
    if (low.extent <= need) {
      if (need % low.extent != 0) return std::nullopt;
      need /= low.extent;
      taken.insert(taken.begin(), low);
      flat.pop_back();
      continue;
    }
    if (low.extent % need != 0) return std::nullopt;
    taken.insert(taken.begin(), {low.kind, need, low.stride});
    low.extent /= need;
    low.stride *= need;
    need = 1;
  }
  return taken;
}

bool counts_slots(char kind) { return kind != 't'; }

/// Splits each element into `k` smaller ones: one more digit at the bottom.
void split_elements(Digits& flat, int64_t k, char kind) {
  for (Digit& digit : flat)
    if (counts_slots(digit.kind)) digit.stride *= k;
  flat.push_back({kind, k, 1});
}

/// Merges `k` adjacent elements into one: they must be consecutive registers or addresses.
bool merge_elements(Digits& flat, int64_t k) {
  std::optional<Digits> low = take_low(flat, k);
  if (!low) return false;
  Digits run = normal_digits(*low, k, 'r');
  if (run.size() != 1 || run[0].kind == 't' || run[0].stride != 1) return false;
  for (Digit& digit : flat) {
    if (!counts_slots(digit.kind)) continue;
    if (digit.stride % k != 0) return false;
    digit.stride /= k;
  }
  return true;
}

char slot_kind(const Layout& layout) { return is_fragment(layout) ? 'r' : 'a'; }

}  // namespace

Layout normalized(const Layout& layout) {
  Layout result{layout.shape, {}, normal_replicas(layout.rep), layout.base};
  for (size_t d = 0; d < layout.dims.size(); ++d)
    result.dims.push_back(normal_digits(layout.dims[d], layout.shape[d], 'r'));
  if (!is_fragment(result))  // digits of stride 0 have the kind of the others
    for (size_t d = 0; d < layout.dims.size(); ++d)
      result.dims[d] = normal_digits(layout.dims[d], layout.shape[d], 'a');
  return result;
}

std::optional<Layout> compose(const Layout& outer, const Index& domain,
                              FunctionRef<void(const Index&, Index&)> map) {
  LayoutTable table{domain, {}};
  Index point(domain.size(), 0), element(outer.shape.size(), 0);
  for (;;) {
    map(point, element);
    for (size_t d = 0; d < element.size(); ++d)
      if (element[d] < 0 || element[d] >= outer.shape[d]) return std::nullopt;
    table.places.push_back(place_of(outer, element));
    size_t d = domain.size();
    while (d > 0 && ++point[d - 1] == domain[d - 1]) point[--d] = 0;
    if (d == 0) break;
  }
  std::optional<Layout> result = recognize(table);
  if (result) result->rep = outer.rep;
  return result;
}

std::optional<Layout> compose(const Layout& outer, const Layout& inner) {
  auto map = [&](const Index& point, Index& element) {
    int64_t number = place_of(inner, point).address;
    for (size_t d = element.size(); d-- > 0;) {
      element[d] = d == 0 ? number : number % outer.shape[d];
      number /= outer.shape[d];
    }
  };
  return compose(outer, inner.shape, map);
}

static std::optional<Layout> reshape_digits(const Layout& layout, const Index& shape,
                                            int64_t old_bits, int64_t new_bits) {
  std::optional<Digits> flat = flat_digits(layout);
  if (!flat) return std::nullopt;
  if (old_bits > new_bits) {
    if (old_bits % new_bits != 0) return std::nullopt;
    split_elements(*flat, old_bits / new_bits, slot_kind(layout));
  } else if (new_bits > old_bits) {
    if (new_bits % old_bits != 0 || !merge_elements(*flat, new_bits / old_bits))
      return std::nullopt;
  }
  Layout result{shape, std::vector<Digits>(shape.size()), layout.rep, layout.base};
  size_t first = 0;  // the outermost dimension longer than 1 gets the remainder, padded
  while (first + 1 < shape.size() && shape[first] == 1) ++first;
  for (size_t d = shape.size(); d-- > first;) {
    std::optional<Digits> digits = d == first ? flat : take_low(*flat, shape[d]);
    if (!digits) return std::nullopt;
    result.dims[d] = normal_digits(*digits, shape[d], slot_kind(layout));
  }
  return result;
}

std::optional<Layout> reshape(const Layout& layout, const Index& shape, int64_t old_bits,
                              int64_t new_bits) {
  if (element_count(layout) * old_bits != volume(shape) * new_bits) return std::nullopt;
  std::optional<Layout> result = reshape_digits(layout, shape, old_bits, new_bits);
  if (result || old_bits != new_bits) return result;
  // Fallback for inner padding and digits that do not split evenly: the map may still have digits
  // in the new shape.
  result = recognize({shape, tabulate(layout).places});
  if (result) result->rep = layout.rep;
  return result;
}

Layout permute(const Layout& layout, const std::vector<int>& order) {
  CHECK(order.size() == layout.shape.size());
  Layout result{{}, {}, layout.rep, layout.base};
  for (int d : order) {
    result.shape.push_back(layout.shape[d]);
    result.dims.push_back(layout.dims[d]);
  }
  return result;
}

std::optional<Slice> slice(const Layout& layout, size_t dim, int64_t lo, int64_t n, bool drop) {
  CHECK(dim < layout.shape.size() && lo >= 0 && n >= 1 && lo + n <= layout.shape[dim]);
  CHECK(!drop || n == 1);
  Slice result{layout, contribution(layout, dim, lo)};
  LayoutTable part{{n}, {}};
  for (int64_t i = 0; i < n; ++i) {
    Place place = contribution(layout, dim, lo + i);
    part.places.push_back({place.thread - result.offset.thread, place.reg - result.offset.reg,
                           place.address - result.offset.address});
  }
  std::optional<Layout> digits = recognize(part);
  if (!digits) return std::nullopt;
  result.layout.shape[dim] = n;
  result.layout.dims[dim] = normal_digits(digits->dims[0], n, slot_kind(layout));
  if (drop) {
    result.layout.shape.erase(result.layout.shape.begin() + dim);
    result.layout.dims.erase(result.layout.dims.begin() + dim);
  }
  return result;
}

Layout reduced(const Layout& layout, size_t dim, bool keep_dim) {
  Layout result = layout;
  for (const Digit& digit : layout.dims[dim])
    if (digit.kind == 't' && digit.extent > 1) result.rep.push_back(digit);
  result.rep = normal_replicas(result.rep);
  if (keep_dim) {
    result.shape[dim] = 1;
    result.dims[dim].clear();
  } else {
    result.shape.erase(result.shape.begin() + dim);
    result.dims.erase(result.dims.begin() + dim);
  }
  return result;
}

Layout repeated(const Layout& layout, size_t dim, int64_t factor, char kind, int64_t stride) {
  CHECK(!padded(layout, dim), "a padded dimension can't be repeated");
  Layout result = layout;
  if (stride == 0) stride = extent(layout, kind) - (kind == 't' ? layout.base : 0);
  result.shape[dim] *= factor;
  result.dims[dim].insert(result.dims[dim].begin(), {kind, factor, stride});
  return result;
}

Layout replicated(const Layout& layout, int64_t n, int64_t stride) {
  Layout result = layout;
  if (stride == 0) stride = extent(layout, 't') - layout.base;
  result.rep.insert(result.rep.begin(), t_digit(n, stride));
  return result;
}

std::optional<std::vector<Decode>> decoding(const Layout& layout, char kind) {
  std::vector<Decode> steps;
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    int64_t weight = 1;
    for (size_t k = layout.dims[d].size(); k-- > 0;) {
      const Digit& digit = layout.dims[d][k];
      if (digit.kind == kind && digit.extent > 1)
        steps.push_back({digit, int(d), weight, 0, false});
      weight *= digit.extent;
    }
  }
  if (kind == 't')
    for (const Digit& digit : layout.rep)
      if (digit.extent > 1) steps.push_back({digit, -1, 0, 0, false});
  std::stable_sort(steps.begin(), steps.end(), [](const Decode& a, const Decode& b) {
    return a.digit.stride > b.digit.stride;
  });
  for (size_t i = 0; i < steps.size(); ++i) {
    Decode& step = steps[i];
    if (step.digit.stride == 0) return std::nullopt;
    if (i == 0) continue;
    int64_t above = steps[i - 1].digit.stride;
    if (above % step.digit.stride != 0 || above < step.digit.stride * step.digit.extent)
      return std::nullopt;
    step.modulus = above;
    step.guard = above != step.digit.stride * step.digit.extent;
  }
  if (!steps.empty() && steps.back().digit.stride > 1)  // places between multiples are holes
    steps.push_back({{kind, 1, 1}, -1, 0, steps.back().digit.stride, true});
  return steps;
}

std::optional<Layout> inverse(const Layout& layout) {
  if (!bijective(layout) || layout.base != 0) return std::nullopt;
  Index weights(layout.shape.size(), 1);
  for (size_t d = weights.size(); d-- > 1;) weights[d - 1] = weights[d] * layout.shape[d];
  auto kinds = is_fragment(layout) ? std::vector<char>{'t', 'r'} : std::vector<char>{'a'};
  Layout result;
  for (char kind : kinds) {
    std::optional<std::vector<Decode>> steps = decoding(layout, kind);
    if (!steps) return std::nullopt;
    Digits digits;
    for (const Decode& step : *steps)
      digits.push_back(
          {'a', step.digit.extent, step.dim < 0 ? 0 : step.weight * weights[step.dim]});
    result.shape.push_back(extent(layout, kind));
    result.dims.push_back(std::move(digits));
  }
  return normalized(result);
}

}  // namespace tilelab
