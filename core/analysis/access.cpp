// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/access.h"

#include <algorithm>

#include "core/ir/compare.h"
#include "core/ir/traverse.h"

namespace tilelab {

bool same_index(const BufferAccess& a, const BufferAccess& b) {
  return std::equal(a.index.begin(), a.index.end(), b.index.begin(), b.index.end(),
                    [](const Expr& x, const Expr& y) { return equal(x, y); });
}

std::optional<size_t> AffineIndex::only_axis() const {
  auto moves = [](int64_t one) { return one != 0; };
  if (!affine() || std::count_if(factor.begin(), factor.end(), moves) != 1) return std::nullopt;
  return std::find_if(factor.begin(), factor.end(), moves) - factor.begin();
}

AffineIndex affine_index(const Linear& sum, const std::vector<Symbol>& axes) {
  AffineIndex out{std::vector<int64_t>(axes.size()), {}, {}};
  out.rest.constant = sum.constant;
  for (const Linear::Term& term : sum.terms) {
    auto is_named = [&](const Name& name) {
      return std::find(axes.begin(), axes.end(), name.id) != axes.end();
    };
    const Name* name = as<Name>(term.atom);
    if (name && is_named(*name))
      out.factor[size_t(std::find(axes.begin(), axes.end(), name->id) - axes.begin())] =
          term.coefficient;
    else
      (any_of(*term.atom, is_named) ? out.nested : out.rest).terms.push_back(term);
  }
  return out;
}

bool is_contiguous_along(const std::vector<Expr>& index, Symbol var) {
  if (index.empty() ||
      std::any_of(index.begin(), index.end() - 1, [&](const Expr& e) { return mentions(e, var); }))
    return false;
  const AffineIndex last = affine_index(index.back(), {var});
  return last.affine() && last.factor[0] == 1;
}

}  // namespace tilelab
