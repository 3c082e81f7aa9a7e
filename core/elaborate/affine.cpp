// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/affine.h"

#include "core/ir/linear.h"

namespace tilelab::elaborate {

std::optional<int64_t> constant_difference(const Expr& a, const Expr& b, const LetTable& lets) {
  return tilelab::constant_difference(a, b, [&](Symbol name) -> Expr {
    auto let = lets.find(name);
    return let == lets.end() ? nullptr : let->second;
  });
}

std::optional<Affine> affine_of(const Expr& expr) {
  const Linear sum = linear_of(expr);
  const Name* name = sum.terms.size() == 1 ? as<Name>(sum.terms[0].atom) : nullptr;
  if (!name) return std::nullopt;
  return Affine{name->id, sum.terms[0].coefficient, sum.constant};
}

}  // namespace tilelab::elaborate
