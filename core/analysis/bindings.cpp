// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/bindings.h"

#include <unordered_set>

#include "core/ir/build.h"
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
  for_each(root, [&](const StmtNode& node) {
    if (const Let* let = as<Let>(&node)) {
      const auto [at, fresh] = values.emplace(let->name, let->value);
      if (!fresh && !equal(at->second, let->value)) several.insert(let->name);
    } else {
      for_each_bound(node, [&](Symbol name) { several.insert(name); });
    }
  });
  for (Symbol name : several) values.erase(name);
  return values;
}

std::set<Symbol> names_bound_in(const Node& root) {
  std::set<Symbol> names;
  for_each(root, [&](const StmtNode& node) {
    for_each_bound(node, [&](Symbol name) { names.insert(name); });
  });
  return names;
}

std::set<Symbol> shadowed_names(const Node& root) {
  std::unordered_set<Symbol> once;
  std::set<Symbol> again;
  for_each(root, [&](const StmtNode& node) {
    for_each_bound(node, [&](Symbol name) {
      if (!once.insert(name).second) again.insert(name);
    });
  });
  return again;
}

namespace {

class BindingRenamer {
 public:
  BindingRenamer(const std::set<Symbol>& names, bool keep_first, FunctionRef<Symbol(Symbol)> fresh)
      : names_(names), keep_first_(keep_first), fresh_(fresh) {}

  /// Lets and variables stay in scope until the end of the enclosing statement.
  Stmt visit(const Stmt& stmt) {
    const size_t outer = bound_.size();
    for_each_bound(*stmt, [&](Symbol name) { bind(name); });
    const bool is_list = stmt->kind == Kind::Seq;
    Stmt out = map_children(
        stmt, [&](const Expr& e) { return now_.empty() ? e : rename(e, now_); },
        [&](const Stmt& inner) {
          const size_t before = bound_.size();
          Stmt seen = visit(inner);
          if (!is_list) end(before);
          return seen;
        });
    if (!now_.empty()) out = rename_itself(out, now_);
    if (stmt->kind != Kind::Let && stmt->kind != Kind::Var) end(outer);
    return at(stmt->span, out);
  }

 private:
  void bind(Symbol name) {
    if (!names_.count(name)) return;
    bound_.push_back(name);
    if (!keep_first_ || !seen_.insert(name).second) now_[name] = fresh_(name);
  }
  /// Ends the scopes of all bindings after the first `count`.
  void end(size_t count) {
    for (; bound_.size() > count; bound_.pop_back()) now_.erase(bound_.back());
  }

  const std::set<Symbol>& names_;
  const bool keep_first_;
  FunctionRef<Symbol(Symbol)> fresh_;
  std::unordered_set<Symbol> seen_;
  std::vector<Symbol> bound_;  // bindings of the enclosing scopes
  NewNames now_;               // new names of the renamed bindings
};

}  // namespace

Stmt rename_shadowed(const Stmt& root, const std::set<Symbol>& names,
                     FunctionRef<Symbol(Symbol)> fresh) {
  return BindingRenamer(names, true, fresh).visit(root);
}

Stmt rename_bindings(const Stmt& root, const std::set<Symbol>& names,
                     FunctionRef<Symbol(Symbol)> fresh) {
  return BindingRenamer(names, false, fresh).visit(root);
}

}  // namespace tilelab
