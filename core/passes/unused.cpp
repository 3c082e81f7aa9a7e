// SPDX-License-Identifier: Apache-2.0
#include "core/passes/unused.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/interrupt.h"

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

/// Statements that go where nobody needs what they do.
bool removable(const Node& stmt) {
  if (const Var* var = as<Var>(&stmt)) return !var->init || pure(var->init);
  if (const Assign* assign = as<Assign>(&stmt)) return pure(assign->value);
  if (const Let* let = as<Let>(&stmt)) return pure(let->value);
  if (const If* branch = as<If>(&stmt)) return pure(branch->cond);
  return stmt.kind == Kind::For;
}

/// The name whose value a statement gives; empty for all others.
Symbol defined(const Node& stmt) {
  if (const Var* var = as<Var>(&stmt)) return var->name;
  if (const Assign* assign = as<Assign>(&stmt)) return assign->name;
  if (const Let* let = as<Let>(&stmt)) return let->name;
  return {};
}

/// What is needed: statements with an effect, the loops and branches around them, and whatever
/// gives a value to a name that these read. Each statement is looked at once.
class Needed {
 public:
  explicit Needed(const Stmt& body) {
    enter(*body, nullptr);
    while (!open_.empty()) {
      const Node* stmt = open_.back();
      open_.pop_back();
      for_each_child(
          *stmt, [&](const Expr& e) { read(*e); }, [](const Stmt&) {});
      if (const Symbol name = defined(*stmt)) live(name);
      auto [from, to] = around_.equal_range(stmt);
      for (; from != to; ++from) need(from->second);
    }
  }

  bool operator()(const Node& stmt) const { return needed_.count(&stmt) != 0; }

 private:
  void enter(const Node& stmt, const Node* around) {
    poll_interrupt();
    if (around) around_.emplace(&stmt, around);
    if (const Symbol name = defined(stmt)) definitions_.emplace(name, &stmt);
    const bool may_go = removable(stmt);
    if (!may_go) need(&stmt);
    for_each_child(
        stmt, [](const Expr&) {}, [&](const Stmt& s) { enter(*s, may_go ? &stmt : around); });
  }

  void need(const Node* stmt) {
    if (needed_.insert(stmt).second) open_.push_back(stmt);
  }

  void live(Symbol name) {
    if (!live_.insert(name).second) return;
    auto [from, to] = definitions_.equal_range(name);
    for (; from != to; ++from) need(from->second);
  }

  void read(const Node& expr) {
    walk(expr, [&](const Node& node) {
      if (const Name* name = as<Name>(&node)) live(name->id);
      return true;
    });
  }

  std::unordered_multimap<const Node*, const Node*> around_;  // the loop or branch around each
  std::unordered_multimap<Symbol, const Node*> definitions_;
  std::unordered_set<const Node*> needed_;
  std::unordered_set<Symbol> live_;
  std::vector<const Node*> open_;
};

Stmt swept(const Stmt& stmt, const Needed& needed) {
  if (removable(*stmt) && !needed(*stmt)) return seq({});
  Stmt out = map_children(
      stmt, [](const Expr& e) { return e; }, [&](const Stmt& s) { return swept(s, needed); });
  const Seq* list = as<Seq>(out);
  const bool gaps = list && std::any_of(list->stmts.begin(), list->stmts.end(), empty);
  return gaps ? at(stmt->span, seq(list->stmts)) : out;
}

}  // namespace

Stmt without_unused(const Stmt& body) { return swept(body, Needed(body)); }

}  // namespace tilelab
