// SPDX-License-Identifier: Apache-2.0
#include "core/ir/intrinsics.h"

#include <string>
#include <unordered_map>

namespace tilelab {
namespace {

constexpr IntrinsicInfo kRows[] = {
#define INTRINSIC(id, name, operands, scope, uniform, effects, async_class, targets) \
  {name, operands, CollectiveScope::scope, uniform, effects, #async_class, targets},
#include "core/ir/intrinsics.def"
#undef INTRINSIC
};

}  // namespace

const IntrinsicInfo& info(Intrinsic intrinsic) { return kRows[static_cast<int>(intrinsic)]; }

std::optional<Intrinsic> intrinsic_from_name(std::string_view name) {
  static const auto* by_name = [] {
    auto* map = new std::unordered_map<std::string_view, Intrinsic>;
    for (int i = 0; i < kIntrinsicCount; ++i)
      map->emplace(kRows[i].name, static_cast<Intrinsic>(i));
    return map;
  }();
  auto it = by_name->find(name);
  if (it == by_name->end()) return std::nullopt;
  return it->second;
}

}  // namespace tilelab
