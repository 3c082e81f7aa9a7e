// SPDX-License-Identifier: Apache-2.0
#include "core/lint/symbolic_values.h"

#include "tests/unit/test.h"

namespace tilelab::test {
namespace {

TEST(values_are_alike_where_they_are_made_alike) {
  ValueNumbering values;
  const Symbol buffer("A");
  const SymbolicValue i = values.unknown("i"), first = values.element(buffer, {i});
  EXPECT(first.same(values.element(buffer, {i})));
  EXPECT(!first.same(values.element(Symbol("B"), {i})));
  EXPECT(ValueNumbering::sum(first, first, -1).is_number());
  const SymbolicValue place = values.element(Symbol("B"), {first});
  EXPECT(place.uses(first.unknowns[0].first));
  EXPECT(!first.uses(place.unknowns[0].first));
}

TEST(a_value_of_many_elements_is_lost) {
  ValueNumbering values;
  SymbolicValue sum = ValueNumbering::of(0);
  for (int k = 0; k < 64; ++k)
    sum = ValueNumbering::sum(sum, values.element(Symbol("A"), {ValueNumbering::of(k)}), 1);
  EXPECT(!sum.lost);
  EXPECT_EQ(sum.made_of.size(), size_t(64));
  EXPECT(ValueNumbering::sum(sum, values.element(Symbol("A"), {ValueNumbering::of(3)}), 1)
             .same_unknowns(ValueNumbering::sum(
                 sum, values.element(Symbol("A"), {ValueNumbering::of(3)}), 1)));
  const SymbolicValue more =
      ValueNumbering::sum(sum, values.element(Symbol("A"), {ValueNumbering::of(64)}), 1);
  EXPECT(more.lost);
  EXPECT(ValueNumbering::sum(ValueNumbering::of(1), more, 2).lost);
  EXPECT(values.element(Symbol("B"), {more}).lost);
}

}  // namespace
}  // namespace tilelab::test
