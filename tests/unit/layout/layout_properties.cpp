// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/layout/layout_properties.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/layout/recognize.h"
#include "core/layout/text.h"

namespace tilelab::test {
namespace {

using Location = std::tuple<int64_t, int64_t, int64_t>;  // thread, register, address

std::vector<Index> elements(const Index& shape) {
  std::vector<Index> all{{}};
  for (int64_t extent : shape) {
    std::vector<Index> next;
    for (const Index& head : all)
      for (int64_t i = 0; i < extent; ++i) {
        next.push_back(head);
        next.back().push_back(i);
      }
    all = std::move(next);
  }
  return all;
}

/// The definition of a layout, spelled out from the most significant digit on.
std::set<Location> locations(const Layout& layout, const Index& element) {
  int64_t thread = layout.base, reg = 0, address = 0;
  for (size_t d = 0; d < element.size(); ++d) {
    int64_t below = capacity(layout.dims[d]), rest = element[d];
    for (const Digit& digit : layout.dims[d]) {
      below /= digit.extent;
      int64_t value = rest / below;
      rest -= value * below;
      (digit.kind == 't' ? thread : digit.kind == 'r' ? reg : address) += value * digit.stride;
    }
  }
  std::set<Location> result{{thread, reg, address}};
  for (const Digit& digit : layout.rep) {
    std::set<Location> more;
    for (auto [t, r, a] : result)
      for (int64_t v = 0; v < digit.extent; ++v) more.insert({t + v * digit.stride, r, a});
    result = std::move(more);
  }
  return result;
}

struct Checker {
  ByteSource bytes;
  std::string broken;
  Layout layout, other;
  std::vector<Index> domain;
  std::vector<std::set<Location>> places;

  void expect(bool good, const char* what) {
    if (good || !broken.empty()) return;
    broken = std::string(what) + "\n  " + to_text(layout);
    if (other.known()) broken += "\n  " + to_text(other);
  }

  void places_and_queries() {
    std::map<Location, std::vector<Index>> holders;
    std::set<int64_t> threads;
    for (size_t i = 0; i < domain.size(); ++i) {
      Place place = place_of(layout, domain[i]);
      expect(*places[i].begin() == Location{place.thread, place.reg, place.address}, "place_of");
      Index listed = threads_of(layout, domain[i]);
      expect(listed.size() == places[i].size(), "threads_of");
      for (const Location& location : places[i]) {
        holders[location].push_back(domain[i]);
        threads.insert(std::get<0>(location));
      }
    }
    bool crowded = false;
    for (auto& [location, found] : holders) {
      auto [t, r, a] = location;
      crowded = crowded || found.size() > 1;
      expect(t < extent(layout, 't') && r < extent(layout, 'r') && a < extent(layout, 'a'),
             "extent");
      std::vector<Index> answer =
          is_fragment(layout) ? elements_at(layout, t, r) : elements_at_address(layout, a);
      expect(answer == found, "elements_at");
    }
    if (is_fragment(layout))
      for (int64_t t = 0; t < extent(layout, 't'); ++t) {
        size_t held = 0;
        for (int64_t r = 0; r < extent(layout, 'r'); ++r) {
          held += elements_at(layout, t, r).size();
          if (!holders.count({t, r, 0})) expect(elements_at(layout, t, r).empty(), "hole");
        }
        expect(elements_of_thread(layout, t).size() == held, "elements_of_thread");
      }
    expect(injective(layout) == !crowded, "injective");
    int64_t all = (extent(layout, 't') - layout.base) * extent(layout, 'r') * extent(layout, 'a');
    expect(bijective(layout) == (!crowded && !padded(layout) && int64_t(holders.size()) == all),
           "bijective");
    if (!padded(layout)) expect(thread_count(layout) == int64_t(threads.size()), "thread_count");
  }

  bool same(const Layout& a, const Layout& b) {
    for (const Index& x : domain)
      if (locations(a, x) != locations(b, x)) return false;
    return true;
  }

  void forms() {
    Layout normal = normalized(layout), bare = layout;
    expect(same(layout, normal) && same_map(layout, normal), "normalized");
    expect(normalized(normal) == normal, "normalized twice");
    bare.rep.clear();
    std::optional<Layout> found = recognize(tabulate(layout));
    expect(found && same(*found, bare), "recognize");
    expect(found && *found == normalized(bare), "recognize gives the normal form");
    std::optional<Layout> read = parse_layout(to_text(layout));
    expect(read && *read == layout, "text");
  }

  void relations() {
    bool equal = same(layout, other), inside = true, owned = true;
    for (const Index& x : domain) {
      std::set<Location> outer = locations(layout, x), inner = locations(other, x);
      std::set<int64_t> threads;
      for (const Location& location : outer) threads.insert(std::get<0>(location));
      for (const Location& location : inner) {
        inside = inside && outer.count(location);
        owned = owned && threads.count(std::get<0>(location));
      }
    }
    expect(same_map(layout, other) == equal, "same_map");
    expect(contains(layout, other) == inside, "contains");
    expect(owns(layout, other) == owned, "owns");
    expect(first_difference(layout, other).has_value() != equal, "first_difference");
    expect(first_not_owned(layout, other).has_value() != owned, "first_not_owned");
  }

  void reshapes() {
    int64_t count = element_count(layout), first = 1 + bytes.below(count);
    while (count % first != 0) --first;
    Index shape{first, count / first};
    std::optional<Layout> found = reshape(layout, shape);
    LayoutTable table{shape, tabulate(layout).places};
    expect(found.has_value() == recognize(table).has_value(), "reshape finds what exists");
    if (found)
      expect(tabulate(*found).places == table.places && found->rep == layout.rep, "reshape");
    std::optional<Layout> bytes_of = reshape(layout, {count * 4}, 32, 8);
    if (!bytes_of) return;
    for (int64_t i = 0; i < count * 4; ++i) {
      Place part = place_of(*bytes_of, {i}), whole = place_of(layout, domain[i / 4]);
      bool fragment = is_fragment(layout);
      expect(part.thread == whole.thread, "reshape 32 to 8 bits: thread");
      expect((fragment ? part.reg : part.address) ==
                 (fragment ? whole.reg : whole.address) * 4 + i % 4,
             "reshape 32 to 8 bits: slot");
    }
    std::optional<Layout> back = reshape(*bytes_of, layout.shape, 8, 32);
    expect(back && same_map(*back, layout), "reshape back to 32 bits");
  }

  void parts() {
    size_t dim = size_t(bytes.below(int64_t(layout.shape.size())));
    int64_t lo = bytes.below(layout.shape[dim]), n = 1 + bytes.below(layout.shape[dim] - lo);
    std::optional<Slice> part = slice(layout, dim, lo, n);
    if (part)
      for (Index x : elements(part->layout.shape)) {
        Place inner = place_of(part->layout, x);
        x[dim] += lo;
        Place whole = place_of(layout, x);
        expect(inner.thread + part->offset.thread == whole.thread &&
                   inner.reg + part->offset.reg == whole.reg &&
                   inner.address + part->offset.address == whole.address,
               "slice");
      }
    Layout less = reduced(layout, dim);
    if (!padded(layout, dim)) {
      std::map<Index, std::set<int64_t>> threads;
      for (size_t i = 0; i < domain.size(); ++i) {
        Index x = domain[i];
        x.erase(x.begin() + dim);
        for (const Location& location : places[i]) threads[x].insert(std::get<0>(location));
      }
      for (auto& [x, set] : threads)
        expect(threads_of(less, x) == Index(set.begin(), set.end()), "reduced");
    }
  }

  void inverses() {
    std::optional<Layout> back = inverse(layout);
    if (back)
      for (size_t i = 0; i < domain.size(); ++i)
        for (auto [t, r, a] : places[i])
          expect(
              place_of(*back, is_fragment(layout) ? Index{t, r} : Index{a}).address == int64_t(i),
              "inverse");
    for (char kind : {'t', 'r', 'a'}) {
      std::optional<std::vector<Decode>> steps = decoding(layout, kind);
      if (!steps) continue;
      std::set<int64_t> held;
      for (size_t i = 0; i < domain.size(); ++i)
        for (auto [t, r, a] : places[i])
          held.insert(kind == 't' ? t - layout.base : kind == 'r' ? r : a);
      if (!padded(layout))
        for (int64_t place = 0; place < extent(layout, kind) - (kind == 't' ? layout.base : 0);
             ++place)
          expect(is_hole(*steps, place) == !held.count(place), "decoding: holes");
      for (size_t i = 0; i < domain.size(); ++i)
        for (auto [t, r, a] : places[i])
          check_decoding(*steps, domain[i], kind == 't' ? t - layout.base : kind == 'r' ? r : a);
    }
  }

  static bool is_hole(const std::vector<Decode>& steps, int64_t place) {
    return std::any_of(steps.begin(), steps.end(), [&](const Decode& step) {
      return (step.modulus ? place % step.modulus : place) / step.digit.stride >= step.digit.extent;
    });
  }

  void check_decoding(const std::vector<Decode>& steps, const Index& element, int64_t place) {
    for (const Decode& step : steps) {
      int64_t value = (step.modulus ? place % step.modulus : place) / step.digit.stride;
      expect(value < step.digit.extent, "decoding: a place that an element takes is not a hole");
      if (step.dim >= 0)
        expect(value == element[step.dim] / step.weight % step.digit.extent, "decoding");
    }
  }

  void composition() {
    int64_t count = element_count(layout), stride = 1 + bytes.below(3),
            n = (count + stride - 1) / stride;
    Layout inner = strided({n}, {stride});
    std::optional<Layout> both = compose(layout, inner);
    LayoutTable table{{n}, {}};
    for (int64_t i = 0; i < n; ++i) table.places.push_back(place_of(layout, domain[i * stride]));
    expect(both.has_value() == recognize(table).has_value(), "compose finds what exists");
    if (both) expect(tabulate(*both).places == table.places, "compose");
  }
};

Digits random_digits(ByteSource& bytes, bool address, int64_t& thread, int64_t& slot) {
  Digits digits;
  for (int64_t k = 1 + bytes.below(3); k-- > 0;) {
    int64_t n = 1 + bytes.below(5);
    bool on_thread = !address && bytes.below(2);
    int64_t& next = on_thread ? thread : slot;
    int64_t stride = bytes.below(6) == 0 ? bytes.below(7) : next;
    next += (n - 1) * stride + (bytes.below(5) == 0 ? bytes.below(3) : 0);
    next =
        next == 0 ? 1 : next + (stride == 0 ? 0 : 1) * (bytes.below(2) ? stride - 1 : 0) + (n > 1);
    digits.insert(digits.begin(), {address ? 'a' : on_thread ? 't' : 'r', n, stride});
  }
  return digits;
}

}  // namespace

Layout random_layout(ByteSource& bytes) {
  Layout layout;
  bool address = bytes.below(3) == 0;
  int64_t thread = 1, slot = 1;
  for (int64_t d = 1 + bytes.below(3); d-- > 0;) {
    Digits digits = random_digits(bytes, address, thread, slot);
    int64_t full = capacity(digits);
    layout.shape.push_back(bytes.below(3) ? full : std::max<int64_t>(1, full - bytes.below(full)));
    layout.dims.push_back(std::move(digits));
  }
  if (!address && bytes.below(3) == 0)
    layout.rep.push_back(t_digit(1 + bytes.below(4), bytes.below(4) ? thread : bytes.below(5)));
  if (!address && bytes.below(4) == 0) layout.base = 32;
  return layout;
}

std::string check_layout_properties(const uint8_t* data, size_t size) {
  Checker checker{ByteSource(data, size), "", {}, {}, {}, {}};
  checker.layout = random_layout(checker.bytes);
  if (element_count(checker.layout) > 1500 || extent(checker.layout, 't') > 600 ||
      extent(checker.layout, 'r') > 600)
    return "";
  checker.domain = elements(checker.layout.shape);
  for (const Index& x : checker.domain) checker.places.push_back(locations(checker.layout, x));
  checker.places_and_queries();
  checker.forms();
  checker.reshapes();
  checker.parts();
  checker.inverses();
  checker.composition();
  // A neighbour that is often the same map, often a part of it.
  checker.other = checker.bytes.below(2) ? normalized(checker.layout) : checker.layout;
  Digits& digits = checker.other.dims[0];
  if (checker.bytes.below(3) == 0) checker.other.rep.clear();
  if (checker.bytes.below(3) == 0 && !digits.empty()) digits[0].stride += checker.bytes.below(4);
  checker.relations();
  return checker.broken;
}

}  // namespace tilelab::test
