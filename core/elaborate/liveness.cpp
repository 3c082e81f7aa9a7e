// SPDX-License-Identifier: Apache-2.0
// Backward data-flow analysis on the syntax tree. A loop's head is live where its body reads a name
// before it binds it, or where the loop ends, because it may have no iteration.
#include "core/elaborate/liveness.h"

#include <utility>

#include "core/support/function_ref.h"

namespace tilelab::elaborate {

using syntax::Kind;
using syntax::Node;
using syntax::Tree;
using syntax::Trees;

namespace {

void for_each_part(const Node& node, FunctionRef<void(const Node&)> visit) {
  for (const Trees* trees : {&node.parts, &node.list, &node.body, &node.orelse, &node.decorators})
    for (const Tree& tree : *trees)
      if (tree) visit(*tree);
}

void collect_target(const Node& target, std::vector<const Node*>& out) {
  if (target.kind == Kind::name) out.push_back(&target);
  if (target.kind == Kind::tuple || target.kind == Kind::list)
    for (const Tree& item : target.list) collect_target(*item, out);
  if (target.kind == Kind::starred) collect_target(target.part(0), out);
}

void collect_bindings(const Trees& body, std::vector<const Node*>& out) {
  for (const Tree& tree : body) {
    const Node& node = *tree;
    if (node.kind == Kind::function) {
      out.push_back(&node);
      continue;
    }
    if (node.kind == Kind::assign)
      for (const Tree& target : node.list) collect_target(*target, out);
    if (node.kind == Kind::for_ || node.kind == Kind::annotated_assign ||
        node.kind == Kind::augmented_assign)
      collect_target(node.part(0), out);
    if (node.kind == Kind::with)
      for (const Tree& item : node.list)
        if (item->has_part(1)) collect_target(item->part(1), out);
    collect_bindings(node.body, out);
    collect_bindings(node.orelse, out);
  }
}

/// `with T.While(condition):`.
bool is_loop(const Node& node) {
  if (node.kind != Kind::with) return node.kind == Kind::for_ || node.kind == Kind::while_;
  const Node& context = node.list[0]->part(0);
  return context.kind == Kind::call && context.part(0).name == Symbol("While");
}

}  // namespace

std::vector<const Node*> bindings_in(const Trees& body) {
  std::vector<const Node*> out;
  collect_bindings(body, out);
  return out;
}

Liveness::Liveness(const Node& function) {
  const auto add = [&](const Trees& body) {
    for (const Node* place : bindings_in(body)) candidates_.insert(place->name);
  };
  for (const Tree& tree : function.body) {
    if (tree->kind == Kind::function || tree->body.empty()) continue;
    add({tree});
  }
  if (candidates_.empty()) return;
  for (const Tree& tree : function.body) capture(*tree, false);
  Names live;
  block(function.body, live, {});
}

bool Liveness::live_in(const Places& places, const Node& node, Symbol name) const {
  if (captured_.count(name)) return true;
  const auto found = places.find({node.span.line, node.span.col});
  return found == places.end() || found->second.count(name);
}

bool Liveness::after(const Node& statement, Symbol name) const {
  return live_in(after_, statement, name);
}

bool Liveness::at_head(const Node& loop, Symbol name) const { return live_in(head_, loop, name); }

void Liveness::capture(const Node& node, bool inner) {
  if (inner && node.kind == Kind::name && candidates_.count(node.name)) captured_.insert(node.name);
  const bool function = node.kind == Kind::function || node.kind == Kind::lambda;
  for_each_part(node, [&](const Node& part) { capture(part, inner || function); });
}

void Liveness::read(const Node& expression, Names& live) const {
  if (expression.kind == Kind::name && candidates_.count(expression.name))
    live.insert(expression.name);
  for_each_part(expression, [&](const Node& part) { read(part, live); });
}

void Liveness::kill(const Node& target, Names& live) const {
  std::vector<const Node*> names;
  collect_target(target, names);
  for (const Node* name : names) live.erase(name->name);
}

/// A target reads the buffer and the index of an element, but not a name that it binds.
void Liveness::read_places(const Node& target, Names& live) const {
  if (target.kind == Kind::subscript || target.kind == Kind::attribute) return read(target, live);
  for (const Tree& item : target.list) read_places(*item, live);
}

void Liveness::block(const Trees& body, Names& live, const Exits& exits) {
  for (size_t i = body.size(); i-- > 0;) statement(*body[i], live, exits);
}

/// The names that an iteration may read before it binds them.
const Liveness::Names& Liveness::uses(const Node& loop) {
  const auto [it, fresh] = uses_.try_emplace(&loop);
  Names& out = it->second;
  if (!fresh) return out;
  const bool recording = std::exchange(recording_, false);
  Names live;
  block(loop.body, live, {});
  recording_ = recording;
  if (loop.kind == Kind::for_) kill(loop.part(0), live);
  return uses_[&loop] = std::move(live);
}

void Liveness::loop(const Node& node, Names& live) {
  Names head = live;
  block(node.orelse, head, {});
  head.insert(live.begin(), live.end());
  const Names& used = uses(node);
  head.insert(used.begin(), used.end());
  if (node.kind == Kind::while_) read(node.part(0), head);
  if (node.kind == Kind::with) read(*node.list[0], head);
  if (recording_) {
    head_[{node.span.line, node.span.col}].insert(head.begin(), head.end());
    Names end = head;
    block(node.body, end, {&live, &head});
  }
  live = std::move(head);
  if (node.kind == Kind::for_) read(node.part(1), live);
}

void Liveness::statement(const Node& node, Names& live, const Exits& exits) {
  if (recording_ && !node.body.empty())
    after_[{node.span.line, node.span.col}].insert(live.begin(), live.end());
  if (is_loop(node)) return loop(node, live);
  switch (node.kind) {
    case Kind::if_: {
      Names other = live;
      block(node.body, live, exits);
      block(node.orelse, other, exits);
      live.insert(other.begin(), other.end());
      return read(node.part(0), live);
    }
    case Kind::with: {  // T.ws, T.Then and T.Else are conditional
      Names body = live;
      block(node.body, body, exits);
      live.insert(body.begin(), body.end());
      for (const Tree& item : node.list) read(*item, live);
      return;
    }
    case Kind::assign:
      for (const Tree& target : node.list) kill(*target, live);
      for (const Tree& target : node.list) read_places(*target, live);
      return read(node.part(0), live);
    case Kind::annotated_assign:
      kill(node.part(0), live);
      if (node.has_part(2)) read(node.part(2), live);
      return read(node.part(1), live);
    case Kind::return_: live.clear(); break;
    case Kind::break_: live = exits.broke ? *exits.broke : Names(); return;
    case Kind::continue_: live = exits.continued ? *exits.continued : Names(); return;
    case Kind::function: live.erase(node.name); break;
    default: break;
  }
  for_each_part(node, [&](const Node& part) { read(part, live); });
}

}  // namespace tilelab::elaborate
