// SPDX-License-Identifier: Apache-2.0
// Comparison and properties of whole maps: equality, containment, injectivity.
#include <algorithm>
#include <functional>

#include "core/layout/layout.h"
#include "core/support/check.h"
#include "core/support/steps.h"

namespace tilelab {
namespace {

std::vector<Digit> of_kind(const Layout& layout, char kind, bool with_rep) {
  std::vector<Digit> digits;
  for (const Digits& dim : layout.dims)
    for (const Digit& digit : dim)
      if (digit.kind == kind && digit.extent > 1) digits.push_back(digit);
  if (with_rep && kind == 't')
    for (const Digit& digit : layout.rep)
      if (digit.extent > 1 && digit.stride > 0) digits.push_back(digit);
  return digits;
}

/// Distinct digit values have distinct sums.
bool separated(const std::vector<Digit>& digits) {
  std::vector<std::pair<int64_t, int64_t>> steps;
  for (const Digit& digit : digits) steps.push_back({digit.stride, digit.extent});
  return steps_disjoint(std::move(steps));
}

bool injective_by_enumeration(const Layout& layout) {
  struct Seen {
    int64_t thread, slot, element;
    bool operator<(const Seen& o) const {
      return thread != o.thread ? thread < o.thread
             : slot != o.slot   ? slot < o.slot
                                : element < o.element;
    }
  };
  Index offsets = replica_offsets(layout), element(layout.shape.size(), 0);
  int64_t addresses = extent(layout, 'a'), number = 0;
  std::vector<Seen> seen;
  do {
    Place place = place_of(layout, element);
    for (int64_t offset : offsets)
      seen.push_back({place.thread + offset, place.reg * addresses + place.address, number});
    ++number;
  } while (advance(element, layout.shape));
  std::sort(seen.begin(), seen.end());
  for (size_t i = 1; i < seen.size(); ++i)
    if (seen[i].thread == seen[i - 1].thread && seen[i].slot == seen[i - 1].slot &&
        seen[i].element != seen[i - 1].element)
      return false;
  return true;
}

/// Whether same(place in a, place in b) holds for the contributions of all indices of a dimension.
template <class Same> bool all_alike(const Layout& a, const Layout& b, size_t dim, Same same) {
  if (a.dims[dim] == b.dims[dim]) return same(Place{}, Place{});
  Contributions of_a(a, dim), of_b(b, dim);
  for (int64_t i = 0; i < a.shape[dim]; ++i, of_a.next(), of_b.next())
    if (!same(of_a.place(), of_b.place())) return false;
  return true;
}

Index sums_of(const Index& a, const Index& b) {
  Index out;
  for (int64_t x : a)
    for (int64_t y : b) out.push_back(x + y);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// For every thread difference inner - outer (bases included), inner's replicas are a subset of
/// outer's. Checked per dimension: partial sums are differences of real elements (with other
/// indices 0), so an early exit is exact.
bool threads_contained(const Layout& outer, const Layout& inner) {
  const Index outer_offsets = replica_offsets(outer), inner_offsets = replica_offsets(inner);
  auto covered = [&](int64_t delta) {
    return std::all_of(inner_offsets.begin(), inner_offsets.end(), [&](int64_t offset) {
      return std::binary_search(outer_offsets.begin(), outer_offsets.end(), delta + offset);
    });
  };
  Index deltas{inner.base - outer.base};
  if (!covered(deltas[0])) return false;
  for (size_t d = 0; d < outer.shape.size(); ++d) {
    Index own;
    const bool contained = all_alike(inner, outer, d, [&](const Place& in, const Place& out) {
      const int64_t more = in.thread - out.thread;
      const auto at = std::lower_bound(own.begin(), own.end(), more);
      if (at != own.end() && *at == more) return true;
      own.insert(at, more);
      return std::all_of(deltas.begin(), deltas.end(),
                         [&](int64_t delta) { return covered(delta + more); });
    });
    if (!contained) return false;
    if (own != Index{0}) deltas = sums_of(deltas, own);
  }
  return true;
}

bool slots_equal(const Layout& a, const Layout& b) {
  for (size_t d = 0; d < a.shape.size(); ++d)
    if (!all_alike(a, b, d, [](const Place& of_a, const Place& of_b) {
          return of_a.reg == of_b.reg && of_a.address == of_b.address;
        }))
      return false;
  return true;
}

template <class Differs> std::optional<Index> first_where(const Index& shape, Differs differs) {
  Index element(shape.size(), 0);
  do {
    if (differs(element)) return element;
  } while (advance(element, shape));
  return std::nullopt;
}

}  // namespace

int64_t thread_count(const Layout& layout) {
  return int64_t(digit_sums(of_kind(layout, 't', true)).size());
}

bool injective(const Layout& layout) {
  Layout normal = normalized(layout);
  for (const Digits& digits : normal.dims)
    for (const Digit& digit : digits)
      if (digit.stride == 0) return false;  // all values of normal digits are reachable
  if (separated(of_kind(normal, 't', true)) && separated(of_kind(normal, 'r', false)) &&
      separated(of_kind(normal, 'a', false)))
    return true;
  return injective_by_enumeration(normal);
}

bool bijective(const Layout& layout) {
  if (padded(layout) || !injective(layout)) return false;
  auto full = [&](char kind) {
    int64_t used = int64_t(digit_sums(of_kind(layout, kind, true)).size());
    return used == extent(layout, kind) - (kind == 't' ? layout.base : 0);
  };
  return full('t') && full('r') && full('a');
}

bool same_map(const Layout& a, const Layout& b) {
  if (a.shape != b.shape || a.base != b.base) return false;
  if (a == b) return true;
  if (replica_offsets(a) != replica_offsets(b)) return false;
  // All replica sets start at 0, so equal sets mean equal places of replica 0.
  for (size_t d = 0; d < a.shape.size(); ++d)
    if (!all_alike(a, b, d, std::equal_to<>())) return false;
  return true;
}

std::optional<Index> first_difference(const Layout& a, const Layout& b) {
  CHECK(a.shape == b.shape);
  if (replica_offsets(a) != replica_offsets(b)) return Index(a.shape.size(), 0);
  return first_where(a.shape, [&](const Index& x) { return !(place_of(a, x) == place_of(b, x)); });
}

bool contains(const Layout& outer, const Layout& inner) {
  return outer.shape == inner.shape && slots_equal(outer, inner) && threads_contained(outer, inner);
}

bool owns(const Layout& outer, const Layout& inner) {
  return outer.shape == inner.shape && threads_contained(outer, inner);
}

std::optional<Index> first_not_owned(const Layout& outer, const Layout& inner) {
  CHECK(outer.shape == inner.shape);
  Index outer_offsets = replica_offsets(outer), inner_offsets = replica_offsets(inner);
  return first_where(outer.shape, [&](const Index& x) {
    int64_t delta = place_of(inner, x).thread - place_of(outer, x).thread;
    return !std::all_of(inner_offsets.begin(), inner_offsets.end(), [&](int64_t offset) {
      return std::binary_search(outer_offsets.begin(), outer_offsets.end(), delta + offset);
    });
  });
}

}  // namespace tilelab
