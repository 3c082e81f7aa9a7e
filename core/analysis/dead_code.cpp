// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/dead_code.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/support/interrupt.h"

namespace tilelab {
namespace {

/// Statements that may be removed if their result is dead.
bool removable(const Node& stmt) {
  if (const Var* var = as<Var>(&stmt)) return !var->init || is_pure(var->init);
  if (const Assign* assign = as<Assign>(&stmt)) return is_pure(assign->value);
  if (const Let* let = as<Let>(&stmt)) return is_pure(let->value);
  if (const If* branch = as<If>(&stmt)) return is_pure(branch->cond);
  return stmt.kind == Kind::For;
}

/// The name that the statement defines; empty if none.
Symbol defined(const Node& stmt) {
  if (const Var* var = as<Var>(&stmt)) return var->name;
  if (const Assign* assign = as<Assign>(&stmt)) return assign->name;
  if (const Let* let = as<Let>(&stmt)) return let->name;
  return {};
}

/// `v = v`, which C compilers warn about.
bool is_self_assignment(const Node& stmt) {
  const Assign* assign = as<Assign>(&stmt);
  const Name* value = assign ? as<Name>(assign->value) : nullptr;
  return value && value->id == assign->name;
}

/// Marks live code by a worklist: statements with effects, the loops and branches around them, and
/// every definition of a name that these read. Each statement is visited once. If a name is
/// redeclared, a use refers to the declaration in scope.
class Needed {
 public:
  explicit Needed(const Stmt& body) {
    Facts roots;
    enter(*body, nullptr, roots);
    for (const Node* declaration : roots.reads) live(declaration);
    while (!open_.empty()) {
      const auto facts = facts_.find(open_.back());
      open_.pop_back();
      if (facts == facts_.end()) continue;  // live anyway
      for (const Node* declaration : facts->second.reads) live(declaration);
      for (const Node* around : facts->second.around) need(around);
    }
  }

  bool operator()(const Node& stmt) const { return needed_.count(&stmt) != 0; }

 private:
  struct Facts {
    std::vector<const Node*> around;  // removable loops and branches; may contain duplicates
    std::vector<const Node*> reads;   // declarations
  };

  /// `roots`: the reads of all statements that are live anyway; only removable ones record their
  /// own reads.
  void enter(const Node& stmt, const Node* around, Facts& roots) {
    poll_interrupt();
    if (is_self_assignment(stmt)) return;
    const bool may_go = removable(stmt);
    Facts& facts = may_go ? facts_[&stmt] : roots;
    if (may_go && around) facts.around.push_back(around);
    if (!may_go) need(around);
    for_each_expr(stmt, [&](const Expr& e) { read(*e, facts); });
    if (const Symbol name = defined(stmt)) define(name, stmt, facts);
    const bool opens = stmt.kind != Kind::Seq;
    for_each_stmt(stmt, [&](const Stmt& s) {
      const size_t mark = hidden_.size();
      enter(*s, may_go ? &stmt : around, roots);
      if (opens) leave(mark);
    });
  }

  void define(Symbol name, const Node& stmt, Facts& facts) {
    if (stmt.kind != Kind::Assign) {
      const Node*& seen = seen_[name];
      hidden_.emplace_back(name, seen);
      seen = &stmt;
    }
    const Node* declaration = seen_[name];
    definitions_[declaration].push_back(&stmt);
    facts.reads.push_back(declaration);
  }

  /// Ends a body: names refer to their previous declarations again.
  void leave(size_t mark) {
    for (; hidden_.size() > mark; hidden_.pop_back())
      seen_[hidden_.back().first] = hidden_.back().second;
  }

  void read(const Node& expr, Facts& facts) {
    for_each(expr, [&](const Name& name) {
      if (auto it = seen_.find(name.id); it != seen_.end()) facts.reads.push_back(it->second);
    });
  }

  void need(const Node* stmt) {
    if (stmt && needed_.insert(stmt).second) open_.push_back(stmt);
  }

  void live(const Node* declaration) {
    if (!declaration || !live_.insert(declaration).second) return;
    for (const Node* definition : definitions_[declaration]) need(definition);
  }

  std::unordered_map<const Node*, Facts> facts_;
  std::unordered_map<const Node*, std::vector<const Node*>> definitions_;  // of each declaration
  std::unordered_map<Symbol, const Node*> seen_;
  std::vector<std::pair<Symbol, const Node*>> hidden_;  // shadowed declarations
  std::unordered_set<const Node*> needed_, live_;
  std::vector<const Node*> open_;
};

Stmt without_dead(const Stmt& stmt, const Needed& needed) {
  if (removable(*stmt) && !needed(*stmt)) return seq({});
  return map_stmts(stmt, [&](const Stmt& s) { return without_dead(s, needed); });
}

}  // namespace

Stmt eliminate_dead_code(const Stmt& body) { return without_dead(body, Needed(body)); }

}  // namespace tilelab
