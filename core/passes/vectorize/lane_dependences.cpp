// SPDX-License-Identifier: Apache-2.0
#include "core/passes/vectorize/vectorize.h"

#include <algorithm>
#include <unordered_set>

#include "core/analysis/access.h"
#include "core/ir/build.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

constexpr size_t kMaxElements = 16;  // of one buffer; limits the pairwise checks

/// The reads and writes of statements for each lane.
std::vector<BufferAccess> accesses_in(const Stmt& body) {
  std::vector<BufferAccess> out;
  for_each(
      *body,
      [&](const Load& l) {
        out.push_back({l.buffer, l.index, false, {}});
      },
      [&](const Store& s) {
        out.push_back({s.buffer, lows(s.dims), true, {}});
      },
      [&](const Call& c) {
        if (c.intrinsic != Intrinsic::atomic_add && c.intrinsic != Intrinsic::cluster_store) return;
        const Region& into = to<Region>(c.args[0]);
        BufferAccess access{into.buffer, lows(into.dims), true, {}};
        if (c.intrinsic == Intrinsic::atomic_add) access.atomic = c.intrinsic;
        out.push_back(std::move(access));
      });
  return out;
}

bool same_place(const BufferAccess& a, const BufferAccess& b) {
  return a.buffer == b.buffer && a.atomic == b.atomic && same_index(a, b);
}

bool mentions_any(const BufferAccess& element, const std::unordered_set<Symbol>& names) {
  return std::any_of(element.index.begin(), element.index.end(),
                     [&](const Expr& index) { return tilelab::mentions_any(*index, names); });
}

class Lanes {
 public:
  explicit Lanes(const For& loop) : var_(loop.var), n_(*int_value(loop.hi)) {}

  /// Whether the element differs between lanes.
  bool varies(const BufferAccess& place) const {
    return std::any_of(place.index.begin(), place.index.end(), [&](const Expr& index) {
      return affine_index(index, {var_}).only_axis().has_value();
    });
  }

  /// Whether `a` and `b` of any two lanes are disjoint: in some dimension their distance exceeds
  /// the lanes' span, or is not a multiple of the lanes' stride.
  bool are_disjoint(const BufferAccess& a, const BufferAccess& b) const {
    if (a.buffer != b.buffer || a.index.size() != b.index.size()) return false;
    for (size_t d = 0; d < a.index.size(); ++d) {
      const auto distance = constant_difference(a.index[d], b.index[d]);
      const AffineIndex index = affine_index(a.index[d], {var_});
      if (!distance || *distance == 0 || !index.affine()) continue;
      const int64_t step = std::abs(index.factor[0]);
      if (std::abs(*distance) > step * (n_ - 1) || *distance % step != 0) return true;
    }
    return false;
  }

  bool pairwise_disjoint(const std::vector<const BufferAccess*>& places) const {
    if (places.size() > kMaxElements) return false;
    for (size_t a = 0; a < places.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        if (!are_disjoint(*places[a], *places[b])) return false;
    return true;
  }

 private:
  Symbol var_;
  int64_t n_;
};

}  // namespace

bool lanes_are_independent(const Stmt& body, const For& loop, const BufferViews& views) {
  const Lanes lanes(loop);
  std::unordered_set<Symbol> inner_vars;  // variables of nested loops
  for_each(*body, [&](const For& inner) { inner_vars.insert(inner.var); });
  int statements = 0;
  std::unordered_set<Symbol> written;
  std::unordered_map<Symbol, std::vector<const BufferAccess*>>
      places;  // one for each that lanes have
  const std::vector<BufferAccess> all = accesses_in(body);
  for (const BufferAccess& place : all) {
    const Symbol base = views.base_of(place.buffer);
    if (place.write) written.insert(base), ++statements;
    auto& known = places[base];
    if (known.size() > kMaxElements) continue;
    const bool again = lanes.varies(place) &&
                       std::any_of(known.begin(), known.end(), [&](const BufferAccess* other) {
                         return same_place(place, *other);
                       });
    if (!again) known.push_back(&place);
  }
  if (!inner_vars.empty() && std::any_of(all.begin(), all.end(), [&](const BufferAccess& element) {
        return written.count(views.base_of(element.buffer)) && mentions_any(element, inner_vars);
      }))
    return false;  // dependence between lanes carried by a nested loop
  return (statements <= 1 && inner_vars.empty()) ||
         std::all_of(written.begin(), written.end(),
                     [&](Symbol base) { return lanes.pairwise_disjoint(places.at(base)); });
}

}  // namespace tilelab
