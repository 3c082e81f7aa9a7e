// SPDX-License-Identifier: Apache-2.0
// Layouts that have no digits: expressions of an element's indices, as the user wrote them. A
// buffer has one beside its digits until lowering writes the expressions into its accesses.
#pragma once

#include <optional>

#include "core/ir/node.h"
#include "core/layout/layout.h"

namespace tilelab {

/// Where the elements of a buffer lie: `places` of the indices that `names` stand for, which
/// nothing else is called. One place is an address in elements (shared memory); two are a thread
/// and a register of it (fragments). All count from 0; no two elements share their places.
struct ElementMap {
  std::vector<Symbol> names;
  std::vector<Expr> places;
  Index extents;  // one past the largest of each place
  bool known() const { return !places.empty(); }
};

/// The expressions at an element.
std::vector<Expr> places_at(const ElementMap& map, const std::vector<Expr>& index);
/// The first place of the element at [i] or [i0, i1, ...].
Expr place_of_names(const ElementMap& map, size_t rank);
/// Places of all elements of the shape in row-major order; nullopt where one is no known number.
std::optional<std::vector<Index>> all_places(const ElementMap& map, const Index& shape);
/// Fills in `extents`. What is wrong with the map over this shape, or "".
std::string settle(ElementMap& map, const Index& shape);

}  // namespace tilelab
