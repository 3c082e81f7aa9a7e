// SPDX-License-Identifier: Apache-2.0
#include "core/passes/canonicalize/canonicalize.h"

#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab {

Stmt without_unused_buffers(const Stmt& body) {
  std::unordered_set<Symbol> untouched, mailboxes;  // rings whose slots have the tickets of a loop
  for_each(*body, [&](const TileLoop& tiles) {
    if (tiles.source == TileSource::mailbox) mailboxes.insert(tiles.ring);
  });
  for_each(*body, [&](const Buffer& buffer) {
    if ((buffer.scope == Scope::shared || buffer.address) && !mailboxes.count(buffer.ring))
      untouched.insert(buffer.name);
  });
  if (untouched.empty()) return body;
  const BufferViews views = views_of(*body);
  if (any_of(*body, [&](const StmtNode& node) {
        for (const Effect& effect : effects(node)) untouched.erase(views.base_of(effect.buffer));
        return untouched.empty();
      }))
    return body;
  return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
    const Buffer* buffer = as<Buffer>(s);
    const View* view = as<View>(s);
    const Symbol name = buffer ? buffer->name : view ? views.base_of(view->name) : Symbol();
    return name && untouched.count(name) ? seq({}) : s;
  });
}

}  // namespace tilelab
