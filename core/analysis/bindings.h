// SPDX-License-Identifier: Apache-2.0
// What names stand for, seen from anywhere in a statement.
#pragma once

#include <set>

#include "core/ir/traverse.h"

namespace tilelab {

/// Calls f(name) for the names of values that the node itself binds: of a let, a variable, a loop.
void for_each_bound(const Node& node, FunctionRef<void(Symbol)> f);

/// The values of the names that lets in `root` bind. Sibling scopes may bind one name; one that has
/// different values in them, or is a variable in another, is left out: who does not follow scopes
/// can't tell which is meant.
Substitution lets_of(const Node& root);

/// The names of values that are bound somewhere in `root`.
std::set<Symbol> names_bound_in(const Node& root);
/// Those that more than one of sibling scopes binds.
std::set<Symbol> shadowed_names(const Node& root);

/// Each binding of one of `names` but the first under a name of its own, which `fresh` gives for
/// the one that it had.
Stmt rename_shadowed(const Stmt& root, const std::set<Symbol>& names,
                     FunctionRef<Symbol(Symbol)> fresh);

}  // namespace tilelab
