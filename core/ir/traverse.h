// SPDX-License-Identifier: Apache-2.0
// Walking and rewriting, generic over the field lists. Unchanged nodes keep their identity. All of
// it ends with Cancelled when the user interrupts it (core/support/interrupt.h).
#pragma once

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

/// Every node below and including `node`, parents first. `enter` returns whether to go below.
void walk(const Node& node, FunctionRef<bool(const Node&)> enter);

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
/// Expressions only.
Stmt rewrite_exprs(const Stmt& stmt, FunctionRef<Expr(const Expr&)> on_expr);

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
