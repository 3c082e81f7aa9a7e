// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/divergence.h"

#include <algorithm>

#include "core/analysis/effects.h"
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

bool calls_thread_intrinsic(const Expr& expr) {
  bool found = false;
  walk(*expr, [&](const Node& node) {
    const Call* call = as<Call>(&node);
    found |= call && thread_intrinsic(call->intrinsic);
    return !found && !(call && call->intrinsic == Intrinsic::uniform);
  });
  return found;
}

}  // namespace

bool reads_any(const Expr& expr, FunctionRef<bool(Symbol)> is) {
  bool found = false;
  walk(*expr, [&](const Node& node) {
    if (const Name* name = as<Name>(&node)) found |= is(name->id);
    if (const Load* load = as<Load>(&node)) found |= is(load->buffer);
    if (const Region* region = as<Region>(&node)) found |= is(region->buffer);
    const Call* call = as<Call>(&node);
    return !found && !(call && call->intrinsic == Intrinsic::uniform);
  });
  return found;
}

bool runs_in_each_thread(const Node& stmt, const DivergenceAnalysis& varying,
                         FunctionRef<Scope(Symbol)> scope_of) {
  const std::vector<Effect> all = effects(stmt);
  return std::any_of(all.begin(), all.end(), [&](const Effect& effect) {
    return !effect.element && scope_of(effect.buffer) == Scope::local &&
           (effect.write || varying(stmt));
  });
}

DivergenceAnalysis::DivergenceAnalysis(const Kernel& kernel) {
  for_each(*kernel.body, [&](const Buffer& buffer) {
    if (buffer.scope == Scope::local) locals_.insert(buffer.name);
  });
  find_uses(kernel.body);
  for (const char* own : {"tid", "lane", "warp"}) add(own);
  while (visit(kernel.body, {.threads = {0, kernel.block}})) {
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
  if (auto users = made_of_.find(name); users != made_of_.end())
    for (Symbol user : users->second) add(user);
  return true;
}

bool DivergenceAnalysis::add(Symbol name, const ThreadRange& range) {
  std::vector<ThreadRange>& of = parts_[name];
  if (std::find(of.begin(), of.end(), range) != of.end()) return false;
  of.push_back(range);
  if (auto users = made_of_.find(name); users != made_of_.end())
    for (Symbol user : users->second) add(user, range);
  return true;
}

bool DivergenceAnalysis::add_assigned(Symbol name, const Stmt& by, const Around& around) {
  bool varies = around.splits;
  for_each_expr(*by, [&](const Expr& e) {
    varies |= varies_within(around.threads, e) || calls_thread_intrinsic(e);
  });
  if (varies) return add(name);
  return around.assigned && add(name, around.threads);
}

bool DivergenceAnalysis::varies_within(const ThreadRange& range, Symbol name) const {
  if (names_.count(name)) return true;
  const auto assigned = parts_.find(name);
  if (assigned == parts_.end()) return false;
  return std::any_of(assigned->second.begin(), assigned->second.end(), [&](const ThreadRange& by) {
    const bool within = by.lo <= range.lo && range.hi <= by.hi;
    return !within && by.lo < range.hi && range.lo < by.hi;
  });
}

bool DivergenceAnalysis::varies_within(const ThreadRange& range, const Expr& expr) const {
  return reads_any(expr, [&](Symbol name) { return varies_within(range, name); });
}

bool DivergenceAnalysis::operator()(const Expr& expr) const {
  return calls_thread_intrinsic(expr) || reads_any(expr, *this);
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
  const bool itself = (*this)(*stmt);
  bool grew = false;
  if (const If* branch = as<If>(stmt); branch && itself) return visit_branches(*branch, around);
  // A value bound once is used where it is bound, under the same conditions.
  if (const Let* let = as<Let>(stmt))
    return add_assigned(let->name, stmt, {.threads = around.threads});
  if (const Var* var = as<Var>(stmt))
    return add_assigned(var->name, stmt, {.threads = around.threads});
  if (const Assign* assign = as<Assign>(stmt)) return add_assigned(assign->name, stmt, around);
  if (const For* loop = as<For>(stmt); loop && (around.diverges || itself))
    grew |= add_assigned(loop->var, stmt, {true, around.splits, true, around.threads});
  // Shared and global memory hold one value for all threads; a local buffer is per thread.
  if (const Symbol own = filled(stmt)) return add_assigned(own, stmt, around);
  // Iterations of T.Parallel are distributed over threads, but its variables are not
  // thread-dependent.
  Around inner = around;
  if (!as<Parallel>(stmt))
    inner.assigned |= itself, inner.splits |= itself, inner.diverges |= itself;
  if (const Role* role = as<Role>(stmt)) inner.threads = {0, role->hi - role->lo};
  for_each_stmt(*stmt, [&](const Stmt& s) { grew |= visit(s, inner); });
  return grew;
}

/// The branches of a thread-dependent condition. A branch that a whole thread range takes runs
/// uniformly in that range.
bool DivergenceAnalysis::visit_branches(const If& branch, const Around& around) {
  bool grew = false;
  const bool splits = around.splits || varies_within(around.threads, branch.cond) ||
                      calls_thread_intrinsic(branch.cond);
  for (bool is_else : {false, true}) {
    const Stmt& body = is_else ? branch.else_ : branch.then_;
    Around inner{true, splits, true, around.threads};
    if (auto range = threads_of(branch, is_else, around.threads)) {
      inner.splits = around.splits, inner.threads = *range;
      if (has_tile_operation(body)) inner.diverges = around.diverges;
    }
    grew |= visit(body, inner);
  }
  return grew;
}

}  // namespace tilelab
