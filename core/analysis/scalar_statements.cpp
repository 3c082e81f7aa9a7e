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
  return any_of(
      stmt, [&](const Let& let) { return names.count(let.name) != 0; },
      [&](const Var& var) { return names.count(var.name) != 0; },
      [&](const Assign& assign) { return names.count(assign.name) != 0; });
}

}  // namespace tilelab
