// SPDX-License-Identifier: Apache-2.0
// Integer expressions as sums of atoms, to see that `(i + 1) * 64 - i * 64` is 64.
#pragma once

#include <optional>
#include <unordered_map>

#include "core/ir/expr.h"

namespace tilelab::elaborate {

using LetTable = std::unordered_map<Symbol, Expr>;

/// a - b if it is the same for all values of the names in them; names of `lets` stand for their
/// values. What is not linear is an atom, equal to itself only.
std::optional<int64_t> constant_difference(const Expr& a, const Expr& b, const LetTable& lets);

/// `times` * `name` + `plus`.
struct Affine {
  Symbol name;
  int64_t times = 1, plus = 0;
};

/// The expression as a multiple of one name and a constant; nothing if it is not of that form.
std::optional<Affine> affine_of(const Expr& expr);

}  // namespace tilelab::elaborate
