// SPDX-License-Identifier: Apache-2.0
#include "core/ir/lets.h"

#include <unordered_set>

#include "core/ir/compare.h"

namespace tilelab {

void for_each_bound(const Node& node, FunctionRef<void(Symbol)> f) {
  if (const Let* let = as<Let>(&node)) f(let->name);
  if (const Var* var = as<Var>(&node)) f(var->name);
  if (const For* loop = as<For>(&node)) f(loop->var);
  if (const Parallel* loop = as<Parallel>(&node))
    for (Symbol var : loop->vars) f(var);
  if (const TileLoop* loop = as<TileLoop>(&node))
    for (Symbol var : loop->vars) f(var);
}

Substitution lets_of(const Node& root) {
  Substitution values;
  std::unordered_set<Symbol> several;
  walk(root, [&](const Node& node) {
    if (const Let* let = as<Let>(&node)) {
      const auto [at, fresh] = values.emplace(let->name, let->value);
      if (!fresh && !equal(at->second, let->value)) several.insert(let->name);
    } else {
      for_each_bound(node, [&](Symbol name) { several.insert(name); });
    }
    return group(node.kind) != Group::expr;
  });
  for (Symbol name : several) values.erase(name);
  return values;
}

}  // namespace tilelab
