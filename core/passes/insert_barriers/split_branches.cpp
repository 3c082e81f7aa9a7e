// SPDX-License-Identifier: Apache-2.0
#include "core/passes/insert_barriers/pending_accesses.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "core/analysis/bindings.h"
#include "core/analysis/effects.h"
#include "core/analysis/foreign.h"
#include "core/ir/build.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/thread_range.h"
#include "core/passes/insert_barriers/barrier_accesses.h"
#include "core/passes/insert_barriers/barrier_points.h"

namespace tilelab {
namespace {

/// Statements of a branch that need no barrier between them, or a single loop or branch that needs
/// one inside.
struct BranchPart {
  std::vector<Stmt> stmts;
  bool needs_barrier = false;  // needs a barrier inside its one statement
  size_t lets = 0;             // how many invariant lets of the branch precede it
};

/// An explicit barrier of any scope: the program is responsible for which threads reach it.
bool is_explicit_barrier(const Stmt& stmt) {
  const Call* call = called(stmt);
  return call && info(call->intrinsic).step == Step::sync;
}

Symbol declared(const Stmt& stmt) {
  if (const Let* let = as<Let>(stmt)) return let->name;
  if (const Var* var = as<Var>(stmt)) return var->name;
  return {};
}

/// The names that statements read or assign to.
std::unordered_set<Symbol> used_in(const std::vector<Stmt>& stmts) {
  std::unordered_set<Symbol> names;
  for (const Stmt& stmt : stmts)
    for_each(
        *stmt, [&](const Name& use) { names.insert(use.id); },
        [&](const Assign& assign) { names.insert(assign.name); });
  return names;
}

/// Invariant lets of a branch: every part gets copies of those that it uses.
struct InvariantLets {
  std::vector<Stmt> stmts;
  Substitution values;  // with the other lets substituted

  void add(const Stmt& stmt) {
    stmts.push_back(stmt);
    values[to<Let>(stmt).name] = substitute(to<Let>(stmt).value, values);
  }
  /// The part's statements, preceded by the lets that they use.
  std::vector<Stmt> before(const BranchPart& part) const {
    std::unordered_set<Symbol> used = used_in(part.stmts);
    std::vector<Stmt> out(part.stmts.rbegin(), part.stmts.rend());
    for (size_t i = part.lets; i-- > 0;)
      if (used.count(to<Let>(stmts[i]).name))
        out.push_back(stmts[i]), used.merge(used_in({stmts[i]}));
    std::reverse(out.begin(), out.end());
    return out;
  }
};

/// How often each name is declared; adds variables to `variables`.
std::unordered_map<Symbol, int> declarations_in(const Stmt& body,
                                                std::unordered_set<Symbol>& variables) {
  std::unordered_map<Symbol, int> counts;
  for_each(*body, [&](const StmtNode& node) {
    for_each_bound(node, [&](Symbol name) { ++counts[name]; });
    if (const Var* var = as<Var>(&node)) variables.insert(var->name);
  });
  return counts;
}

class ExchangeSplitter : BarrierAccesses {
 public:
  ExchangeSplitter(const Func& func, const Kernel& kernel, Diagnostics& diagnostics)
      : BarrierAccesses(func, kernel),
        diagnostics_(diagnostics),
        taken_(names_in(func)),
        declarations_(declarations_in(kernel.body, variables_)),
        whole_{0, kernel.block},
        table_(kernel.block) {}

  /// Visits a statement that all threads of the block or role reach.
  Stmt visit(const Stmt& stmt) {
    switch (stmt->kind) {
      case Kind::Seq: break;
      case Kind::Role: {
        const ThreadRange around =
            std::exchange(whole_, {0, to<Role>(stmt).hi - to<Role>(stmt).lo});
        Stmt out = inside(stmt);
        whole_ = around;
        return out;
      }
      case Kind::For:
      case Kind::While:
      case Kind::TileLoop:
        if (!varying_(*stmt)) break;
        if (!has_tile_operation(stmt) && exchanges({stmt})) report_unsplittable();
        return stmt;
      case Kind::If:
        if (!varying_(*stmt)) break;
        return has_tile_operation(stmt) || is_native(to<If>(stmt)) ? stmt : branch(stmt);
      default: return stmt;
    }
    return inside(stmt);
  }

 private:
  Stmt inside(const Stmt& stmt) {
    return map_stmts(stmt, [&](const Stmt& s) { return visit(s); });
  }

  // ---- exchanges between threads

  struct Found {
    int before = -1, now = -1;
  };

  /// Tracks what a statement's threads access; records the first hazard between two of them.
  void follow(const Stmt& stmt, PendingAccesses& pending) {
    if (is_explicit_barrier(stmt)) return pending.clear();
    if (!as<Seq>(stmt)) touch(stmt, pending);
    if (const If* branch = as<If>(stmt)) {
      // A foreign function does not synchronize, so neither does its model.
      if (is_native(*branch)) return follow(branch->then_, pending);
      PendingAccesses other = pending;
      follow(branch->then_, pending);
      if (branch->else_) follow(branch->else_, other);
      return pending.add(other, table_);
    }
    const bool loop = as<For>(stmt) || as<While>(stmt);
    for (int round = 0; round < (loop ? 2 : 1); ++round)  // twice: loop-carried hazards
      for_each_stmt(*stmt, [&](const Stmt& s) { follow(s, pending); });
  }

  void touch(const Stmt& stmt, PendingAccesses& pending) {
    Accesses accesses;
    add(effects(*stmt), nullptr, accesses);
    std::vector<int> numbers;
    for (MemoryAccess& access : accesses) {
      if (!access.span.known()) access.span = stmt->span;
      const Symbol memory = root(access.buffer);
      numbers.push_back(table_.number(std::move(access), memory, place_of(memory)));
    }
    for (int now : numbers)
      pending.hazards(now, table_, [&](int, int before) {
        if (found_.now < 0) found_ = {before, now};
      });
    for (int now : numbers) pending.add(now, table_);
  }

  bool exchanges(const std::vector<Stmt>& stmts) {
    found_ = {};
    PendingAccesses pending;
    for (const Stmt& stmt : stmts) follow(stmt, pending);
    return found_.now >= 0;
  }

  // ---- splitting

  Stmt branch(const Stmt& stmt) {
    const If& s = to<If>(stmt);
    const bool any = (s.then_ && several(s) && exchanges({if_then(s.cond, s.then_)})) ||
                     (s.else_ && exchanges({if_then(s.cond, s.else_)}));
    if (!any) return stmt;
    std::vector<Stmt> out;
    split_sides(s, nullptr, stmt->span, out);
    return seq(std::move(out));
  }

  /// Whether more than one thread may take the branch. The leading conditions on the thread's index
  /// decide, since they guard the evaluation of the others.
  bool several(const If& s) const {
    std::vector<Expr> parts;
    conjuncts(s.cond, parts);
    ThreadRange most = whole_;
    for (const Expr& part : parts) {
      const auto narrower = threads_where(part, most);
      if (!narrower) break;
      most = *narrower;
    }
    return most.count() > 1;
  }

  /// Splits both sides of a branch under the condition `around` (null: all threads); the condition
  /// gets a name.
  void split_sides(const If& s, const Expr& around, Span span, std::vector<Stmt>& out) {
    const Expr here = name_it(land(around, s.cond), span, out);
    split_body(here, s.then_, out);
    if (s.else_)
      split_body(name_it(land(around, unary(UnOp::lnot, here)), span, out), s.else_, out);
  }

  /// An invariant condition is evaluated again by every part and needs no name.
  Expr name_it(const Expr& condition, Span span, std::vector<Stmt>& out) {
    if (invariant(condition)) return condition;
    const Symbol name = fresh_name("comes", taken_);
    out.push_back(at(span, let(name, condition)));
    return name_ref(name, condition->type);
  }

  /// Whether a thread computes the same value everywhere.
  bool invariant(const Expr& value) const { return is_invariant(value, variables_); }

  bool is_invariant_let(const Stmt& stmt) const {
    const Let* let = as<Let>(stmt);
    return let && invariant(let->value);
  }

  /// Splits `body`, which the threads with `condition` run, into parts with points between them
  /// that all threads reach.
  void split_body(const Expr& condition, const Stmt& body, std::vector<Stmt>& out) {
    std::vector<BranchPart> parts;
    PendingAccesses pending;  // of the last part
    InvariantLets lets;
    for (const Stmt& stmt : with_fresh_names(statements_of(body))) {
      if (as<Buffer>(stmt) || as<View>(stmt)) {
        out.push_back(substitute(stmt, lets.values));
        continue;
      }
      if (is_invariant_let(stmt)) {
        lets.add(stmt);
        if (!parts.empty() && !parts.back().needs_barrier) parts.back().stmts.push_back(stmt);
        continue;
      }
      const bool needs_barrier = exchanges({stmt});
      bool begins = needs_barrier || parts.empty() || parts.back().needs_barrier;
      if (!begins) {
        follow(stmt, pending);
        begins = found_.now >= 0;
      }
      if (begins) {
        parts.push_back({{}, needs_barrier, lets.stmts.size()});
        pending.clear();
        follow(stmt, pending);
      }
      parts.back().stmts.push_back(needs_barrier ? substitute(stmt, lets.values) : stmt);
    }
    share_names(parts, out);
    for (const BranchPart& part : parts) put(condition, part, lets, out);
  }

  void put(const Expr& condition, const BranchPart& part, const InvariantLets& lets,
           std::vector<Stmt>& out) {
    const Stmt& first = part.stmts.front();
    const If* inner = as<If>(first);
    if (part.needs_barrier && inner) return split_sides(*inner, condition, first->span, out);
    const For* loop = as<For>(first);
    const bool splittable =
        loop && !varying_(*first) && same_for_all(*loop) && !contains<Break>(*loop->body);
    if (!part.needs_barrier || !splittable) {
      if (part.needs_barrier && exchanges(part.stmts)) report_unsplittable();
      return out.push_back(at(first->span, if_then(condition, seq(lets.before(part)))));
    }
    std::vector<Stmt> iteration;
    split_body(condition, loop->body, iteration);
    For copy(*loop);
    copy.body = seq(std::move(iteration));
    out.push_back(at(first->span, make(std::move(copy))));
  }

  /// Renames declarations that clash with those of other branches: the split may move them before
  /// the branch.
  std::vector<Stmt> with_fresh_names(std::vector<Stmt> stmts) {
    std::unordered_map<Symbol, Symbol> names;
    for (Stmt& stmt : stmts) {
      if (!names.empty()) stmt = rename(stmt, names);
      if (const Symbol name = declared(stmt);
          name && declarations_[name] > 1 && !is_invariant_let(stmt)) {
        names[name] = fresh_name(name, taken_);
        stmt = rename(stmt, {{name, names[name]}});
      }
      const Let* let = as<Let>(stmt);
      if (let && !is_invariant_let(stmt)) variables_.insert(let->name);  // it may become a variable
    }
    return stmts;
  }

  /// Turns names that later parts use into variables declared before the first part.
  void share_names(std::vector<BranchPart>& parts, std::vector<Stmt>& out) {
    std::unordered_set<Symbol> later;
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      for (Stmt& stmt : part->stmts)
        if (const Symbol name = declared(stmt);
            name && later.count(name) && !is_invariant_let(stmt))
          stmt = assigned(stmt, out);
      later.merge(used_in(part->stmts));
    }
  }

  /// A declaration as an assignment; adds the variable to `out`.
  Stmt assigned(const Stmt& stmt, std::vector<Stmt>& out) {
    const Let* value = as<Let>(stmt);
    const DType dtype = value ? value->value->type.dtype : to<Var>(stmt).dtype;
    const Expr init = value ? value->value : to<Var>(stmt).init;
    out.push_back(at(stmt->span, var(declared(stmt), dtype)));
    shared_.insert(declared(stmt));
    return at(stmt->span, assign(declared(stmt), init ? init : number(0, to<Var>(stmt).dtype)));
  }

  /// Whether threads outside of the branch can evaluate the loop's bounds: no memory, no name of
  /// the branch.
  bool same_for_all(const For& loop) const {
    for (const Expr& bound : {loop.lo, loop.hi, loop.step})
      if (bound && !is_invariant(bound, shared_)) return false;
    return true;
  }

  /// Reports the last hazard found, which splitting cannot resolve.
  void report_unsplittable() {
    CHECK(found_.now >= 0, "there is a hazard to report");
    const MemoryAccess &before = table_[found_.before].access, &now = table_[found_.now].access;
    if (!reported_.insert({before.span.line, now.span.line}).second) return;
    Diagnostic& message =
        diagnostics_.report(Diag::missing_barrier_in_branch, now.span, root(now.buffer));
    message.mark((now.write ? "writes " : "reads ") + root(now.buffer).str());
    if (before.span.known() && before.span != now.span)
      message.label(before.span, "other threads " + std::string(before.write ? "write " : "read ") +
                                     root(before.buffer).str());
    message.help(
        "let all threads reach these lines, and put only single statements under the condition");
  }

  Diagnostics& diagnostics_;
  std::unordered_map<Symbol, int> taken_;
  std::unordered_set<Symbol> variables_;  // names whose values may change
  std::unordered_map<Symbol, int> declarations_;
  ThreadRange whole_;
  AccessTable table_;
  Found found_;
  std::unordered_set<Symbol> shared_;
  std::set<std::pair<uint32_t, uint32_t>> reported_;
};

}  // namespace

Stmt split_exchanges(const Func& func, const Kernel& kernel, Diagnostics& diagnostics) {
  return ExchangeSplitter(func, kernel, diagnostics).visit(kernel.body);
}

}  // namespace tilelab
