// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/divergence.h"

#include "core/ir/tile_op.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

bool thread_intrinsic(Intrinsic intrinsic) {
  // Waits, arrivals and commits are uniform.
  if (info(intrinsic).orders()) return false;
  switch (info(intrinsic).scope) {
    case CollectiveScope::lane:
    case CollectiveScope::warp: return intrinsic != Intrinsic::uniform;
    default: return intrinsic == Intrinsic::leader;
  }
}

}  // namespace

DivergenceAnalysis::DivergenceAnalysis(const Kernel& kernel) {
  for_each(*kernel.body, [&](const Buffer& buffer) {
    if (buffer.scope == Scope::local) locals_.insert(buffer.name);
  });
  find_uses(kernel.body);
  for (const char* own : {"tid", "lane", "warp"}) add(own);
  while (visit(kernel.body, {false, false, {0, kernel.block}})) {
  }
  made_of_.clear();
}

void DivergenceAnalysis::use(const Expr& value, Symbol by) {
  if (!value) return;
  walk(*value, [&](const Node& node) {
    if (const Name* name = as<Name>(&node)) made_of_[name->id].push_back(by);
    if (const Load* load = as<Load>(&node)) made_of_[load->buffer].push_back(by);
    if (const Region* region = as<Region>(&node)) made_of_[region->buffer].push_back(by);
    const Call* call = as<Call>(&node);
    return !call || call->intrinsic != Intrinsic::uniform;
  });
}

void DivergenceAnalysis::find_uses(const Stmt& stmt) {
  if (const Let* let = as<Let>(stmt)) use(let->value, let->name);
  if (const Var* var = as<Var>(stmt)) use(var->init, var->name);
  if (const Assign* assign = as<Assign>(stmt)) use(assign->value, assign->name);
  if (const Symbol own = filled(stmt)) for_each_expr(*stmt, [&](const Expr& e) { use(e, own); });
  for_each_stmt(*stmt, [&](const Stmt& s) { find_uses(s); });
}

Symbol DivergenceAnalysis::filled(const Stmt& stmt) const {
  Symbol name;
  if (const Store* store = as<Store>(stmt)) name = store->buffer;
  if (const Fill* fill = as<Fill>(stmt)) name = to<Region>(fill->dst).buffer;
  if (const Copy* copy = as<Copy>(stmt)) name = to<Region>(copy->dst).buffer;
  return locals_.count(name) ? name : Symbol();
}

bool DivergenceAnalysis::add(Symbol name) {
  if (!names_.insert(name).second) return false;
  std::vector<Symbol> open = {name};
  while (!open.empty()) {
    auto users = made_of_.find(open.back());
    open.pop_back();
    if (users == made_of_.end()) continue;
    for (Symbol user : users->second)
      if (names_.insert(user).second) open.push_back(user);
  }
  return true;
}

bool DivergenceAnalysis::operator()(const Expr& expr) const {
  bool found = false;
  walk(*expr, [&](const Node& node) {
    if (const Name* name = as<Name>(&node)) found |= (*this)(name->id);
    if (const Load* load = as<Load>(&node)) found |= (*this)(load->buffer);
    if (const Region* region = as<Region>(&node)) found |= (*this)(region->buffer);
    if (const Call* call = as<Call>(&node)) {
      if (call->intrinsic == Intrinsic::uniform) return false;
      found |= thread_intrinsic(call->intrinsic);
    }
    return !found;
  });
  return found;
}

bool DivergenceAnalysis::operator()(const Node& stmt) const {
  bool found = false;
  for_each_expr(stmt, [&](const Expr& e) { found |= (*this)(e); });
  if (const Store* store = as<Store>(&stmt)) found |= (*this)(store->buffer);
  if (stmt.kind == Kind::For || stmt.kind == Kind::While || stmt.kind == Kind::TileLoop)
    for_each_stmt(stmt, [&](const Stmt& s) { found |= breaks_divergently(s, false); });
  return found;
}

/// Whether a break of this body's own loop depends on a condition that differs between threads.
bool DivergenceAnalysis::breaks_divergently(const Stmt& body, bool under) const {
  if (!body) return false;
  switch (body->kind) {
    case Kind::Break: return under;
    case Kind::For:
    case Kind::While:
    case Kind::TileLoop: return false;
    default: break;
  }
  if (const If* branch = as<If>(body)) under |= (*this)(branch->cond);
  bool found = false;
  for_each_stmt(*body, [&](const Stmt& s) { found |= breaks_divergently(s, under); });
  return found;
}

/// One propagation step; returns whether a name was added.
bool DivergenceAnalysis::visit(const Stmt& stmt, const Around& around) {
  if (!stmt) return false;
  const bool itself = (*this)(*stmt), varies = around.assigned || itself;
  bool grew = false;
  if (const If* branch = as<If>(stmt); branch && itself) return visit_branches(*branch, around);
  if (const Let* let = as<Let>(stmt)) return (*this)(let->value) && add(let->name);
  if (const Var* var = as<Var>(stmt)) return var->init && (*this)(var->init) && add(var->name);
  if (const Assign* assign = as<Assign>(stmt)) return varies && add(assign->name);
  if (const For* loop = as<For>(stmt)) grew |= (around.diverges || itself) && add(loop->var);
  // Shared and global memory hold one value for all threads; a local buffer is per thread.
  if (const Symbol own = filled(stmt)) return varies && add(own);
  // Iterations of T.Parallel are distributed over threads, but its variables are not
  // thread-dependent.
  Around inner = around;
  if (!as<Parallel>(stmt)) inner.assigned |= itself, inner.diverges |= itself;
  if (const Role* role = as<Role>(stmt)) inner.threads = {0, role->hi - role->lo};
  for_each_stmt(*stmt, [&](const Stmt& s) { grew |= visit(s, inner); });
  return grew;
}

/// The branches of a thread-dependent condition. A branch that a whole thread range takes and that
/// contains tile operations runs uniformly in that range.
bool DivergenceAnalysis::visit_branches(const If& branch, const Around& around) {
  bool grew = false;
  for (bool is_else : {false, true}) {
    const Stmt& body = is_else ? branch.else_ : branch.then_;
    Around inner{true, true, around.threads};
    if (has_tile_operation(body))
      if (auto range = threads_of(branch, is_else, around.threads))
        inner.diverges = around.diverges, inner.threads = *range;
    grew |= visit(body, inner);
  }
  return grew;
}

}  // namespace tilelab
