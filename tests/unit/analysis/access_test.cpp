// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access.h"

#include "core/ir/build.h"
#include "tests/unit/test.h"

using namespace tilelab;

static const Expr i = name_ref("i"), j = name_ref("j"), n = name_ref("n");

TEST(affine_index_by_axes) {
  const Expr index = add(add(mul(i, int_const(4)), sub(n, j)), int_const(3));
  const AffineIndex both = affine_index(index, {"i", "j"});
  EXPECT(both.affine() && both.factor == std::vector<int64_t>({4, -1}));
  EXPECT_EQ(both.rest.constant, int64_t(3));
  EXPECT_EQ(both.rest.coefficient("n"), int64_t(1));
  EXPECT(!both.only_axis());
  EXPECT(affine_index(index, {"j", "k", "m"}).only_axis() == size_t(0));
  EXPECT_EQ(affine_index(index, {"k"}).rest.terms.size(), size_t(3));
}

TEST(an_axis_inside_a_term_is_not_affine) {
  const AffineIndex index = affine_index(add(floordiv(i, int_const(2)), j), {"i", "j"});
  EXPECT(!index.affine() && !index.only_axis());
  EXPECT(index.factor == std::vector<int64_t>({0, 1}));
  EXPECT(index.rest.is_constant() && index.nested.terms.size() == 1);
}

TEST(runs_along_the_last_dimension) {
  EXPECT(is_contiguous_along({i, add(j, n)}, "j"));
  EXPECT(!is_contiguous_along({add(i, j), j}, "j"));
  EXPECT(!is_contiguous_along({i, mul(j, int_const(2))}, "j"));
  EXPECT(!is_contiguous_along({i, floormod(j, int_const(2))}, "j"));
  EXPECT(!is_contiguous_along({}, "j"));
}
