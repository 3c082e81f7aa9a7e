// SPDX-License-Identifier: Apache-2.0
#include "core/ir/traverse.h"

#include <algorithm>
#include <optional>

#include "core/ir/build.h"
#include "core/support/interrupt.h"

namespace tilelab {
namespace {

// ---- one overload per field type; the templates ignore fields without nodes

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

/// Rewrites a field; nullopt if nothing changed, so that unchanged nodes are not copied.
struct Mapper {
  FunctionRef<Expr(const Expr&)> on_expr;
  FunctionRef<Stmt(const Stmt&)> on_stmt;

  std::optional<Expr> operator()(const Expr& e) const { return next(e, on_expr); }
  std::optional<Stmt> operator()(const Stmt& s) const { return next(s, on_stmt); }
  std::optional<RegionDim> operator()(const RegionDim& d) const {
    std::optional<Expr> lo = (*this)(d.lo);
    if (!lo) return std::nullopt;
    return RegionDim{std::move(*lo), d.extent, d.point};
  }
  template <class T>
  requires std::is_same_v<T, Expr> || std::is_same_v<T, Stmt> || std::is_same_v<T, RegionDim>
      std::optional<std::vector<T>>
  operator()(const std::vector<T>& items) const {
    std::optional<std::vector<T>> out;
    for (size_t i = 0; i < items.size(); ++i) {
      std::optional<T> changed = (*this)(items[i]);
      if (changed && !out) {
        out.emplace().reserve(items.size());
        out->assign(items.begin(), items.begin() + static_cast<ptrdiff_t>(i));
      }
      if (out) add(*out, changed ? std::move(*changed) : items[i]);
    }
    return out;
  }
  template <class T> std::nullopt_t operator()(const T&) const { return std::nullopt; }

 private:
  template <class Handle, class F>
  static std::optional<Handle> next(const Handle& node, const F& f) {
    if (!node) return std::nullopt;
    Handle out = f(node);
    if (out.same(node)) return std::nullopt;
    return out;
  }
  template <class T> static void add(std::vector<T>& out, T item) {
    out.push_back(std::move(item));
  }
  static void add(std::vector<Stmt>& out, Stmt item) {  // keeps lists flat and without nulls
    if (const Seq* list = as<Seq>(item))
      out.insert(out.end(), list->stmts.begin(), list->stmts.end());
    else if (item)
      out.push_back(std::move(item));
  }
};

template <class Handle> Handle mapped(const Handle& node, const Mapper& mapper) {
  poll_interrupt();
  return visit(*node, [&](const auto& n) -> Handle {
    using T = std::remove_cvref_t<decltype(n)>;
    if constexpr (requires { Handle(make(T(n))); }) {
      std::optional<T> copy;
      T::fields([&](const char*, auto member, Is = Is::plain) {
        auto changed = mapper(n.*member);
        if constexpr (!std::is_same_v<decltype(changed), std::nullopt_t>)
          if (changed) {
            if (!copy) copy.emplace(n);
            (*copy).*member = std::move(*changed);
          }
      });
      return copy ? Handle(make(std::move(*copy))) : node;
    } else {
      UNREACHABLE("an expression among statements, or the reverse");
    }
  });
}

constexpr auto keep = [](const Stmt& stmt) { return stmt; };

/// Visits every symbol field of every node.
struct Renamer {
  const NewNames& names;
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

template <class Handle> Handle renamed(const Handle& node, const NewNames& names) {
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
  return mapped(expr, Mapper{on_expr, keep});
}

Stmt map_children(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr,
                  FunctionRef<Stmt(const Stmt&)> on_stmt) {
  return mapped(stmt, Mapper{on_expr, on_stmt});
}

void for_each_expr(const Node& node, FunctionRef<void(const Expr&)> on_expr) {
  for_each_child(node, on_expr, [](const Stmt&) {});
}

void for_each_stmt(const Node& node, FunctionRef<void(const Stmt&)> on_stmt) {
  for_each_child(
      node, [](const Expr&) {}, on_stmt);
}

std::vector<Stmt> statements_of(const Stmt& stmt) {
  const Seq* list = as<Seq>(stmt);
  return list ? list->stmts : std::vector<Stmt>{stmt};
}

Stmt map_stmts(const Stmt& stmt, FunctionRef<Stmt(const Stmt&)> on_stmt) {
  return map_children(
      stmt, [](const Expr& e) { return e; }, on_stmt);
}

void walk(const Node& node, FunctionRef<bool(const Node&)> enter) {
  poll_interrupt();
  if (!enter(node)) return;
  for_each_child(
      node, [&](const Expr& e) { walk(*e, enter); }, [&](const Stmt& s) { walk(*s, enter); });
}

const Node* find_node(const Node& root, bool exprs, FunctionRef<bool(const Node&)> wanted) {
  poll_interrupt();
  if (wanted(root)) return &root;
  const Node* found = nullptr;
  auto below = [&](const auto& child) {
    if (!found) found = find_node(*child, exprs, wanted);
  };
  for_each_child(
      root,
      [&](const Expr& e) {
        if (exprs) below(e);
      },
      below);
  return found;
}

const Stmt& only_statement(const Stmt& stmt) {
  const Seq* list = as<Seq>(stmt);
  return list && list->stmts.size() == 1 ? list->stmts[0] : stmt;
}

bool breaks_out(const Node& body) {
  bool found = false;
  walk(body, [&](const Node& node) {
    found |= node.kind == Kind::Break;
    return !found && node.kind != Kind::For && node.kind != Kind::While &&
           node.kind != Kind::TileLoop && group(node.kind) != Group::expr;
  });
  return found;
}

void visit_host(const Func& func, FunctionRef<void(const Node&)> f) {
  walk(*func.body, [&](const Node& node) { return f(node), node.kind == Kind::Seq; });
}

bool calls(const Node& root, std::initializer_list<Intrinsic> intrinsics) {
  return any_of(root, [&](const Call& call) {
    return std::find(intrinsics.begin(), intrinsics.end(), call.intrinsic) != intrinsics.end();
  });
}

bool mentions(const Node& root, Symbol id) {
  return any_of(root, [&](const Name& name) { return name.id == id; });
}

bool is_pure(const Expr& value) {
  return !any_of(*value, [](const Call& call) { return !info(call.intrinsic).pure(); });
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
  auto is_of = [&](const auto& access) { return access.buffer == buffer; };
  return any_of(
      node, [&](const Region& region) { return is_of(region); },
      [&](const Load& load) { return is_of(load); });
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

Stmt rewrite_stmts(const Stmt& stmt, FunctionRef<Stmt(const Stmt&)> on_stmt) {
  return on_stmt(map_stmts(stmt, [&](const Stmt& s) { return rewrite_stmts(s, on_stmt); }));
}

FuncRef rewrite_kernels(const FuncRef& func, FunctionRef<Stmt(const Kernel&)> f) {
  std::vector<Stmt> host;
  auto add = [&](const Stmt& s) {
    const Kernel* kernel = as<Kernel>(s);
    host.push_back(kernel ? at(s->span, f(*kernel)) : s);
  };
  if (func->body->kind == Kind::Seq)
    for_each_stmt(*func->body, add);
  else
    add(func->body);
  return with_body(func, at(func->body->span, seq(std::move(host))));
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

Stmt rename(const Stmt& stmt, const NewNames& names) {
  return rewrite(
      stmt, [&](const Expr& e) { return renamed(e, names); },
      [&](const Stmt& s) { return renamed(s, names); });
}

Expr rename(const Expr& expr, const NewNames& names) {
  return rewrite(expr, [&](const Expr& e) { return renamed(e, names); });
}

Stmt rename_itself(const Stmt& stmt, const NewNames& names) { return renamed(stmt, names); }

BufferTable buffers_of(const Stmt& stmt) {
  BufferTable table;
  for_each(*stmt, [&](const Buffer& buffer) { table.emplace(buffer.name, &buffer); });
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
  for_each(root, [&](const View& view) { table.emplace(view.name, &view); });
  return table;
}

std::unordered_map<Symbol, int> names_in(const Node& node) {
  std::unordered_map<Symbol, int> names;
  std::vector<bool> seen;  // by name ID: most names occur often
  auto add_name = [&](Symbol s) {
    if (s.id() >= seen.size()) seen.resize(2 * size_t(s.id()) + 64);
    if (!seen[s.id()]) seen[s.id()] = true, names.try_emplace(s, 0);
  };
  auto add = [&](const auto& field) {
    using T = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<T, Symbol>) {
      if (field) add_name(field);
    } else if constexpr (std::is_same_v<T, std::vector<Symbol>>) {
      for (Symbol s : field) add_name(s);
    }
  };
  for_each(node, [&](const Node& n) {
    visit(n, [&](const auto& typed) {
      std::remove_cvref_t<decltype(typed)>::fields(
          [&](const char*, auto member, Is = Is::plain) { add(typed.*member); });
    });
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
