// SPDX-License-Identifier: Apache-2.0
// Fits expressions to tabulated values: the inverse from an element number to its indices, and
// layouts that were specified element by element.
#pragma once

#include "core/ir/element_map.h"

namespace tilelab {

/// A value in [0, extent).
struct Counted {
  Expr value;
  int64_t extent = 1;
};

/// An expression of the variables with these values; the last variable is the fastest. Candidate
/// forms: an affine sum, such a sum modulo the largest value plus one, an exclusive or of bits, or
/// one of these for digits of the value or of a variable, split at some of `radices`. Null if no
/// form fits.
Expr fitted(const std::vector<Counted>& variables, const Index& values, const Index& radices);

/// Where to split digits of a fragment's elements, with `registers` per thread.
Index radices_of(const Index& shape, int64_t registers);

/// The indices of the element with the given number, where `where` numbers all elements of the
/// shape; empty if no expression fits.
std::vector<Expr> element_at(const ElementMap& where, const Index& shape, int64_t registers,
                             const Expr& number);

}  // namespace tilelab
