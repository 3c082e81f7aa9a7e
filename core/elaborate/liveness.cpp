// SPDX-License-Identifier: Apache-2.0
// Backward data-flow analysis on the syntax tree. A loop's head is live where its body reads a name
// before it binds it, or where the loop ends, because it may have no iteration.
#include "core/elaborate/liveness.h"

#include <utility>

#include "core/support/function_ref.h"

namespace tilelab::elaborate {

namespace {

void for_each_part(const syntax::Node& node, FunctionRef<void(const syntax::Node&)> visit) {
  for (const syntax::Trees* trees :
       {&node.parts, &node.list, &node.body, &node.orelse, &node.decorators})
    for (const syntax::Tree& tree : *trees)
      if (tree) visit(*tree);
}

void collect_target(const syntax::Node& target, std::vector<const syntax::Node*>& out) {
  if (target.kind == syntax::Kind::name) out.push_back(&target);
  if (target.kind == syntax::Kind::tuple || target.kind == syntax::Kind::list)
    for (const syntax::Tree& item : target.list) collect_target(*item, out);
  if (target.kind == syntax::Kind::starred) collect_target(target.part(0), out);
}

/// The names that `:=` binds in an expression.
void collect_named(const syntax::Node& node, std::vector<const syntax::Node*>& out) {
  if (node.kind == syntax::Kind::lambda) return;
  if (node.kind == syntax::Kind::named) collect_target(node.part(0), out);
  for (const syntax::Trees* trees : {&node.parts, &node.list})
    for (const syntax::Tree& tree : *trees)
      if (tree) collect_named(*tree, out);
}

void collect_bindings(const syntax::Trees& body, std::vector<const syntax::Node*>& out) {
  for (const syntax::Tree& tree : body) {
    const syntax::Node& node = *tree;
    if (node.kind != syntax::Kind::function) collect_named(node, out);
    if (node.kind == syntax::Kind::function) {
      out.push_back(&node);
      continue;
    }
    if (node.kind == syntax::Kind::assign)
      for (const syntax::Tree& target : node.list) collect_target(*target, out);
    if (node.kind == syntax::Kind::for_ || node.kind == syntax::Kind::annotated_assign ||
        node.kind == syntax::Kind::augmented_assign)
      collect_target(node.part(0), out);
    if (node.kind == syntax::Kind::with)
      for (const syntax::Tree& item : node.list)
        if (item->has_part(1)) collect_target(item->part(1), out);
    collect_bindings(node.body, out);
    collect_bindings(node.orelse, out);
  }
}

/// `with T.While(condition):`.
bool is_loop(const syntax::Node& node) {
  if (node.kind != syntax::Kind::with)
    return node.kind == syntax::Kind::for_ || node.kind == syntax::Kind::while_;
  const syntax::Node& context = node.list[0]->part(0);
  return context.kind == syntax::Kind::call && context.part(0).name == Symbol("While");
}

}  // namespace

std::vector<const syntax::Node*> bindings_in(const syntax::Trees& body) {
  std::vector<const syntax::Node*> out;
  collect_bindings(body, out);
  return out;
}

Liveness::Liveness(const syntax::Node& function) {
  const auto add = [&](const syntax::Trees& body) {
    for (const syntax::Node* place : bindings_in(body)) candidates_.insert(place->name);
  };
  for (const syntax::Tree& tree : function.body) {
    if (tree->kind == syntax::Kind::function || tree->body.empty()) continue;
    add({tree});
  }
  if (candidates_.empty()) return;
  for (const syntax::Tree& tree : function.body) capture(*tree, false);
  Names live;
  block(function.body, live, {});
}

bool Liveness::live_in(const Places& places, const syntax::Node& node, Symbol name) const {
  if (captured_.count(name)) return true;
  const auto found = places.find({node.span.line, node.span.col});
  return found == places.end() || found->second.count(name);
}

bool Liveness::after(const syntax::Node& statement, Symbol name) const {
  return live_in(after_, statement, name);
}

bool Liveness::at_head(const syntax::Node& loop, Symbol name) const {
  return live_in(head_, loop, name);
}

void Liveness::capture(const syntax::Node& node, bool inner) {
  if (inner && node.kind == syntax::Kind::name && candidates_.count(node.name))
    captured_.insert(node.name);
  const bool function = node.kind == syntax::Kind::function || node.kind == syntax::Kind::lambda;
  for_each_part(node, [&](const syntax::Node& part) { capture(part, inner || function); });
}

void Liveness::read(const syntax::Node& expression, Names& live) const {
  if (expression.kind == syntax::Kind::name && candidates_.count(expression.name))
    live.insert(expression.name);
  for_each_part(expression, [&](const syntax::Node& part) { read(part, live); });
}

void Liveness::kill(const syntax::Node& target, Names& live) const {
  std::vector<const syntax::Node*> names;
  collect_target(target, names);
  for (const syntax::Node* name : names) live.erase(name->name);
}

/// A target reads the buffer and the index of an element, but not a name that it binds.
void Liveness::read_places(const syntax::Node& target, Names& live) const {
  if (target.kind == syntax::Kind::subscript || target.kind == syntax::Kind::attribute)
    return read(target, live);
  for (const syntax::Tree& item : target.list) read_places(*item, live);
}

void Liveness::block(const syntax::Trees& body, Names& live, const Exits& exits) {
  for (size_t i = body.size(); i-- > 0;) statement(*body[i], live, exits);
}

/// The names that an iteration may read before it binds them.
const Liveness::Names& Liveness::uses(const syntax::Node& loop) {
  const auto [it, fresh] = uses_.try_emplace(&loop);
  Names& out = it->second;
  if (!fresh) return out;
  const bool recording = std::exchange(recording_, false);
  Names live;
  block(loop.body, live, {});
  recording_ = recording;
  if (loop.kind == syntax::Kind::for_) kill(loop.part(0), live);
  return uses_[&loop] = std::move(live);
}

void Liveness::loop(const syntax::Node& node, Names& live) {
  Names head = live;
  block(node.orelse, head, {});
  head.insert(live.begin(), live.end());
  const Names& used = uses(node);
  head.insert(used.begin(), used.end());
  if (node.kind == syntax::Kind::while_) read(node.part(0), head);
  if (node.kind == syntax::Kind::with) read(*node.list[0], head);
  if (recording_) {
    head_[{node.span.line, node.span.col}].insert(head.begin(), head.end());
    Names end = head;
    block(node.body, end, {&live, &head});
  }
  live = std::move(head);
  if (node.kind == syntax::Kind::for_) read(node.part(1), live);
}

void Liveness::statement(const syntax::Node& node, Names& live, const Exits& exits) {
  if (recording_ && !node.body.empty())
    after_[{node.span.line, node.span.col}].insert(live.begin(), live.end());
  if (is_loop(node)) return loop(node, live);
  switch (node.kind) {
    case syntax::Kind::if_: {
      Names other = live;
      block(node.body, live, exits);
      block(node.orelse, other, exits);
      live.insert(other.begin(), other.end());
      return read(node.part(0), live);
    }
    case syntax::Kind::with: {  // T.ws, T.Then and T.Else are conditional
      Names body = live;
      block(node.body, body, exits);
      live.insert(body.begin(), body.end());
      for (const syntax::Tree& item : node.list) read(*item, live);
      return;
    }
    case syntax::Kind::assign:
      for (const syntax::Tree& target : node.list) kill(*target, live);
      for (const syntax::Tree& target : node.list) read_places(*target, live);
      return read(node.part(0), live);
    case syntax::Kind::annotated_assign:
      kill(node.part(0), live);
      if (node.has_part(2)) read(node.part(2), live);
      return read(node.part(1), live);
    case syntax::Kind::return_: live.clear(); break;
    case syntax::Kind::break_: live = exits.broke ? *exits.broke : Names(); return;
    case syntax::Kind::continue_: live = exits.continued ? *exits.continued : Names(); return;
    case syntax::Kind::function: live.erase(node.name); break;
    default: break;
  }
  for_each_part(node, [&](const syntax::Node& part) { read(part, live); });
}

}  // namespace tilelab::elaborate
