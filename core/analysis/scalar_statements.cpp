// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/statements.h"

#include "core/ir/traverse.h"

namespace tilelab {

bool is_scalar_statement(const Stmt& stmt) {
  return stmt->kind == Kind::Let || stmt->kind == Kind::Var || stmt->kind == Kind::Assign;
}

bool computes_scalars(const Stmt& stmt) {
  if (!stmt || is_scalar_statement(stmt) || stmt->kind == Kind::Break) return true;
  switch (stmt->kind) {
    case Kind::Seq:
    case Kind::If:
    case Kind::For:
    case Kind::While: break;
    default: return false;
  }
  bool all = true;
  for_each_stmt(*stmt, [&](const Stmt& s) { all = all && computes_scalars(s); });
  return all;
}

bool binds_any(const Node& stmt, const std::unordered_map<Symbol, int>& names) {
  bool found = false;
  walk(stmt, [&](const Node& node) {
    const Let* let = as<Let>(&node);
    const Var* var = as<Var>(&node);
    const Assign* assign = as<Assign>(&node);
    found |= names.count(let ? let->name : var ? var->name : assign ? assign->name : Symbol()) > 0;
    return !found && group(node.kind) != Group::expr;
  });
  return found;
}

}  // namespace tilelab
