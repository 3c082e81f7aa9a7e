// SPDX-License-Identifier: Apache-2.0
// Layout queries for one element or one place.
#include "core/layout/layout.h"

#include <algorithm>
#include <string>

#include "core/support/check.h"
#include "core/support/extents.h"

namespace tilelab {

Layout row_major(const Index& shape) {
  Index strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strided(shape, strides);
}

Layout strided(const Index& shape, const Index& strides) {
  CHECK(shape.size() == strides.size());
  Layout layout{shape, {}, {}, 0};
  for (size_t d = 0; d < shape.size(); ++d) layout.dims.push_back({a_digit(shape[d], strides[d])});
  return layout;
}

Layout fully_replicated(const Index& shape, int64_t threads) {
  Layout layout = row_major(shape);
  for (Digits& digits : layout.dims)
    for (Digit& digit : digits) digit.kind = 'r';
  if (threads > 1) layout.rep = {t_digit(threads, 1)};
  return layout;
}

int64_t capacity(const Digits& digits) {
  int64_t product = 1;
  for (const Digit& digit : digits) product *= digit.extent;
  return product;
}

int64_t element_count(const Layout& layout) { return volume(layout.shape); }

bool well_formed(const Layout& layout) {
  if (layout.shape.size() != layout.dims.size() || layout.base < 0) return false;
  auto good = [](const Digit& digit) {
    return (digit.kind == 't' || digit.kind == 'r' || digit.kind == 'a') && digit.extent >= 1 &&
           digit.stride >= 0;
  };
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    for (const Digit& digit : layout.dims[d])
      if (!good(digit)) return false;
    if (layout.shape[d] < 1 || capacity(layout.dims[d]) < layout.shape[d]) return false;
  }
  return std::all_of(layout.rep.begin(), layout.rep.end(),
                     [&](const Digit& digit) { return good(digit) && digit.kind == 't'; });
}

bool padded(const Layout& layout, size_t dim) {
  return capacity(layout.dims[dim]) > layout.shape[dim];
}

bool padded(const Layout& layout) {
  for (size_t d = 0; d < layout.dims.size(); ++d)
    if (padded(layout, d)) return true;
  return false;
}

bool is_fragment(const Layout& layout) {
  for (const Digits& digits : layout.dims)
    for (const Digit& digit : digits)
      if (digit.kind == 'a' && digit.stride != 0 && digit.extent > 1) return false;
  return true;
}

static void add(Place& place, const Digit& digit, int64_t value) {
  (digit.kind == 't'   ? place.thread
   : digit.kind == 'r' ? place.reg
                       : place.address) += value * digit.stride;
}

Place contribution(const Layout& layout, size_t dim, int64_t index) {
  Place place;
  const Digits& digits = layout.dims[dim];
  for (size_t k = digits.size(); k-- > 0;) {
    add(place, digits[k], index % digits[k].extent);
    index /= digits[k].extent;
  }
  return place;
}

void Contributions::next() {
  for (size_t k = digits_.size(); k-- > 0;) {
    if (++values_[k] < digits_[k].extent) return add(place_, digits_[k], 1);
    add(place_, digits_[k], 1 - digits_[k].extent);
    values_[k] = 0;
  }
}

std::vector<Place> contributions(const Layout& layout, size_t dim) {
  std::vector<Place> out;
  out.reserve(size_t(layout.shape[dim]));
  Contributions each(layout, dim);
  for (int64_t i = 0; i < layout.shape[dim]; ++i, each.next()) out.push_back(each.place());
  return out;
}

Place place_of(const Layout& layout, const Index& element) {
  CHECK(element.size() == layout.dims.size(), "rank " + std::to_string(element.size()));
  Place place{layout.base, 0, 0};
  for (size_t d = 0; d < element.size(); ++d) {
    Place part = contribution(layout, d, element[d]);
    place.thread += part.thread;
    place.reg += part.reg;
    place.address += part.address;
  }
  return place;
}

Index digit_sums(const Digits& digits) {
  Index sums{0};
  for (const Digit& digit : digits) {
    Index next;
    next.reserve(sums.size() * static_cast<size_t>(digit.extent));
    for (int64_t v = 0; v < digit.extent; ++v)
      for (int64_t sum : sums) next.push_back(sum + v * digit.stride);
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    sums = std::move(next);
  }
  return sums;
}

bool advance(Index& element, const Index& shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++element[d] < shape[d]) return true;
    element[d] = 0;
  }
  return false;
}

Index replica_offsets(const Layout& layout) { return digit_sums(layout.rep); }

Index threads_of(const Layout& layout, const Index& element) {
  Index threads = replica_offsets(layout);
  int64_t first = place_of(layout, element).thread;
  for (int64_t& thread : threads) thread += first;
  return threads;
}

namespace {

/// Finds all digit values whose contributions add up to a place, by backtracking: largest stride
/// first, pruned by the range of the remaining digits, so well-separated digits never branch.
class Search {
 public:
  Search(const Layout& layout, Place target, bool use_reg) : layout_(layout) {
    rest_ = target;
    rest_.thread -= layout.base;
    for (size_t d = 0; d < layout.dims.size(); ++d) {
      int64_t weight = 1;
      for (size_t k = layout.dims[d].size(); k-- > 0;) {
        const Digit& digit = layout.dims[d][k];
        int64_t reach = std::min(digit.extent, (layout.shape[d] + weight - 1) / weight);
        if (reach > 1)
          slots_.push_back({digit, int(d), weight, reach, !use_reg && digit.kind == 'r'});
        weight *= digit.extent;
      }
    }
    for (const Digit& digit : layout.rep) slots_.push_back({digit, -1, 0, digit.extent, false});
    std::stable_sort(slots_.begin(), slots_.end(),
                     [](const Slot& a, const Slot& b) { return a.digit.stride > b.digit.stride; });
    bounds_.resize(slots_.size() + 1);
    for (size_t k = slots_.size(); k-- > 0;) {
      bounds_[k] = bounds_[k + 1];
      if (!slots_[k].free) add(bounds_[k], slots_[k].digit, slots_[k].reach - 1);
    }
    element_.resize(layout.shape.size());
  }

  std::vector<Index> run() {
    visit(0);
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  struct Slot {
    Digit digit;
    int dim;
    int64_t weight, reach;
    bool free;  // any value matches
  };

  bool possible(size_t k) const {
    auto inside = [](int64_t rest, int64_t bound) { return rest >= 0 && rest <= bound; };
    return inside(rest_.thread, bounds_[k].thread) && inside(rest_.reg, bounds_[k].reg) &&
           inside(rest_.address, bounds_[k].address);
  }

  void visit(size_t k) {
    if (!possible(k)) return;
    if (k == slots_.size()) {
      for (size_t d = 0; d < element_.size(); ++d)
        if (element_[d] >= layout_.shape[d]) return;
      found_.push_back(element_);
      return;
    }
    const Slot& slot = slots_[k];
    for (int64_t v = 0; v < slot.reach; ++v) {
      if (!slot.free) add(rest_, slot.digit, -v);
      if (slot.dim >= 0) element_[slot.dim] += v * slot.weight;
      visit(k + 1);
      if (!slot.free) add(rest_, slot.digit, v);
      if (slot.dim >= 0) element_[slot.dim] -= v * slot.weight;
    }
  }

  const Layout& layout_;
  std::vector<Slot> slots_;
  std::vector<Place> bounds_;  // the maximal sum of slots k..
  Place rest_;
  Index element_;
  std::vector<Index> found_;
};

}  // namespace

std::vector<Index> elements_at(const Layout& layout, int64_t thread, int64_t reg) {
  return Search(layout, {thread, reg, 0}, true).run();
}

std::vector<Index> elements_at_address(const Layout& layout, int64_t address) {
  return Search(layout, {layout.base, 0, address}, true).run();
}

std::vector<std::pair<int64_t, Index>> elements_of_thread(const Layout& layout, int64_t thread) {
  std::vector<std::pair<int64_t, Index>> result;
  for (Index& element : Search(layout, {thread, 0, 0}, false).run()) {
    int64_t reg = place_of(layout, element).reg;
    result.emplace_back(reg, std::move(element));
  }
  std::sort(result.begin(), result.end());
  return result;
}

int64_t extent(const Layout& layout, char kind) {
  int64_t last = kind == 't' ? layout.base : 0;
  for (const Digits& digits : layout.dims)
    for (const Digit& digit : digits)
      if (digit.kind == kind) last += (digit.extent - 1) * digit.stride;
  if (kind == 't')
    for (const Digit& digit : layout.rep) last += (digit.extent - 1) * digit.stride;
  return last + 1;
}

}  // namespace tilelab
