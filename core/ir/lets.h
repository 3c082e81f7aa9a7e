// SPDX-License-Identifier: Apache-2.0
// What names stand for, seen from anywhere in a statement.
#pragma once

#include "core/ir/traverse.h"

namespace tilelab {

/// Calls f(name) for the names of values that the node itself binds: of a let, a variable, a loop.
void for_each_bound(const Node& node, FunctionRef<void(Symbol)> f);

/// The values of the names that lets in `root` bind. Sibling scopes may bind one name; one that has
/// different values in them, or is a variable in another, is left out: who does not follow scopes
/// can't tell which is meant.
Substitution lets_of(const Node& root);

}  // namespace tilelab
