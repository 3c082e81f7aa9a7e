// SPDX-License-Identifier: Apache-2.0
#include "core/ir/lets.h"

#include <unordered_set>

#include "core/ir/compare.h"

namespace tilelab {

Substitution lets_of(const Node& root) {
  Substitution values;
  std::unordered_set<Symbol> several;
  walk(root, [&](const Node& node) {
    if (const Let* let = as<Let>(&node)) {
      const auto [at, fresh] = values.emplace(let->name, let->value);
      if (!fresh && !equal(at->second, let->value)) several.insert(let->name);
    }
    if (const Var* var = as<Var>(&node)) several.insert(var->name);
    if (const For* loop = as<For>(&node)) several.insert(loop->var);
    if (const Parallel* loop = as<Parallel>(&node))
      several.insert(loop->vars.begin(), loop->vars.end());
    if (const TileLoop* loop = as<TileLoop>(&node))
      several.insert(loop->vars.begin(), loop->vars.end());
    return group(node.kind) != Group::expr;
  });
  for (Symbol name : several) values.erase(name);
  return values;
}

}  // namespace tilelab
