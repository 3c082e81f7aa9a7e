// SPDX-License-Identifier: Apache-2.0
// Loops over elements of float4_e2m1fn in memory (pairs.h), turned into loops over bytes: a turn
// does what two neighbouring ones did.
#pragma once

#include "core/elaborate/rewrites/packed_fp4.h"

namespace tilelab::elaborate {

using Lets = std::unordered_map<Symbol, Expr>;

/// Where an element lies: its byte, and which half of it, where that is always the same.
struct HalfPlace {
  Expr byte;
  std::optional<int64_t> half;
};
HalfPlace half_place(const Expr& index, const Lets& lets);

/// The four bits of a value, as an integer.
Expr code_of(const Expr& value);
Expr both_halves(const Expr& low, const Expr& high);

/// Every loop that stores neighbours turn by turn takes two of them at once. Stores of both halves
/// are joined: what they store is then a byte.
Stmt halved_loops(const Stmt& body, const Buffers& buffers, const Lets& lets);

}  // namespace tilelab::elaborate
