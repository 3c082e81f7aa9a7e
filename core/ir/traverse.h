// SPDX-License-Identifier: Apache-2.0
// Traversal and rewriting, generic over the field lists. Unchanged nodes keep their identity. Every
// function throws Cancelled on a user interrupt (core/support/interrupt.h).
#pragma once

#include <initializer_list>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab {

/// Calls `f` with the node as the struct of its kind: visit(node, [](const auto& n) { ... }).
/// The only switch over all kinds.
template <class F> decltype(auto) visit(const Node& node, F&& f) {
  switch (node.kind) {
#define NODE(kind, group) \
  case Kind::kind:        \
    return f(static_cast<const kind&>(node));
#include "core/ir/nodes.def"
#undef NODE
  }
  UNREACHABLE("unknown node kind");
}

/// Direct children, in field order.
void for_each_child(const Node& node, FunctionRef<void(const Expr&)> on_expr,
                    FunctionRef<void(const Stmt&)> on_stmt);

/// The node with its direct children replaced; the same node if nothing changed.
Expr map_children(const Expr& expr, FunctionRef<Expr(const Expr&)> on_expr);
Stmt map_children(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr,
                  FunctionRef<Stmt(const Stmt&)> on_stmt);

/// The same for direct children that are expressions or statements only.
void for_each_expr(const Node& node, FunctionRef<void(const Expr&)> on_expr);
void for_each_stmt(const Node& node, FunctionRef<void(const Stmt&)> on_stmt);
Stmt map_stmts(const Stmt& stmt, FunctionRef<Stmt(const Stmt&)> on_stmt);

/// The statements of a list; any other statement as a list of one.
std::vector<Stmt> statements_of(const Stmt& stmt);

/// Pre-order traversal including `node`. `enter` returns whether to visit the children.
void walk(const Node& node, FunctionRef<bool(const Node&)> enter);
/// The first node that is `wanted`, in pre-order including `root`; null if none. Expressions are
/// visited only with `exprs`.
const Node* find_node(const Node& root, bool exprs, FunctionRef<bool(const Node&)> wanted);

/// The parameter type of a handler of `for_each` and `any_of`: Node, StmtNode, ExprNode or the
/// struct of a kind.
template <class F> struct Handled : Handled<decltype(&std::remove_cvref_t<F>::operator())> {};
template <class R, class N> struct Handled<R (&)(const N&)> { using Type = N; };
template <class C, class R, class N> struct Handled<R (C::*)(const N&)> { using Type = N; };
template <class C, class R, class N> struct Handled<R (C::*)(const N&) const> { using Type = N; };

/// The node as the handler's parameter type; null if it is of another kind.
template <class N> const N* handled(const Node& node) {
  if constexpr (std::is_same_v<N, Node>)
    return &node;
  else if constexpr (std::is_same_v<N, StmtNode>)
    return group(node.kind) != Group::expr ? static_cast<const StmtNode*>(&node) : nullptr;
  else if constexpr (std::is_same_v<N, ExprNode>)
    return group(node.kind) == Group::expr ? static_cast<const ExprNode*>(&node) : nullptr;
  else
    return as<N>(&node);
}
/// Whether N can be an expression.
template <class N>
constexpr bool kAmongExprs = std::is_same_v<N, Node> || std::is_base_of_v<ExprNode, N>;

template <class... F> void handle(const Node& node, F&... handlers) {
  auto apply = [](auto& handler, auto* as_handled) {
    if (as_handled) handler(*as_handled);
  };
  (apply(handlers, handled<typename Handled<F&>::Type>(node)), ...);
}

/// Calls the matching `handlers` for every node including `root`, in pre-order: for_each(*body,
/// [&](const Let& let) { ... }, [&](const Load& load) { ... }). Expressions are visited if a
/// handler accepts any.
template <class... F> void for_each(const Node& root, F&&... handlers) {
  find_node(root, (kAmongExprs<typename Handled<F>::Type> || ...),
            [&](const Node& node) { return handle(node, handlers...), false; });
}
/// The same for the statements of the host section, including kernels but not their bodies.
void visit_host(const Func& func, FunctionRef<void(const Node&)> f);
template <class... F> void for_each_of_host(const Func& func, F&&... handlers) {
  visit_host(func, [&](const Node& node) { handle(node, handlers...); });
}
/// Calls f(name) for every possible parameter of a kernel: the function's tensors and numbers,
/// workspaces, tensor maps and dims.
template <class F> void for_each_argument(const Func& func, F&& f) {
  for (const Stmt& param : func.params) f(to<Param>(param).name);
  for_each_of_host(
      func, [&](const Workspace& w) { f(to<Buffer>(w.buffer).name); },
      [&](const TensorMap& map) { f(map.name); });
  for (const Stmt& dim : func.dims) f(to<Dim>(dim).name);
}
/// Whether a predicate of `wanted` holds for a node of its kind, including `root`.
template <class... F> bool any_of(const Node& root, F&&... wanted) {
  auto holds = [](auto& test, auto* as_handled) { return as_handled && test(*as_handled); };
  return find_node(root, (kAmongExprs<typename Handled<F>::Type> || ...), [&](const Node& node) {
    return (holds(wanted, handled<typename Handled<F>::Type>(node)) || ...);
  });
}
/// Whether the tree contains a node of one of the kinds: contains<Load, Region>(*value).
template <class... N> bool contains(const Node& root) {
  return any_of(root, [](const N&) { return true; }...);
}
/// The only statement of a list; any other statement itself.
const Stmt& only_statement(const Stmt& stmt);
/// Whether the body of a loop leaves it: a Break that belongs to no loop inside.
bool breaks_out(const Node& body);
/// Whether it contains calls of one of the intrinsics.
bool calls(const Node& root, std::initializer_list<Intrinsic> intrinsics);
/// Whether the name, or one of the names, occurs in the expression or statement.
bool mentions(const Node& root, Symbol id);
inline bool mentions(const Expr& expr, Symbol id) { return mentions(*expr, id); }
template <class Names> bool mentions_any(const Node& root, const Names& names) {
  return any_of(root, [&](const Name& name) { return names.count(name.id) != 0; });
}
/// Whether it contains no call with an effect.
bool is_pure(const Expr& value);
/// Whether `value` is invariant while `vars` change: it contains none of them, no memory access and
/// no call.
template <class Names> bool is_invariant(const Expr& value, const Names& vars) {
  return !any_of(*value, [&](const ExprNode& e) {
    const Name* name = as<Name>(&e);
    return name ? vars.count(name->id) != 0
                : e.kind == Kind::Load || e.kind == Kind::Region || e.kind == Kind::Call;
  });
}

/// Whether the tree has fewer than `limit` nodes.
bool is_smaller(const Node& node, int limit);
/// Lets with a longer substituted value remain names: repeated use would grow expressions
/// exponentially.
constexpr int kMaxLetSize = 256;

/// A memory operand of the statement itself, from its field list (node.h, `Is`): regions and
/// workspaces of tile operations, the target of a store. Reads in its expressions (loads, calls)
/// are not included.
struct Operand {
  const Region* region = nullptr;  // null: the whole `buffer`, or the `dims` of a Store
  Symbol buffer;
  bool read = false, written = false;
};
std::vector<Operand> operands_of(const Node& stmt);

/// Whether the tree reads elements of the buffer: by a load, or a region as a value.
bool reads(const Node& node, Symbol buffer);

/// Bottom-up rewriting: children first, then `f` on the result. A null result of `on_stmt` removes
/// the statement from its Seq.
Expr rewrite(const Expr& expr, FunctionRef<Expr(const Expr&)> f);
Stmt rewrite(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr,
             FunctionRef<Stmt(const Stmt&)> on_stmt);
/// Only expressions, or only statements.
Stmt rewrite_exprs(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr);
Stmt rewrite_stmts(const Stmt& stmt, FunctionRef<Stmt(const Stmt&)> on_stmt);
/// Replaces the kernels of a function; resulting lists are merged into the host section.
FuncRef rewrite_kernels(const FuncRef& func, FunctionRef<Stmt(const Kernel&)> f);

/// Replaces names by values. Free names of the values must not be bound inside.
using Substitution = std::unordered_map<Symbol, Expr>;
Expr substitute(const Expr& expr, const Substitution& values);
Stmt substitute(const Stmt& stmt, const Substitution& values);

/// Renames buffers, views, vars, lets and loop variables, at their declarations and uses.
using NewNames = std::unordered_map<Symbol, Symbol>;
Stmt rename(const Stmt& stmt, const NewNames& names);
Expr rename(const Expr& expr, const NewNames& names);
/// The same for names in the statement itself, but not in its expressions or nested statements.
Stmt rename_itself(const Stmt& stmt, const NewNames& names);

/// All buffers declared in a function, by name: parameters, workspaces, declarations in kernels.
/// Buffer names are unique within a function.
using BufferTable = std::unordered_map<Symbol, const Buffer*>;
BufferTable buffers_of(const Func& func);
BufferTable buffers_of(const Stmt& stmt);

/// The views declared below a node, by name.
struct BufferViews : std::unordered_map<Symbol, const View*> {
  /// The buffer underlying a view, transitively; `name` itself if it is not a view.
  Symbol base_of(Symbol name) const;
};
BufferViews views_of(const Node& root);

/// A symbol `base`, `base_1`, ... that is not in `taken`; the result is added to it.
Symbol fresh_name(Symbol base, std::unordered_map<Symbol, int>& taken);
/// Every name that is declared or used in the tree.
std::unordered_map<Symbol, int> names_in(const Node& node);

/// The function with another `body`.
FuncRef with_body(const FuncRef& func, Stmt body);

}  // namespace tilelab
