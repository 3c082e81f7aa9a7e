// SPDX-License-Identifier: Apache-2.0
#include "core/sim/tile/compile.h"

#include <algorithm>
#include <set>

#include "core/analysis/access.h"
#include "core/analysis/bindings.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab::sim {
namespace {

constexpr int64_t kMostIterations = 65536;

class Places {
 public:
  explicit Places(const Parallel& loop) : loop_(loop), lets_(lets_of(*loop.body)) {
    for (const Expr& extent : loop.extents) {
      const auto known = int_value(extent);
      extents_.push_back(known.value_or(0));
      iterations_ = known && iterations_ <= kMostIterations ? iterations_ * *known : 0;
    }
  }

  bool shared(const Store& store) const {
    return !each_variable_alone(store) && iterations_ > 0 && iterations_ <= kMostIterations &&
           some_twice(store);
  }

 private:
  /// Whether each variable with several values is in a separate index.
  bool each_variable_alone(const Store& store) const {
    std::set<size_t> taken;
    for (size_t v = 0; v < loop_.vars.size(); ++v) {
      if (extents_[v] == 1) continue;
      bool found = false;
      for (size_t d = 0; d < store.dims.size() && !found; ++d)
        found = moves_alone(store.dims[d].lo, v) && taken.insert(d).second;
      if (!found) return false;
    }
    return true;
  }

  bool moves_alone(const Expr& index, size_t v) const {
    const Linear sum = linear_of(index, [&](Symbol name) { return meaning(name); });
    return affine_index(sum, loop_.vars).only_axis() == v;
  }

  Expr meaning(Symbol name) const {
    auto found = lets_.find(name);
    return found == lets_.end() ? nullptr : found->second;
  }

  bool some_twice(const Store& store) const {
    std::set<std::vector<int64_t>> seen;
    std::vector<int64_t> at(extents_.size(), 0);
    for (int64_t n = 0; n < iterations_; ++n) {
      int64_t rest = n;
      for (size_t v = at.size(); v-- > 0; rest /= extents_[v]) at[v] = rest % extents_[v];
      std::vector<int64_t> place;
      for (const RegionDim& dim : store.dims) {
        const auto index = value(dim.lo, at);
        if (!index) return false;
        place.push_back(*index);
      }
      if (!seen.insert(std::move(place)).second) return true;
    }
    return false;
  }

  /// Names from outside the loop are invariant: 0 here.
  std::optional<int64_t> value(const Expr& index, const std::vector<int64_t>& at) const {
    return evaluate(index, [&](Symbol name) -> std::optional<int64_t> {
      for (size_t v = 0; v < at.size(); ++v)
        if (loop_.vars[v] == name) return at[v];
      const Expr bound = meaning(name);
      return bound ? value(bound, at) : 0;
    });
  }

  const Parallel& loop_;
  std::vector<int64_t> extents_;
  int64_t iterations_ = 1;  // 0: unknown, or too many
  Substitution lets_;
};

}  // namespace

bool iterations_share_elements(const Parallel& loop, FunctionRef<bool(Symbol)> is_fragment) {
  std::set<Symbol> read, own;
  std::vector<const Store*> stores;
  for_each(
      *loop.body, [&](const Buffer& buffer) { own.insert(buffer.name); },
      [&](const Load& load) { read.insert(load.buffer); },
      [&](const Store& store) { stores.push_back(&store); });
  const Places places(loop);
  return std::any_of(stores.begin(), stores.end(), [&](const Store* store) {
    return read.count(store->buffer) && !own.count(store->buffer) && is_fragment(store->buffer) &&
           places.shared(*store);
  });
}

}  // namespace tilelab::sim
