// SPDX-License-Identifier: Apache-2.0
#include "core/lint/symbolic_values.h"

#include "tests/unit/test.h"

namespace tilelab::test {
namespace {

TEST(values_are_alike_where_they_are_made_alike) {
  KnownValues values;
  const Symbol buffer("A");
  const KnownValue i = values.unknown("i"), first = values.element(buffer, {i});
  EXPECT(first.same(values.element(buffer, {i})));
  EXPECT(!first.same(values.element(Symbol("B"), {i})));
  EXPECT(KnownValues::sum(first, first, -1).is_number());
  const KnownValue place = values.element(Symbol("B"), {first});
  EXPECT(place.uses(first.unknowns[0].first));
  EXPECT(!first.uses(place.unknowns[0].first));
}

TEST(a_value_of_many_elements_is_lost) {
  KnownValues values;
  KnownValue sum = KnownValues::of(0);
  for (int k = 0; k < 64; ++k)
    sum = KnownValues::sum(sum, values.element(Symbol("A"), {KnownValues::of(k)}), 1);
  EXPECT(!sum.lost);
  EXPECT_EQ(sum.made_of.size(), size_t(64));
  EXPECT(KnownValues::sum(sum, values.element(Symbol("A"), {KnownValues::of(3)}), 1)
             .same_unknowns(
                 KnownValues::sum(sum, values.element(Symbol("A"), {KnownValues::of(3)}), 1)));
  const KnownValue more =
      KnownValues::sum(sum, values.element(Symbol("A"), {KnownValues::of(64)}), 1);
  EXPECT(more.lost);
  EXPECT(KnownValues::sum(KnownValues::of(1), more, 2).lost);
  EXPECT(values.element(Symbol("B"), {more}).lost);
}

}  // namespace
}  // namespace tilelab::test
