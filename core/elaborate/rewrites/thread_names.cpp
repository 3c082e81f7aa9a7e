// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/rewrites.h"

#include "core/analysis/bindings.h"
#include "core/analysis/divergence.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {

Stmt rename_thread_values(const Kernel& kernel, FunctionRef<Symbol(Symbol)> fresh) {
  std::set<Symbol> names = shadowed_names(*kernel.body);
  if (names.empty()) return kernel.body;
  const DivergenceAnalysis by_name(kernel);
  std::erase_if(names, [&](Symbol name) { return !by_name(name); });
  if (names.empty()) return kernel.body;

  std::vector<std::pair<Symbol, Symbol>> made;  // new name of a binding, and the original
  Kernel renamed(kernel);
  renamed.body = rename_shadowed(kernel.body, names, [&](Symbol name) {
    return made.emplace_back(name.str() + "'" + std::to_string(made.size()), name).first;
  });
  // Bindings that agree with the first one get its name back.
  const DivergenceAnalysis by_scope(renamed);
  NewNames shared, other;
  for (const auto& [name, first] : made) {
    const bool agree = by_scope(name) == by_scope(first);
    if (!agree && !other.count(first)) other[first] = fresh(first);
    shared[name] = agree ? first : other[first];
  }
  return other.empty() ? kernel.body : rename(renamed.body, shared);
}

}  // namespace tilelab::elaborate
