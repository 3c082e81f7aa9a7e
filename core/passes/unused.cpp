// SPDX-License-Identifier: Apache-2.0
#include "core/passes/unused.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

bool pure(const Expr& e) {
  bool result = true;
  walk(*e, [&](const Node& node) {
    const Call* call = as<Call>(&node);
    result &= !call || info(call->intrinsic).pure();
    return result;
  });
  return result;
}

bool empty(const Stmt& stmt) {
  const Seq* s = as<Seq>(stmt);
  return !stmt || (s && std::all_of(s->stmts.begin(), s->stmts.end(), empty));
}

bool without_effect(const Stmt& stmt, const std::unordered_set<Symbol>& read) {
  if (const Var* var = as<Var>(stmt))
    return !read.count(var->name) && (!var->init || pure(var->init));
  if (const Assign* assign = as<Assign>(stmt))
    return !read.count(assign->name) && pure(assign->value);
  if (const Let* let = as<Let>(stmt)) return !read.count(let->name) && pure(let->value);
  if (const If* s = as<If>(stmt)) return empty(s->then_) && empty(s->else_) && pure(s->cond);
  if (const For* loop = as<For>(stmt)) return empty(loop->body);
  return false;
}

/// Names whose values matter. What a variable gives to itself alone does not; a store with an
/// effect keeps its variable.
std::unordered_set<Symbol> names_read(const Stmt& body) {
  std::unordered_set<Symbol> read;
  auto add = [&](const Node& root, Symbol but) {
    walk(root, [&](const Node& node) {
      if (const Name* n = as<Name>(&node); n && n->id != but) read.insert(n->id);
      return group(node.kind) == Group::expr;
    });
  };
  walk(*body, [&](const Node& node) {
    if (group(node.kind) == Group::expr) return false;  // its statement has read it
    const Assign* assign = as<Assign>(&node);
    if (assign && !pure(assign->value)) read.insert(assign->name);
    for_each_child(
        node, [&](const Expr& e) { add(*e, assign ? assign->name : Symbol()); },
        [](const Stmt&) {});
    return true;
  });
  return read;
}

}  // namespace

Stmt without_unused(const Stmt& body) {
  for (Stmt now = body;;) {
    const std::unordered_set<Symbol> read = names_read(now);
    Stmt next = rewrite(
        now, [](const Expr& e) { return e; },
        [&](const Stmt& s) {
          if (without_effect(s, read)) return seq({});
          const Seq* list = as<Seq>(s);
          const bool gaps = list && std::any_of(list->stmts.begin(), list->stmts.end(), empty);
          return gaps ? at(s->span, seq(list->stmts)) : s;
        });
    if (next.same(now)) return now;
    now = next;
  }
}

}  // namespace tilelab
