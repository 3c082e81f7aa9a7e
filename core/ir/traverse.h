// SPDX-License-Identifier: Apache-2.0
// Walking and rewriting, generic over the field lists. Unchanged nodes keep their identity. All of
// it ends with Cancelled when the user interrupts it (core/support/interrupt.h).
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

/// The node with its direct children replaced; the same node where nothing changed.
Expr map_children(const Expr& expr, FunctionRef<Expr(const Expr&)> on_expr);
Stmt map_children(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr,
                  FunctionRef<Stmt(const Stmt&)> on_stmt);

/// The same for direct children that are expressions, or statements.
void for_each_expr(const Node& node, FunctionRef<void(const Expr&)> on_expr);
void for_each_stmt(const Node& node, FunctionRef<void(const Stmt&)> on_stmt);
Stmt map_stmts(const Stmt& stmt, FunctionRef<Stmt(const Stmt&)> on_stmt);

/// The statements of a list; of another statement that one.
std::vector<Stmt> statements_of(const Stmt& stmt);

/// Every node below and including `node`, parents first. `enter` returns whether to go below.
void walk(const Node& node, FunctionRef<bool(const Node&)> enter);
/// The first node below and including `root`, parents first, that is `wanted`; null: none is.
/// Without `exprs` expressions are not visited.
const Node* find_node(const Node& root, bool exprs, FunctionRef<bool(const Node&)> wanted);

/// What a handler of `for_each` and `any_of` takes: Node, StmtNode, ExprNode or the struct of a
/// kind.
template <class F> struct Handled : Handled<decltype(&std::remove_cvref_t<F>::operator())> {};
template <class R, class N> struct Handled<R (&)(const N&)> { using Type = N; };
template <class C, class R, class N> struct Handled<R (C::*)(const N&)> { using Type = N; };
template <class C, class R, class N> struct Handled<R (C::*)(const N&) const> { using Type = N; };

/// The node as what the handler takes; null if it is something else.
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
/// Whether such nodes are, or are among, expressions.
template <class N>
constexpr bool kAmongExprs = std::is_same_v<N, Node> || std::is_base_of_v<ExprNode, N>;

template <class... F> void handle(const Node& node, F&... handlers) {
  auto apply = [](auto& handler, auto* as_handled) {
    if (as_handled) handler(*as_handled);
  };
  (apply(handlers, handled<typename Handled<F&>::Type>(node)), ...);
}

/// Calls those of `handlers` that take a node's kind, for every node below and including `root`,
/// parents first: for_each(*body, [&](const Let& let) { ... }, [&](const Load& load) { ... }).
/// Expressions are visited if a handler takes any.
template <class... F> void for_each(const Node& root, F&&... handlers) {
  find_node(root, (kAmongExprs<typename Handled<F>::Type> || ...),
            [&](const Node& node) { return handle(node, handlers...), false; });
}
/// The same for the statements of the host section, kernels included, and nothing inside them.
void visit_host(const Func& func, FunctionRef<void(const Node&)> f);
template <class... F> void for_each_of_host(const Func& func, F&&... handlers) {
  visit_host(func, [&](const Node& node) { handle(node, handlers...); });
}
/// Whether one of `wanted` holds for a node of the kind that it takes, below or including `root`.
template <class... F> bool any_of(const Node& root, F&&... wanted) {
  auto holds = [](auto& test, auto* as_handled) { return as_handled && test(*as_handled); };
  return find_node(root, (kAmongExprs<typename Handled<F>::Type> || ...), [&](const Node& node) {
    return (holds(wanted, handled<typename Handled<F>::Type>(node)) || ...);
  });
}
/// Whether there is a node of one of the kinds: contains<Load, Region>(*value).
template <class... N> bool contains(const Node& root) {
  return any_of(root, [](const N&) { return true; }...);
}
/// The same of one of the calls.
bool calls(const Node& root, std::initializer_list<Intrinsic> intrinsics);
/// Whether the name, or one of the names, occurs in an expression or anywhere in a statement.
bool mentions(const Node& root, Symbol id);
inline bool mentions(const Expr& expr, Symbol id) { return mentions(*expr, id); }
template <class Names> bool mentions_any(const Node& root, const Names& names) {
  return any_of(root, [&](const Name& name) { return names.count(name.id) != 0; });
}
/// Whether no call in it has an effect.
bool is_pure(const Expr& value);
/// Whether `value` is the same wherever its names are known: of no name among `vars`, no memory
/// and no call.
template <class Names> bool is_invariant(const Expr& value, const Names& vars) {
  return !any_of(*value, [&](const ExprNode& e) {
    const Name* name = as<Name>(&e);
    return name ? vars.count(name->id) != 0
                : e.kind == Kind::Load || e.kind == Kind::Region || e.kind == Kind::Call;
  });
}

/// Whether there are fewer than `limit` nodes below and including `node`.
bool is_smaller(const Node& node, int limit);
/// Lets whose value, with others written out in it, is longer stay names: each may use those before
/// it twice.
constexpr int kLongestLet = 256;

/// Memory that a statement itself works on, as its field list says (node.h, `Is`): tile operations'
/// regions and workspaces, what a store writes. What its expressions read (loads, calls) is not
/// among it.
struct Operand {
  const Region* region =
      nullptr;  // null: the whole `buffer`, or the part that `dims` of a Store say
  Symbol buffer;
  bool read = false, written = false;
};
std::vector<Operand> operands_of(const Node& stmt);

/// Whether `node` or what is below it reads elements of the buffer: a load, or a region as a value.
bool reads(const Node& node, Symbol buffer);

/// Bottom-up: children first, then `f` on the result. A null result of `on_stmt` removes the
/// statement from its Seq.
Expr rewrite(const Expr& expr, FunctionRef<Expr(const Expr&)> f);
Stmt rewrite(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr,
             FunctionRef<Stmt(const Stmt&)> on_stmt);
/// Expressions only, or statements only.
Stmt rewrite_exprs(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr);
Stmt rewrite_stmts(const Stmt& stmt, FunctionRef<Stmt(const Stmt&)> on_stmt);
/// The function with its kernels replaced; what they become is joined with the host section.
FuncRef rewrite_kernels(const FuncRef& func, FunctionRef<Stmt(const Kernel&)> f);

/// Replaces names by values. The values' own names must not be bound inside.
using Substitution = std::unordered_map<Symbol, Expr>;
Expr substitute(const Expr& expr, const Substitution& values);
Stmt substitute(const Stmt& stmt, const Substitution& values);

/// Renames buffers, views, vars, lets and loop variables, at their declarations and uses.
using NewNames = std::unordered_map<Symbol, Symbol>;
Stmt rename(const Stmt& stmt, const NewNames& names);
Expr rename(const Expr& expr, const NewNames& names);
/// The same for what the statement itself names: neither for its expressions nor what it contains.
Stmt rename_itself(const Stmt& stmt, const NewNames& names);

/// All buffers declared in a function by name: parameters, workspaces, declarations in kernels.
/// Names of buffers are unique within a function.
using BufferTable = std::unordered_map<Symbol, const Buffer*>;
BufferTable buffers_of(const Func& func);
BufferTable buffers_of(const Stmt& stmt);

/// The views declared below a node, by name.
struct BufferViews : std::unordered_map<Symbol, const View*> {
  /// The buffer behind a view, through others; `name` itself where it is none.
  Symbol base_of(Symbol name) const;
};
BufferViews views_of(const Node& root);

/// A symbol `base`, `base_1`, ... that is not in `taken`; the result is added to it.
Symbol fresh_name(Symbol base, std::unordered_map<Symbol, int>& taken);
/// Every name that is declared or used anywhere in the function.
std::unordered_map<Symbol, int> names_in(const Node& node);

/// A function's statement `body` changed for another.
FuncRef with_body(const FuncRef& func, Stmt body);

}  // namespace tilelab
