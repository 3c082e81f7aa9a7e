// SPDX-License-Identifier: Apache-2.0
// Layouts without a digit form: expressions of an element's indices, as the user wrote them. A
// buffer has one in addition to its digits until lowering substitutes the expressions into its
// accesses.
#pragma once

#include <optional>

#include "core/ir/node.h"
#include "core/layout/layout.h"

namespace tilelab {

/// Where the elements of a buffer are stored: `places` are functions of the indices `names`, which
/// are unique. One place is an address in elements (shared memory); two are a thread and its
/// register (fragments). All count from 0; the map is injective.
struct ElementMap {
  std::vector<Symbol> names;
  std::vector<Expr> places;
  Index extents;  // the largest value of each place, plus one
  bool known() const { return !places.empty(); }
};

/// The place expressions for the element at `index`.
std::vector<Expr> places_at(const ElementMap& map, const std::vector<Expr>& index);
/// The first place expression for the element at [i] or [i0, i1, ...].
Expr place_of_names(const ElementMap& map, size_t rank);
/// Places of all elements of the shape in row-major order; nullopt if one is not constant.
std::optional<std::vector<Index>> all_places(const ElementMap& map, const Index& shape);
/// Computes `extents` and validates the map for this shape; returns an error, or "".
std::string finalize(ElementMap& map, const Index& shape);

}  // namespace tilelab
