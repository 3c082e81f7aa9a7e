// SPDX-License-Identifier: Apache-2.0
#include "core/passes/canonicalize/unused_buffers.h"

#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab {

Stmt without_untouched(const Stmt& body) {
  std::unordered_set<Symbol> untouched;
  walk(*body, [&](const Node& node) {
    const Buffer* buffer = as<Buffer>(&node);
    if (buffer && buffer->scope == Scope::shared) untouched.insert(buffer->name);
    return group(node.kind) != Group::expr;
  });
  if (untouched.empty()) return body;
  const BufferViews views = views_of(*body);
  walk(*body, [&](const Node& node) {
    if (untouched.empty() || group(node.kind) == Group::expr) return false;
    for (const Effect& effect : effects(node)) untouched.erase(views.base_of(effect.buffer));
    return true;
  });
  if (untouched.empty()) return body;
  return rewrite(
      body, [](const Expr& e) { return e; },
      [&](const Stmt& s) -> Stmt {
        const Buffer* buffer = as<Buffer>(s);
        const View* view = as<View>(s);
        const Symbol name = buffer ? buffer->name : view ? views.base_of(view->name) : Symbol();
        return name && untouched.count(name) ? seq({}) : s;
      });
}

}  // namespace tilelab
