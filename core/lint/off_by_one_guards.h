// SPDX-License-Identifier: Apache-2.0
// Reads that a condition keeps inside of their tensor, all but one index: `j <= n` where `j < n` is
// meant. What is read there is 0, and somebody uses what is computed of it.
#pragma once

#include <unordered_map>

#include "core/ir/func.h"

namespace tilelab {

/// One dimension of a read, with an index that the conditions around let through and that is
/// outside: the extent itself, or -1.
struct WideGuard {
  size_t dim = 0;
  bool below = false;  // -1
};

/// Of a tile function. Not those whose zero is dropped, by a store that is outside as well, or is
/// what the other side of the choice says.
std::unordered_map<const Load*, WideGuard> wide_guards(const Func& func);

}  // namespace tilelab
