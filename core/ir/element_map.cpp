// SPDX-License-Identifier: Apache-2.0
#include "core/ir/element_map.h"

#include <algorithm>
#include <map>

#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab {

std::vector<Expr> places_at(const ElementMap& map, const std::vector<Expr>& index) {
  CHECK(index.size() == map.names.size());
  Substitution values;
  for (size_t d = 0; d < index.size(); ++d) values[map.names[d]] = cast(DType::i32, index[d]);
  std::vector<Expr> out;
  for (const Expr& place : map.places) out.push_back(substitute(place, values));
  return out;
}

std::optional<std::vector<Index>> all_places(const ElementMap& map, const Index& shape) {
  Index element(shape.size(), 0);
  auto index_of = [&](Symbol name) -> std::optional<int64_t> {
    auto found = std::find(map.names.begin(), map.names.end(), name);
    if (found == map.names.end()) return std::nullopt;
    return element[size_t(found - map.names.begin())];
  };
  std::vector<Index> out;
  do {
    Index places;
    for (const Expr& place : map.places) {
      auto value = evaluate(place, index_of);
      if (!value) return std::nullopt;
      places.push_back(*value);
    }
    out.push_back(std::move(places));
  } while (advance(element, shape));
  return out;
}

/// "(3, 0)"
static std::string text_of(const Index& place) { return "(" + join(place, ", ") + ")"; }

namespace {
constexpr int64_t kMaxElements = int64_t{1} << 24;  // enumerated one by one
}  // namespace

std::string finalize(ElementMap& map, const Index& shape) {
  if (map.names.size() != shape.size()) return "does not have one index for each dimension";
  int64_t elements = 1;
  for (int64_t extent : shape)
    if (extent < 0 || (elements *= extent) > kMaxElements)
      return "has a shape that is larger than the memory of any block";
  auto places = all_places(map, shape);
  if (!places) return "does not depend on the indices only";
  map.extents.assign(map.places.size(), 1);
  std::map<Index, size_t> owner;
  for (size_t e = 0; e < places->size(); ++e) {
    const Index& place = (*places)[e];
    for (size_t p = 0; p < place.size(); ++p) {
      if (place[p] < 0) return "puts an element below 0";
      map.extents[p] = std::max(map.extents[p], place[p] + 1);
    }
    if (!owner.emplace(place, e).second) return "puts two elements at " + text_of(place);
  }
  return "";
}

Expr place_of_names(const ElementMap& map, size_t rank) {
  std::vector<Expr> index;
  for (size_t d = 0; d < rank; ++d)
    index.push_back(name_ref(rank == 1 ? "i" : "i" + std::to_string(d)));
  return places_at(map, index)[0];
}

}  // namespace tilelab
