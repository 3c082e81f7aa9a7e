// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/affine.h"

#include <algorithm>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/compare.h"

namespace tilelab::elaborate {
namespace {

struct Term {
  Expr atom;
  int64_t factor;
};

struct Sum {
  std::vector<Term> terms;
  int64_t constant = 0;
};

void add_term(Sum& sum, const Expr& atom, int64_t factor) {
  for (Term& term : sum.terms)
    if (equal(term.atom, atom)) {
      term.factor += factor;
      return;
    }
  sum.terms.push_back({atom, factor});
}

constexpr int max_depth = 64;

void collect(const Expr& expr, int64_t factor, const LetTable& lets, Sum& sum, int depth) {
  if (auto value = int_value(expr)) {
    sum.constant += *value * factor;
    return;
  }
  if (const Name* name = as<Name>(expr); name && depth < max_depth)
    if (auto it = lets.find(name->id); it != lets.end())
      return collect(it->second, factor, lets, sum, depth + 1);
  const Bin* bin = as<Bin>(expr);
  if (!bin || depth >= max_depth) {
    const Un* un = as<Un>(expr);
    if (un && un->op == UnOp::neg) return collect(un->a, -factor, lets, sum, depth + 1);
    return add_term(sum, expr, factor);
  }
  if (bin->op == BinOp::add || bin->op == BinOp::sub) {
    collect(bin->a, factor, lets, sum, depth + 1);
    collect(bin->b, bin->op == BinOp::add ? factor : -factor, lets, sum, depth + 1);
  } else if (auto right = int_value(bin->b); right && bin->op == BinOp::mul) {
    collect(bin->a, factor * *right, lets, sum, depth + 1);
  } else if (auto left = int_value(bin->a); left && bin->op == BinOp::mul) {
    collect(bin->b, factor * *left, lets, sum, depth + 1);
  } else {
    add_term(sum, expr, factor);
  }
}

}  // namespace

std::optional<int64_t> constant_difference(const Expr& a, const Expr& b, const LetTable& lets) {
  Sum sum;
  collect(a, 1, lets, sum, 0);
  collect(b, -1, lets, sum, 0);
  bool varies = std::any_of(sum.terms.begin(), sum.terms.end(),
                            [](const Term& term) { return term.factor != 0; });
  if (varies) return std::nullopt;
  return sum.constant;
}

std::optional<Affine> affine_of(const Expr& expr) {
  Sum sum;
  collect(expr, 1, {}, sum, 0);
  std::optional<Affine> out;
  for (const Term& term : sum.terms) {
    const Name* name = as<Name>(term.atom);
    if (term.factor == 0) continue;
    if (!name || out) return std::nullopt;
    out = Affine{name->id, term.factor, sum.constant};
  }
  return out;
}

}  // namespace tilelab::elaborate
