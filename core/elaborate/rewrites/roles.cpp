// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/roles.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/analysis/bindings.h"
#include "core/analysis/statements.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

bool has(const Stmt& stmt, FunctionRef<bool(const Node&)> wanted) {
  return stmt && find_node(*stmt, false, wanted);
}

bool has_effect(const Stmt& stmt) {
  return has(stmt, [](const Node& node) {
    const Group kind = group(node.kind);
    return kind == Group::tile || node.kind == Kind::Parallel || node.kind == Kind::Do ||
           node.kind == Kind::Store;
  });
}

class RoleSplitter {
 public:
  RoleSplitter(const Kernel& kernel, const NamedBarriers& named, Diagnostics& diagnostics)
      : kernel_(kernel),
        named_(named),
        diagnostics_(diagnostics),
        block_{0, kernel.block},
        lets_(lets_of(*kernel.body)) {}

  Stmt run() {
    check_arrivals();
    find_roles();
    if (roles_.size() < 2) return kernel_.body;
    const Stmt body = without_declarations(kernel_.body);
    const Seq* list = as<Seq>(body);
    std::vector<Stmt> stmts = list ? list->stmts : std::vector<Stmt>{body};
    auto splits = [&](const Stmt& s) {
      return has(s, [&](const Node& n) { return selects_roles(n); });
    };
    const auto first = std::find_if(stmts.begin(), stmts.end(), splits);
    const auto last = std::find_if(stmts.rbegin(), stmts.rend(), splits).base();
    before_.assign(stmts.begin(), first), after_.assign(last, stmts.end());
    for (size_t r = 0; r < roles_.size(); ++r) {
      role_ = r;
      std::vector<Stmt> own;
      for (auto it = first; it != last; ++it) own.push_back(slice(*it, all_roles()));
      Stmt body_of = seq(std::move(own));
      bodies_.push_back(has_effect(body_of) ? with_scalars(body_of) : nullptr);
    }
    return assembled();
  }

 private:
  using RoleSet = std::vector<bool>;
  RoleSet all_roles() const { return RoleSet(roles_.size(), true); }

  // ---- thread ranges

  /// A named barrier that other threads must reach as well.
  bool named(const Node& node) const {
    const Call* call = called(node);
    return call && named_.has(*call);
  }
  bool waits(const Node& node) const {
    const Call* call = called(node);
    return call && (call->intrinsic == Intrinsic::bar_wait ||
                    (call->intrinsic == Intrinsic::named_sync && named(node)));
  }
  bool waits_in(const Stmt& stmt) const {
    return has(stmt, [&](const Node& node) { return waits(node); });
  }
  bool named_in(const Stmt& stmt) const {
    return has(stmt, [&](const Node& node) { return named(node); });
  }

  /// Reports a deadlock: a wait for a barrier without arrivals.
  void check_arrivals() {
    std::set<Symbol> arrived;
    std::vector<const Node*> open;
    walk(*kernel_.body, [&](const Node& node) {
      const Call* call = called(node);
      if (call && is_named_barrier(call->intrinsic)) return false;  // checked in named_barriers.cpp
      if (waits(node)) open.push_back(&node);
      if (call && info(call->intrinsic).step == Step::arrive && !call->args.empty())
        arrived.insert(to<Region>(call->args[0]).buffer);
      return group(node.kind) != Group::expr;
    });
    for (const Node* node : open) {
      const Symbol barrier = to<Region>(called(*node)->args[0]).buffer;
      if (arrived.insert(barrier).second)
        diagnostics_.report(Diag::barrier_never_signalled, node->span, barrier)
            .help("let the threads that produce the data call T.barrier_arrive(" + barrier.str() +
                  ")");
    }
  }

  /// For each thread whether it takes the branch; empty if the condition is not thread-static.
  std::vector<bool> taking_threads(const If& branch) const {
    std::vector<bool> out;
    for (int64_t t = 0; t < kernel_.block; ++t) {
      const ThreadRange one{t, t + 1};
      const bool takes = threads_where(branch.cond, one, lets_, kWarp).has_value();
      if (!takes && !threads_where(unary(UnOp::lnot, branch.cond), one, lets_, kWarp)) return {};
      out.push_back(takes);
    }
    return out;
  }

  /// Whether a branch selects roles: whole warps that execute tile operations or named barriers, or
  /// groups that wait.
  bool selects_roles(const Node& node) {
    const If* branch = as<If>(&node);
    if (!branch) return false;
    auto [known, fresh] = taking_threads_.try_emplace(branch);
    if (fresh) {
      const bool tiles = has_tile_operation(branch->then_) || has_tile_operation(branch->else_);
      const bool wait = waits_in(branch->then_) || waits_in(branch->else_);
      const bool warps = tiles || named_in(branch->then_) || named_in(branch->else_);
      std::vector<bool> taken;
      if (warps || wait) taken = taking_threads(*branch);
      const int64_t step = warps ? kWarp : kGroup;
      for (size_t t = 1; t < taken.size(); ++t)
        if (taken[t] != taken[t - 1] && int64_t(t) % step != 0) taken.clear();
      if (std::adjacent_find(taken.begin(), taken.end(), std::not_equal_to<>()) == taken.end())
        taken.clear();
      known->second = std::move(taken);
    }
    return !known->second.empty();
  }

  /// Roles are created only if some thread range waits for a barrier; otherwise a block barrier
  /// between the branches suffices.
  void find_roles() {
    std::set<int64_t> cuts{0, kernel_.block};
    bool any_waits = false;
    for_each(*kernel_.body, [&](const If& branch) {
      if (!selects_roles(branch)) return;
      any_waits |= waits_in(branch.then_) || waits_in(branch.else_);
      const std::vector<bool>& taken = taking_threads_.at(&branch);
      for (size_t t = 1; t < taken.size(); ++t)
        if (taken[t] != taken[t - 1]) cuts.insert(int64_t(t));
    });
    if (!any_waits) return;
    for (auto it = cuts.begin(); *it < kernel_.block; ++it) roles_.push_back({*it, *std::next(it)});
  }

  // ---- declarations

  /// All memory is declared at the front; placed once the roles are known.
  Stmt without_declarations(const Stmt& body) {
    return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
      if (s->kind != Kind::Buffer && s->kind != Kind::View) return s;
      if (is_at_address(s)) return s;
      declared_.push_back(s);
      if (const View* view = as<View>(s)) base_.emplace(view->name, view->buffer);
      return seq({});
    });
  }

  /// Whether it declares a tensor at an address, or a view of one, which stays after its value.
  bool is_at_address(const Stmt& declared) {
    const View* view = as<View>(declared);
    if (view ? !at_address_.count(view->buffer) : allocates(declared)) return false;
    at_address_.insert(name_of(declared));
    return true;
  }

  static Symbol name_of(const Stmt& declared) {
    const View* view = as<View>(declared);
    return view ? view->name : to<Buffer>(declared).name;
  }
  Symbol root(Symbol name) const {
    for (auto it = base_.find(name); it != base_.end(); it = base_.find(name)) name = it->second;
    return name;
  }

  /// A use of the memory `name`, or of a view of it.
  Span use_of(Symbol name, const Stmt& in) const {
    const Node* user = find_node(*in, false, [&](const Node& node) {
      const Store* store = as<Store>(&node);
      bool uses = store && root(store->buffer) == name;
      for_each_expr(node, [&](const Expr& e) {
        for (const auto& [each, count] : names_in(*e)) uses |= root(each) == name;
      });
      return uses && node.span.known();
    });
    return user ? user->span : Span();
  }
  bool uses(Symbol name, const Stmt& in) const {
    if (!in) return false;
    for (const auto& [each, count] : names_in(*in))
      if (root(each) == name) return true;
    return false;
  }

  // ---- slicing for one role

  void refuse(const Stmt& stmt, const std::string& what) {
    if (!reported_.insert({stmt->span.file, stmt->span.line}).second) return;
    diagnostics_.report(Diag::role_together, stmt->span, what)
        .help("put it under T.ws(...) of one group, before the first T.ws, or after the last");
  }

  /// Whether each thread executes it independently of the others.
  bool is_per_thread(const Stmt& stmt) const {
    if (is_scalar_statement(stmt) || stmt->kind == Kind::Break || declares(stmt)) return true;
    if (const Call* call = called(*stmt)) {
      const IntrinsicInfo& row = info(call->intrinsic);
      if (call->intrinsic == Intrinsic::reg_limit) return true;  // reported in register_budgets.cpp
      return row.orders() && row.scope != CollectiveScope::block;
    }
    if (const Record* record = as<Record>(stmt)) return record->what != RecordKind::print;
    if (const Store* store = as<Store>(stmt)) {
      for (const Stmt& d : declared_)
        if (const Buffer* b = as<Buffer>(d); b && b->name == root(store->buffer))
          return b->scope == Scope::local;
    }
    return false;
  }

  Stmt slice(const Stmt& stmt, const RoleSet& here) {
    if (!stmt) return stmt;
    if (selects_roles(*stmt)) return branch_of_role(stmt, here);
    const bool several = std::count(here.begin(), here.end(), true) > 1;
    switch (stmt->kind) {
      case Kind::Seq:
      case Kind::If:
      case Kind::For:
      case Kind::While:
      case Kind::TileLoop: break;
      default:
        if (!several || is_per_thread(stmt)) return stmt;
        if (Stmt part = own_part(stmt, here)) return part;
        refuse(stmt, name_of_operation(stmt));
        return stmt;
    }
    Stmt out = map_stmts(stmt, [&](const Stmt& s) { return slice(s, here); });
    const bool nothing = stmt->kind != Kind::Seq && !has_effect(out) && has_effect(stmt) &&
                         !has(out, [](const Node& n) { return n.kind == Kind::Assign; });
    if (nothing) return seq({});
    const Seq* list = as<Seq>(out);
    return list ? at(stmt->span, seq(list->stmts)) : at(stmt->span, out);
  }

  /// What this role does of an operation of the roles `here`, whose branch waits for barriers; null
  /// if it can't be divided.
  Stmt own_part(const Stmt& stmt, const RoleSet& here) const {
    return branch_waits_ ? part_of(stmt, workers_of(roles_, here, role_),
                                   [&](Symbol name) { return scope_of(name); })
                         : nullptr;
  }

  Stmt branch_of_role(const Stmt& stmt, const RoleSet& here) {
    const If& branch = to<If>(stmt);
    const std::vector<bool>& taken = taking_threads_.at(&branch);
    RoleSet inside = here;
    for (size_t r = 0; r < roles_.size(); ++r)
      inside[r] = here[r] && taken[size_t(roles_[r].lo)] == taken[size_t(roles_[role_].lo)];
    const bool takes = taken[size_t(roles_[role_].lo)];
    const Stmt& body = takes ? branch.then_ : branch.else_;
    if (!body) return seq({});
    const bool before = std::exchange(branch_waits_, waits_in(body));
    Stmt out = slice(body, inside);
    branch_waits_ = before;
    return out;
  }

  // ---- scalars

  /// Whether every role can repeat the statement, which computes scalars: it reads no memory that
  /// belongs to all threads and changes.
  bool is_repeatable(const Stmt& stmt) const {
    if (is_scalar_statement(stmt) || filled_by(stmt) || declares(stmt)) return true;
    return computes_scalars(stmt) &&
           !any_of(
               *stmt, [](const Region&) { return true; },
               [&](const Load& load) { return is_of_kernel(load.buffer); });
  }

  /// Of a tensor at an address.
  static bool declares(const Stmt& stmt) { return as<Buffer>(stmt) || as<View>(stmt); }

  /// The memory of single threads that the statement fills with a value from outside of the
  /// kernel's memory; an empty name for other statements.
  Symbol filled_by(const Stmt& stmt) const {
    const Fill* fill = as<Fill>(stmt);
    const Store* store = as<Store>(stmt);
    const Expr value = fill ? fill->value : store ? store->value : nullptr;
    if (!value || any_of(*value, [&](const Load& n) { return is_of_kernel(n.buffer); })) return {};
    const Symbol name = root(fill ? to<Region>(fill->dst).buffer : store->buffer);
    return scope_of(name) == Scope::local ? name : Symbol();
  }
  /// Whether the statement gives one of the names its value.
  bool gives(const Stmt& stmt, const std::unordered_map<Symbol, int>& used) const {
    if (declares(stmt)) return used.count(name_of(stmt)) > 0;
    const Symbol filled = filled_by(stmt);
    return filled ? std::any_of(used.begin(), used.end(),
                                [&](const auto& each) { return root(each.first) == filled; })
                  : binds_any(*stmt, used);
  }

  /// The scope of memory that the kernel allocates.
  std::optional<Scope> scope_of(Symbol name) const {
    const Symbol memory = root(name);
    for (const Stmt& d : declared_)
      if (const Buffer* b = as<Buffer>(d); b && b->name == memory) return b->scope;
    return std::nullopt;
  }
  bool is_of_kernel(Symbol name) const { return scope_of(name).has_value(); }

  /// The statements of `stmts` with effects, and the scalars that they need; before a `body` only
  /// the scalars that it needs.
  std::vector<Stmt> needed(const std::vector<Stmt>& stmts, const Stmt& body) const {
    std::unordered_map<Symbol, int> used;
    if (body) used = names_in(*body);
    std::vector<Stmt> out;
    for (size_t i = stmts.size(); i-- > 0;) {
      if (is_repeatable(stmts[i]) ? !gives(stmts[i], used) : bool(body)) continue;
      used.merge(names_in(*stmts[i]));
      out.push_back(stmts[i]);
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  /// The body, preceded by the scalars before the roles that it needs.
  Stmt with_scalars(const Stmt& body) {
    std::vector<Stmt> out = needed(before_, body);
    std::unordered_map<Symbol, int> used = names_in(*body);
    for (const Stmt& s : out) used.merge(names_in(*s));
    for (const Stmt& s : before_)
      if (!is_repeatable(s)) check_unchanged(s, used);
    out.push_back(body);
    return seq(std::move(out));
  }

  /// Reports assignments in `stmt` to variables that other roles use.
  void check_unchanged(const Stmt& stmt, const std::unordered_map<Symbol, int>& used) {
    for_each(*stmt, [&](const Assign& assign) {
      if (used.count(assign.name) && changed_.insert(assign.name).second)
        diagnostics_.report(Diag::role_value, assign.span, assign.name)
            .help("pass it through shared memory, or compute it where it is used");
    });
  }

  // ---- assembly

  Stmt assembled() {
    const Stmt first = seq(needed(before_, nullptr));
    Stmt last = seq(needed(after_, nullptr));
    for (const Stmt& body : bodies_)
      if (body) check_unchanged(body, names_in(*last));
    last = with_scalars(last);
    taken_ = names_in(*kernel_.body);
    std::vector<Stmt> out, roles;
    std::set<Symbol> bound;
    add_bound_names(first, bound);
    last = unique_names(last, bound);
    place_memory(first, last, out);
    for (size_t r = 0; r < roles_.size(); ++r) {
      if (!bodies_[r]) continue;
      Role role;
      role.lo = roles_[r].lo, role.hi = roles_[r].hi;
      role.name = role_name(roles_[r]);
      role.body = unique_names(counted_from_role(bodies_[r], roles_[r]), bound);
      roles.push_back(at(kernel_.body->span, make(std::move(role))));
    }
    out.push_back(first);
    out.insert(out.end(), roles.begin(), roles.end());
    out.push_back(last);
    return seq(std::move(out));
  }

  /// Shared memory stays at the front; fragments and thread-private memory move to the roles that
  /// use them.
  void place_memory(const Stmt& first, const Stmt& last, std::vector<Stmt>& out) {
    std::unordered_map<Symbol, Scope> scope;
    for (const Stmt& d : declared_)
      if (const Buffer* b = as<Buffer>(d)) scope[b->name] = b->scope;
    std::vector<std::vector<Stmt>> own(roles_.size());
    for (const Stmt& d : declared_) {
      const Symbol name = root(name_of(d));
      const bool all = scope[name] != Scope::fragment && scope[name] != Scope::local;
      const bool in_common = uses(name, first) || uses(name, last);
      if (all || in_common) out.push_back(d);
      if (all) continue;
      std::vector<size_t> users;
      for (size_t r = 0; r < roles_.size(); ++r)
        if (uses(name, bodies_[r])) users.push_back(r);
      if (scope[name] == Scope::fragment && as<Buffer>(d) && users.size() + in_common > 1)
        shared_fragment(name, users, first);
      if (in_common && scope[name] == Scope::fragment) continue;
      for (size_t r : users) own[r].push_back(d);
    }
    for (size_t r = 0; r < roles_.size(); ++r) {
      if (!bodies_[r]) continue;
      own[r].push_back(bodies_[r]);
      bodies_[r] = seq(own[r]);
    }
  }

  void shared_fragment(Symbol name, const std::vector<size_t>& users, const Stmt& first) {
    const bool two = users.size() > 1;
    const Span here = use_of(name, bodies_[users.back()]);
    const Span other = two ? use_of(name, bodies_[users[0]]) : use_of(name, first);
    const ThreadRange& one = two ? roles_[users[0]] : block_;
    diagnostics_
        .report(Diag::role_fragment, here, name, threads_text(one),
                threads_text(roles_[users.back()]))
        .label(other, "by threads " + threads_text(one))
        .help("give each of them a fragment, and pass values through T.alloc_shared");
  }

  /// `tid` counts from the role's first thread (ADR 9).
  static Stmt counted_from_role(const Stmt& body, const ThreadRange& role) {
    if (role.lo == 0) return body;
    Substitution values;
    values["tid"] = add(name_ref("tid"), int_const(role.lo));
    values["warp"] = add(name_ref("warp"), int_const(role.lo / kWarp));
    return substitute(body, values);
  }

  /// Renames local names that are already bound elsewhere, for code copied into several roles.
  Stmt unique_names(const Stmt& body, std::set<Symbol>& bound) {
    std::set<Symbol> mine;
    add_bound_names(body, mine);
    std::unordered_map<Symbol, Symbol> names;
    for (Symbol name : mine)
      if (!bound.insert(name).second) names.emplace(name, fresh_name(name, taken_));
    return names.empty() ? body : rename(body, names);
  }

  const Kernel& kernel_;
  const NamedBarriers& named_;
  Diagnostics& diagnostics_;
  const ThreadRange block_;
  Substitution lets_;
  std::unordered_map<const If*, std::vector<bool>> taking_threads_;  // empty: not a role branch
  std::vector<ThreadRange> roles_;
  size_t role_ = 0;
  bool branch_waits_ = false;  // the branch of roles that is sliced waits for a barrier
  std::vector<Stmt> declared_, before_, after_, bodies_;
  std::unordered_map<Symbol, Symbol> base_;  // of views
  std::set<Symbol> at_address_;              // tensors, and views of them
  std::set<std::pair<uint32_t, uint32_t>> reported_;
  std::set<Symbol> changed_;
  std::unordered_map<Symbol, int> taken_;
};

bool has_barriers(const Stmt& body) {
  return has(body, [](const Node& node) {
    const Buffer* buffer = as<Buffer>(&node);
    return buffer && buffer->scope == Scope::barrier;
  });
}

}  // namespace

Stmt with_roles(const Kernel& kernel, const NamedBarriers& named, Diagnostics& diagnostics) {
  if (!has_barriers(kernel.body) && named.empty()) return kernel.body;
  return RoleSplitter(kernel, named, diagnostics).run();
}

}  // namespace tilelab::elaborate
