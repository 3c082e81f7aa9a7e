// SPDX-License-Identifier: Apache-2.0
// Bugs that a pass might have: one small change of what it left, at one place.
#pragma once

#include <string>
#include <vector>

#include "core/ir/func.h"

namespace tilelab::test {

struct PassBug {
  std::string kind;  // "drop", "move", "predicate", "index", "count", "operands", "swizzle", "cast"
  std::string what;  // the node, as it was
  FuncRef func;      // the changed function
};

/// The number of sites in the function.
size_t pass_bug_sites(const FuncRef& func);
/// The change at one of them.
PassBug pass_bug_at(const FuncRef& func, size_t site);

}  // namespace tilelab::test
