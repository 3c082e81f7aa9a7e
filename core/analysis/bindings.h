// SPDX-License-Identifier: Apache-2.0
// Name bindings of a whole statement, independent of scopes.
#pragma once

#include <set>

#include "core/ir/traverse.h"

namespace tilelab {

/// Calls f(name) for each value name that the node itself binds: a let, a variable, a loop
/// variable.
void for_each_bound(const Node& node, FunctionRef<void(Symbol)> f);

/// The values of the names that lets in `root` bind. A name that sibling scopes bind to different
/// values, or that is a variable in one of them, is omitted: without tracking scopes it is
/// ambiguous.
Substitution lets_of(const Node& root);

/// All value names bound in `root`.
std::set<Symbol> names_bound_in(const Node& root);
/// Those that several sibling scopes bind.
std::set<Symbol> shadowed_names(const Node& root);

/// Gives every binding of one of `names`, except the first, a unique name, which `fresh` derives
/// from the old one.
Stmt rename_shadowed(const Stmt& root, const std::set<Symbol>& names,
                     FunctionRef<Symbol(Symbol)> fresh);
/// Gives every binding of one of `names` a unique name.
Stmt rename_bindings(const Stmt& root, const std::set<Symbol>& names,
                     FunctionRef<Symbol(Symbol)> fresh);

}  // namespace tilelab
