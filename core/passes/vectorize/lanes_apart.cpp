// SPDX-License-Identifier: Apache-2.0
#include "core/passes/vectorize/lanes_apart.h"

#include <algorithm>
#include <unordered_set>

#include "core/analysis/region_dims.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/linear.h"

namespace tilelab {
namespace {

/// What a statement writes, or reads, for each lane.
struct Element {
  Symbol base, name;
  std::vector<Expr> index;
  bool written = false, sum = false;
};

constexpr size_t kMostPlaces = 16;  // of one buffer, so that each pair can be looked at

std::vector<Element> places_in(const Stmt& body, const BufferViews& views) {
  std::vector<Element> out;
  for_each(
      *body,
      [&](const Load& l) {
        out.push_back({views.base_of(l.buffer), l.buffer, l.index});
      },
      [&](const Store& s) {
        out.push_back({views.base_of(s.buffer), s.buffer, lows(s.dims), true});
      },
      [&](const Call& c) {
        if (c.intrinsic != Intrinsic::atomic_add) return;
        const Region& into = to<Region>(c.args[0]);
        out.push_back({views.base_of(into.buffer), into.buffer, lows(into.dims), true, true});
      });
  return out;
}

bool same_place(const Element& a, const Element& b) {
  return a.name == b.name && a.sum == b.sum &&
         std::equal(a.index.begin(), a.index.end(), b.index.begin(), b.index.end(),
                    [](const Expr& x, const Expr& y) { return equal(x, y); });
}

bool mentions_any(const Element& element, const std::unordered_set<Symbol>& names) {
  return std::any_of(element.index.begin(), element.index.end(),
                     [&](const Expr& index) { return tilelab::mentions_any(*index, names); });
}

class Lanes {
 public:
  explicit Lanes(const For& loop) : var_(loop.var), n_(*int_value(loop.hi)) {}

  /// Whether each lane has its own.
  bool varies(const Element& place) const {
    return std::any_of(place.index.begin(), place.index.end(), [&](const Expr& index) {
      const Linear sum = linear_of(index);
      return sum.coefficient(var_) != 0 && !sum.nested(var_);
    });
  }

  /// Whether `a` of no lane is `b` of any: in some dimension they lie further apart than lanes do,
  /// or between them.
  bool never_meet(const Element& a, const Element& b) const {
    if (a.name != b.name || a.index.size() != b.index.size()) return false;
    for (size_t d = 0; d < a.index.size(); ++d) {
      const auto apart = constant_difference(a.index[d], b.index[d]);
      const Linear sum = linear_of(a.index[d]);
      if (!apart || *apart == 0 || sum.nested(var_)) continue;
      const int64_t step = std::abs(sum.coefficient(var_));
      if (std::abs(*apart) > step * (n_ - 1) || *apart % step != 0) return true;
    }
    return false;
  }

  bool pairs_apart(const std::vector<const Element*>& places) const {
    if (places.size() > kMostPlaces) return false;
    for (size_t a = 0; a < places.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        if (!never_meet(*places[a], *places[b])) return false;
    return true;
  }

 private:
  Symbol var_;
  int64_t n_;
};

}  // namespace

bool lanes_apart(const Stmt& body, const For& loop, const BufferViews& views) {
  const Lanes lanes(loop);
  std::unordered_set<Symbol> turns;  // of loops inside
  for_each(*body, [&](const For& inner) { turns.insert(inner.var); });
  int statements = 0;
  std::unordered_set<Symbol> written;
  std::unordered_map<Symbol, std::vector<const Element*>> places;  // one for each that lanes have
  const std::vector<Element> all = places_in(body, views);
  for (const Element& place : all) {
    if (place.written) written.insert(place.base), ++statements;
    auto& known = places[place.base];
    if (known.size() > kMostPlaces) continue;
    const bool again = lanes.varies(place) &&
                       std::any_of(known.begin(), known.end(),
                                   [&](const Element* other) { return same_place(place, *other); });
    if (!again) known.push_back(&place);
  }
  if (!turns.empty() && std::any_of(all.begin(), all.end(), [&](const Element& element) {
        return written.count(element.base) && mentions_any(element, turns);
      }))
    return false;  // a lane may touch in one turn what another one does in a later one
  return (statements <= 1 && turns.empty()) ||
         std::all_of(written.begin(), written.end(),
                     [&](Symbol base) { return lanes.pairs_apart(places.at(base)); });
}

}  // namespace tilelab
