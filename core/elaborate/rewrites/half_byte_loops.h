// SPDX-License-Identifier: Apache-2.0
// Converts loops over four-bit elements in memory (half_bytes.h) to loops over bytes: one
// iteration does the work of two adjacent ones.
#pragma once

#include "core/elaborate/rewrites/half_bytes.h"

namespace tilelab::elaborate {

using Lets = std::unordered_map<Symbol, Expr>;

/// The location of an element: its byte, and its half if that is constant.
struct HalfPlace {
  Expr byte;
  std::optional<int64_t> half;
};
HalfPlace half_place(const Expr& index, const Lets& lets);

/// The four bits of a value, as an integer.
Expr code_of(const Expr& value);
Expr both_halves(const Expr& low, const Expr& high);

/// Unrolls by two every loop whose iterations store adjacent elements. Stores to both halves are
/// merged into a byte store.
Stmt halved_loops(const Stmt& body, const Buffers& buffers, const Lets& lets);

}  // namespace tilelab::elaborate
