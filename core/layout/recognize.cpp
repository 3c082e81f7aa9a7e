// SPDX-License-Identifier: Apache-2.0
#include "core/layout/recognize.h"

#include <algorithm>

#include "core/support/check.h"
#include "core/support/extents.h"

namespace tilelab {
namespace {

Place minus(const Place& a, const Place& b) {
  return {a.thread - b.thread, a.reg - b.reg, a.address - b.address};
}
Place times(const Place& a, int64_t v) { return {a.thread * v, a.reg * v, a.address * v}; }

/// The digit of a step along one kind; nullopt if it moves two kinds or backwards.
std::optional<Digit> as_digit(const Place& step, char still) {
  if (step.thread < 0 || step.reg < 0 || step.address < 0) return std::nullopt;
  int moved = (step.thread > 0) + (step.reg > 0) + (step.address > 0);
  if (moved > 1) return std::nullopt;
  if (step.thread) return t_digit(1, step.thread);
  if (step.reg) return r_digit(1, step.reg);
  return step.address ? a_digit(1, step.address) : Digit{still, 1, 0};
}

/// Digits of f on [0, n), f(0) = 0. The lowest digit is the longest run of f(k) = k * f(1): a
/// shorter one would merge with the next. The higher digits are those of f at multiples of the run,
/// checked for all k.
template <class F> std::optional<Digits> digits_of(F f, int64_t n, char still) {
  Digits digits;
  int64_t weight = 1;
  while (weight < n) {
    Place step = f(weight);
    std::optional<Digit> digit = as_digit(step, still);
    if (!digit) return std::nullopt;
    int64_t run = 1;
    while (run * weight < n && f(run * weight) == times(step, run)) ++run;
    digit->extent = run;
    digits.insert(digits.begin(), *digit);
    weight *= run;
  }
  for (int64_t i = 0; i < n; ++i) {
    Place sum;
    int64_t rest = i;
    for (size_t k = digits.size(); k-- > 0;) {
      int64_t v = rest % digits[k].extent * digits[k].stride;
      (digits[k].kind == 't' ? sum.thread : digits[k].kind == 'r' ? sum.reg : sum.address) += v;
      rest /= digits[k].extent;
    }
    if (!(sum == f(i))) return std::nullopt;
  }
  return digits;
}

/// f(x) = sum of f along each axis, for all x?
bool separable(const LayoutTable& table) {
  size_t rank = table.shape.size();
  Index weights(rank, 1), index(rank, 0);
  for (size_t d = rank; d-- > 1;) weights[d - 1] = weights[d] * table.shape[d];
  const Place& origin = table.places[0];
  for (size_t flat = 0; flat < table.places.size(); ++flat) {
    Place sum = origin;
    for (size_t d = 0; d < rank; ++d) {
      Place part = minus(table.places[index[d] * weights[d]], origin);
      sum.thread += part.thread, sum.reg += part.reg, sum.address += part.address;
    }
    if (!(sum == table.places[flat])) return false;
    advance(index, table.shape);
  }
  return true;
}

}  // namespace

std::optional<Layout> recognize(const LayoutTable& table) {
  CHECK(volume(table.shape) == int64_t(table.places.size()));
  const Place& origin = table.places[0];
  if (origin.reg != 0 || origin.address != 0 || origin.thread < 0) return std::nullopt;
  Layout layout{table.shape, {}, {}, origin.thread};
  bool addresses = std::any_of(table.places.begin(), table.places.end(),
                               [](const Place& place) { return place.address != 0; });
  int64_t weight = int64_t(table.places.size());
  for (int64_t extent : table.shape) {
    weight /= extent;
    auto f = [&, weight](int64_t i) { return minus(table.places[i * weight], origin); };
    std::optional<Digits> digits = digits_of(f, extent, addresses ? 'a' : 'r');
    if (!digits) return std::nullopt;
    layout.dims.push_back(std::move(*digits));
  }
  if (!separable(table)) return std::nullopt;
  return layout;
}

int64_t swizzled(const Swizzle& swizzle, int64_t byte_address) {
  if (!swizzle.known()) return byte_address;
  return byte_address ^ (((byte_address / swizzle.line) & swizzle.mask) * swizzle.granule);
}

std::optional<SwizzledLayout> recognize_swizzled(const LayoutTable& table, int64_t element_bytes) {
  if (std::optional<Layout> plain = recognize(table)) return SwizzledLayout{*plain, {}};
  for (int32_t granule = int32_t(std::max<int64_t>(element_bytes, 4)); granule <= 128; granule *= 2)
    for (int32_t line = granule * 2; line <= 4096; line *= 2)
      for (int32_t mask = 1; (mask + 1) * granule <= line && mask <= 31; mask = mask * 2 + 1) {
        Swizzle swizzle{granule, line, mask};
        LayoutTable plain = table;
        for (Place& place : plain.places)
          place.address = swizzled(swizzle, place.address * element_bytes) / element_bytes;
        if (std::optional<Layout> layout = recognize(plain))
          return SwizzledLayout{*layout, swizzle};
      }
  return std::nullopt;
}

Place place_of(const AnyLayout& layout, const Index& element) {
  if (!layout.is_digits())
    return layout.table.places[row_major_number(element, layout.table.shape)];
  Place place = place_of(layout.digits.layout, element);
  int64_t byte = swizzled(layout.digits.swizzle, place.address * layout.element_bytes);
  place.address = byte / layout.element_bytes;
  return place;
}

std::vector<Index> elements_at(const AnyLayout& layout, const Place& place) {
  if (layout.is_digits()) {
    const Layout& digits = layout.digits.layout;
    if (is_fragment(digits)) return elements_at(digits, place.thread, place.reg);
    int64_t byte = swizzled(layout.digits.swizzle, place.address * layout.element_bytes);
    return elements_at_address(digits, byte / layout.element_bytes);
  }
  std::vector<Index> found;
  const LayoutTable& table = layout.table;
  for (size_t flat = 0; flat < table.places.size(); ++flat) {
    if (!(table.places[flat] == place)) continue;
    Index element(table.shape.size());
    int64_t rest = int64_t(flat);
    for (size_t d = element.size(); d-- > 0;) {
      element[d] = rest % table.shape[d];
      rest /= table.shape[d];
    }
    found.push_back(std::move(element));
  }
  return found;
}

LayoutTable tabulate(const Layout& layout, Swizzle swizzle, int64_t element_bytes) {
  LayoutTable table{layout.shape, {}};
  table.places.assign(1, {layout.base, 0, 0});
  for (size_t d = 0; d < layout.shape.size(); ++d) {
    std::vector<Place> next;
    next.reserve(table.places.size() * layout.shape[d]);
    for (const Place& place : table.places)
      for (int64_t i = 0; i < layout.shape[d]; ++i) {
        Place part = contribution(layout, d, i);
        next.push_back(
            {place.thread + part.thread, place.reg + part.reg, place.address + part.address});
      }
    table.places = std::move(next);
  }
  if (swizzle.known())
    for (Place& place : table.places)
      place.address = swizzled(swizzle, place.address * element_bytes) / element_bytes;
  return table;
}

}  // namespace tilelab
