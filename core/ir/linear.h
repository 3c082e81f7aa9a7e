// SPDX-License-Identifier: Apache-2.0
// Integer expressions as linear sums: constant + sum of coefficient * atom. Index arithmetic is
// assumed not to overflow (hosts check the extents); coefficients wrap.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/ir/expr.h"
#include "core/support/function_ref.h"

namespace tilelab {

struct Linear {
  struct Term {
    Expr atom;  // neither a sum nor a constant multiple
    int64_t coefficient;
  };
  std::vector<Term> terms;  // distinct atoms, in order of appearance; no zero coefficient
  int64_t constant = 0;

  bool is_constant() const { return terms.empty(); }
  /// Coefficient of the name `id` (0 if absent).
  int64_t coefficient(Symbol id) const;
  /// Whether the name occurs inside a term that is not the name itself.
  bool nested(Symbol id) const;
  void add(const Linear& other, int64_t factor);
};

/// The value of a name, if known.
using Environment = FunctionRef<std::optional<int64_t>(Symbol)>;
/// Value of an integer expression of constants and names; nullopt if it contains anything else.
std::optional<int64_t> evaluate(const Expr& expr, Environment name);
std::optional<int64_t> evaluate(const Linear& linear, Environment name);

/// The expression that replaces a name; null: the name itself.
using Meaning = FunctionRef<Expr(Symbol)>;

Linear linear_of(const Expr& expr);
/// With names replaced, recursively; a factor that thereby becomes constant is a coefficient.
Linear linear_of(const Expr& expr, Meaning meaning);
/// a - b if it is the same for all values of the names in them.
std::optional<int64_t> constant_difference(const Expr& a, const Expr& b);
/// The same with names of `lets` replaced by their values.
std::optional<int64_t> constant_difference(const Expr& a, const Expr& b,
                                           const std::unordered_map<Symbol, Expr>& lets);
Expr expr_of(const Linear& linear, DType dtype);

}  // namespace tilelab
