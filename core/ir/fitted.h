// SPDX-License-Identifier: Apache-2.0
// Expressions for numbers that are known one by one: the way back from the number of an element to
// its indices, and layouts that were written down element by element.
#pragma once

#include "core/ir/element_map.h"

namespace tilelab {

/// A value that runs from 0 to below `extent`.
struct Counted {
  Expr value;
  int64_t extent = 1;
};

/// An expression of the variables that has these values, the last variable running fastest. It is a
/// sum of multiples, such a sum modulo one more than the largest value, or an exclusive or of bits;
/// or digits of the value are, or are of digits of a variable, both cut by some of `radices`. Null
/// where none of these forms has the values.
Expr fitted(const std::vector<Counted>& variables, const Index& values, const Index& radices);

/// Where the digits of a fragment's elements can be cut, of which a thread holds `registers`.
Index radices_of(const Index& shape, int64_t registers);

/// The indices of the element with a number, where `where` numbers all elements of the shape; empty
/// where no expression gives them.
std::vector<Expr> element_at(const ElementMap& where, const Index& shape, int64_t registers,
                             const Expr& number);

}  // namespace tilelab
