// SPDX-License-Identifier: Apache-2.0
#include "core/ir/traverse.h"

#include "core/support/interrupt.h"

namespace tilelab {
namespace {

// ---- one field at a time; fields that hold no nodes fall through to the templates

struct Children {
  FunctionRef<void(const Expr&)> on_expr;
  FunctionRef<void(const Stmt&)> on_stmt;

  void operator()(const Expr& e) const {
    if (e) on_expr(e);
  }
  void operator()(const Stmt& s) const {
    if (s) on_stmt(s);
  }
  void operator()(const RegionDim& d) const { (*this)(d.lo); }
  template <class T>
  requires std::is_same_v<T, Expr> || std::is_same_v<T, Stmt> || std::is_same_v<T, RegionDim>
  void operator()(const std::vector<T>& items) const {
    for (const T& item : items) (*this)(item);
  }
  template <class T> void operator()(const T&) const {}
};

struct Mapper {
  FunctionRef<Expr(const Expr&)> on_expr;
  FunctionRef<Stmt(const Stmt&)> on_stmt;
  bool changed = false;

  void operator()(Expr& e) {
    if (!e) return;
    Expr next = on_expr(e);
    changed |= !next.same(e);
    e = std::move(next);
  }
  void operator()(Stmt& s) {
    if (!s) return;
    Stmt next = on_stmt(s);
    changed |= !next.same(s);
    s = std::move(next);
  }
  void operator()(RegionDim& d) { (*this)(d.lo); }
  void operator()(std::vector<Stmt>& items) {
    std::vector<Stmt> kept;
    kept.reserve(items.size());
    for (Stmt& item : items) {
      (*this)(item);
      if (item) kept.push_back(std::move(item));
    }
    items = std::move(kept);
  }
  template <class T>
  requires std::is_same_v<T, Expr> || std::is_same_v<T, RegionDim>
  void operator()(std::vector<T>& items) {
    for (T& item : items) (*this)(item);
  }
  template <class T> void operator()(T&) {}
};

template <class Handle> Handle mapped(const Handle& node, Mapper& mapper) {
  poll_interrupt();
  return visit(*node, [&](const auto& n) -> Handle {
    using T = std::remove_cvref_t<decltype(n)>;
    if constexpr (requires { Handle(make(T(n))); }) {
      T copy(n);
      T::fields([&](const char*, auto member, Is = Is::plain) { mapper(copy.*member); });
      if (!mapper.changed) return node;
      return make(std::move(copy));
    } else {
      UNREACHABLE("an expression among statements, or the reverse");
    }
  });
}

constexpr auto keep = [](const Stmt& stmt) { return stmt; };

/// Visits every symbol field of every node.
struct Renamer {
  const std::unordered_map<Symbol, Symbol>& names;
  bool changed = false;

  void operator()(Symbol& s) {
    if (auto it = names.find(s); it != names.end() && it->second != s)
      s = it->second, changed = true;
  }
  void operator()(std::vector<Symbol>& list) {
    for (Symbol& s : list) (*this)(s);
  }
  template <class T> void operator()(T&) {}
};

template <class Handle>
Handle renamed(const Handle& node, const std::unordered_map<Symbol, Symbol>& names) {
  return visit(*node, [&](const auto& n) -> Handle {
    using T = std::remove_cvref_t<decltype(n)>;
    if constexpr (requires { Handle(make(T(n))); }) {
      T copy(n);
      Renamer renamer{names};
      T::fields([&](const char*, auto member, Is = Is::plain) { renamer(copy.*member); });
      return renamer.changed ? Handle(make(std::move(copy))) : node;
    } else {
      UNREACHABLE("an expression among statements, or the reverse");
    }
  });
}

}  // namespace

void for_each_child(const Node& node, FunctionRef<void(const Expr&)> on_expr,
                    FunctionRef<void(const Stmt&)> on_stmt) {
  Children children{on_expr, on_stmt};
  visit(node, [&](const auto& n) {
    std::remove_cvref_t<decltype(n)>::fields(
        [&](const char*, auto member, Is = Is::plain) { children(n.*member); });
  });
}

Expr map_children(const Expr& expr, FunctionRef<Expr(const Expr&)> on_expr) {
  Mapper mapper{on_expr, keep};
  return mapped(expr, mapper);
}

Stmt map_children(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr,
                  FunctionRef<Stmt(const Stmt&)> on_stmt) {
  Mapper mapper{on_expr, on_stmt};
  return mapped(stmt, mapper);
}

void walk(const Node& node, FunctionRef<bool(const Node&)> enter) {
  poll_interrupt();
  if (!enter(node)) return;
  for_each_child(
      node, [&](const Expr& e) { walk(*e, enter); }, [&](const Stmt& s) { walk(*s, enter); });
}

namespace {

void add_operand(const Expr& e, Is is, std::vector<Operand>& out) {
  if (const Region* region = as<Region>(e))
    out.push_back({region, region->buffer, has(is, Is::read), has(is, Is::written)});
}
void add_operand(Symbol name, Is is, std::vector<Operand>& out) {
  if (name) out.push_back({nullptr, name, has(is, Is::read), has(is, Is::written)});
}
void add_operand(const std::vector<Symbol>& names, Is is, std::vector<Operand>& out) {
  for (Symbol name : names) add_operand(name, is, out);
}
template <class X> void add_operand(const X&, Is, std::vector<Operand>&) {}

}  // namespace

std::vector<Operand> operands_of(const Node& stmt) {
  std::vector<Operand> out;
  visit(stmt, [&](const auto& n) {
    std::remove_cvref_t<decltype(n)>::fields([&](const char*, auto member, Is is = Is::plain) {
      if (has(is, Is::updated)) add_operand(n.*member, is, out);
    });
  });
  return out;
}

bool is_smaller(const Node& node, int limit) {
  walk(node, [&](const Node&) { return --limit > 0; });
  return limit > 0;
}

bool reads(const Node& node, Symbol buffer) {
  bool found = false;
  walk(node, [&](const Node& below) {
    const Region* region = as<Region>(&below);
    const Load* load = as<Load>(&below);
    found |= (region && region->buffer == buffer) || (load && load->buffer == buffer);
    return !found;
  });
  return found;
}

Expr rewrite(const Expr& expr, FunctionRef<Expr(const Expr&)> f) {
  return f(map_children(expr, [&](const Expr& e) { return rewrite(e, f); }));
}

Stmt rewrite(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr,
             FunctionRef<Stmt(const Stmt&)> on_stmt) {
  return on_stmt(map_children(
      stmt, [&](const Expr& e) { return rewrite(e, on_expr); },
      [&](const Stmt& s) { return rewrite(s, on_expr, on_stmt); }));
}

Stmt rewrite_exprs(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr) {
  return rewrite(stmt, on_expr, keep);
}

Expr substitute(const Expr& expr, const Substitution& values) {
  return rewrite(expr, [&](const Expr& e) {
    if (const Name* name = as<Name>(e))
      if (auto it = values.find(name->id); it != values.end()) return it->second;
    return e;
  });
}

Stmt substitute(const Stmt& stmt, const Substitution& values) {
  return map_children(
      stmt, [&](const Expr& e) { return substitute(e, values); },
      [&](const Stmt& s) { return substitute(s, values); });
}

Stmt rename(const Stmt& stmt, const std::unordered_map<Symbol, Symbol>& names) {
  return rewrite(
      stmt, [&](const Expr& e) { return renamed(e, names); },
      [&](const Stmt& s) { return renamed(s, names); });
}

BufferTable buffers_of(const Stmt& stmt) {
  BufferTable table;
  walk(*stmt, [&](const Node& node) {
    if (group(node.kind) == Group::expr) return false;
    if (const Buffer* buffer = as<Buffer>(&node)) table.emplace(buffer->name, buffer);
    return true;
  });
  return table;
}

BufferTable buffers_of(const Func& func) {
  BufferTable table = buffers_of(func.body);
  for (const Stmt& param : func.params)
    if (const Stmt& tensor = to<Param>(param).tensor)
      table.emplace(to<Buffer>(tensor).name, as<Buffer>(tensor));
  return table;
}

Symbol BufferViews::base_of(Symbol name) const {
  for (auto it = find(name); it != end(); it = find(name)) name = it->second->buffer;
  return name;
}

BufferViews views_of(const Node& root) {
  BufferViews table;
  walk(root, [&](const Node& node) {
    if (const View* view = as<View>(&node)) table.emplace(view->name, view);
    return group(node.kind) != Group::expr;
  });
  return table;
}

std::unordered_map<Symbol, int> names_in(const Node& node) {
  std::unordered_map<Symbol, int> names;
  auto add = [&](const auto& field) {
    using T = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<T, Symbol>) {
      if (field) names.emplace(field, 0);
    } else if constexpr (std::is_same_v<T, std::vector<Symbol>>) {
      for (Symbol s : field) names.emplace(s, 0);
    }
  };
  walk(node, [&](const Node& n) {
    visit(n, [&](const auto& typed) {
      std::remove_cvref_t<decltype(typed)>::fields(
          [&](const char*, auto member, Is = Is::plain) { add(typed.*member); });
    });
    return true;
  });
  return names;
}

Symbol fresh_name(Symbol base, std::unordered_map<Symbol, int>& taken) {
  auto [it, fresh] = taken.emplace(base, 0);
  if (fresh) return base;
  for (;;) {
    Symbol candidate(base.str() + "_" + std::to_string(++taken[base]));
    if (taken.emplace(candidate, 0).second) return candidate;
  }
}

FuncRef with_body(const FuncRef& func, Stmt body) {
  Func copy(*func);
  copy.body = std::move(body);
  return make(std::move(copy));
}

}  // namespace tilelab
