// SPDX-License-Identifier: Apache-2.0
// insert_barriers: between two tile operations that touch the same memory, one of them writing, the
// threads must meet, unless each element is touched by one and the same thread. Runs on tile
// operations, where an access is a whole buffer and a map, so every hazard is seen once; loops are
// walked twice, so that hazards with the next iteration are, and once where they have been. Sound
// because later passes keep thread <-> iteration and all workspaces are in the IR.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/ir/compare.h"
#include "core/ir/linear.h"
#include "core/ir/thread_range.h"
#include "core/passes/insert_barriers/barrier_points.h"
#include "core/passes/insert_barriers/in_flight.h"
#include "core/passes/insert_barriers/split_branches.h"
#include "core/passes/passes.h"
#include "core/support/rollback.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

using Numbers = InFlight::Numbers;

class BarrierInserter : BarrierAccesses {
 public:
  BarrierInserter(const Func& func, const Kernel& kernel, Diagnostics& diagnostics)
      : BarrierAccesses(func, kernel), diagnostics_(diagnostics), table_(kernel.block) {
    whole_ = threads_ = {0, kernel.block};
    const Target* target = find_target(func.target);
    const bool parts = target && target->has(Feature::part_sync);
    if (parts && kernel.block % (4 * target->lanes) == 0) group_ = 4 * target->lanes;
  }

  Stmt run(const Stmt& body) { return visit(body); }
  int inserted() const { return inserted_; }
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  /// Whether the threads that come here are one group of four warps, which can meet by itself.
  bool one_group() const {
    return group_ > 0 && threads_.count() == group_ && threads_.lo % group_ == 0;
  }

  /// What is pending and what comes, by their numbers.
  struct Hazard {
    int order, place;  // among what is pending, among what comes
    int before, now;
    auto operator<=>(const Hazard&) const = default;
  };

  static std::vector<Hazard> hazards(const PendingAccesses& pending, const Numbers& next,
                                     const AccessTable& table) {
    std::vector<Hazard> out;
    for (size_t i = 0; i < next.size(); ++i)
      pending.hazards(next[i], table, [&](int order, int before) {
        out.push_back({order, int(i), before, next[i]});
      });
    std::sort(out.begin(), out.end());
    return out;
  }

  /// A barrier, if something pending conflicts with what comes.
  Stmt barrier_for(const Numbers& next) {
    std::vector<Hazard> found = hazards(pending_, next, table_);
    const bool meet = threads_ == whole_ || one_group();
    if (!meet)  // some threads alone exchange with other blocks
      std::erase_if(found, [&](const Hazard& each) {
        return access_of(each.before).orders != Ordered::no ||
               access_of(each.now).orders != Ordered::no;
      });
    if (found.empty()) return nullptr;
    const MemoryAccess &before = access_of(found[0].before), &now = access_of(found[0].now);
    reasons_.push_back((now.span.known() ? std::to_string(now.span.line) + ": " : "") +
                       std::string(threads_ != whole_ ? "group_sync"
                                   : in_role_         ? "role_sync"
                                                      : "block_sync") +
                       ": other threads " + did(before) + " " + before.buffer.str() +
                       " before it is " + is_done(now) + " here");
    for (const Hazard& each : found) tell(access_of(each.before), access_of(each.now));
    const bool all = std::any_of(found.begin(), found.end(), [&](const Hazard& each) {
      return global(access_of(each.before).buffer) || global(access_of(each.now).buffer);
    });
    met();
    if (!meet) return refuse(before, now);
    ++inserted_;
    if (threads_ != whole_)
      return do_call(Intrinsic::group_sync, {int_const(threads_.lo / group_)});
    std::vector<Attr> attrs;
    if (all) attrs.push_back(attr("mem", "all"));
    return do_call(in_role_ ? Intrinsic::role_sync : Intrinsic::block_sync, {}, attrs);
  }

  const MemoryAccess& access_of(int number) const { return table_[number].access; }

  Numbers numbers_of(Accesses accesses) {
    Numbers out;
    for (MemoryAccess& access : accesses) {
      const Symbol memory = root(access.buffer);
      out.push_back(table_.number(std::move(access), memory, place_of(memory)));
    }
    return out;
  }

  void add_pending(const Numbers& accesses) {
    for (int access : accesses) pending_.add(access, table_);
    pended_.insert(pended_.end(), accesses.begin(), accesses.end());
  }

  /// Some of the threads would have to meet, and can't.
  Stmt refuse(const MemoryAccess& before, const MemoryAccess& now) {
    if (!first_time(before, now)) return nullptr;
    Diagnostic& message = diagnostics_.report(Diag::range_meets, now.span, "this statement",
                                              threads_.lo, threads_.hi - 1);
    message.mark(does(now) + (" " + root(now.buffer).str()));
    if (before.span.known() && before.span != now.span)
      message.label(before.span,
                    "other threads " + (did(before) + (" " + root(before.buffer).str())));
    message.help("end the `if` between the two, and begin it again: there the whole block meets");
    return nullptr;
  }

  /// Loops are walked twice.
  bool first_time(const MemoryAccess& before, const MemoryAccess& now) {
    return refused_.insert({before.span.file, before.span.line, now.span.file, now.span.line})
        .second;
  }

  /// Upstream repairs a T.sync_threads() that is missing between the lines of threads, and so do
  /// we. Whoever wrote them should know: elsewhere the same lines race.
  void tell(const MemoryAccess& before, const MemoryAccess& now) {
    if (!before.own || !now.own) return;
    if (root(before.buffer) != root(now.buffer)) return;
    if (!before.span.known() || !now.span.known()) return;
    if (!reported_.insert({before.span.file, before.span.line, now.span.file, now.span.line})
             .second)
      return;
    std::string name = root(now.buffer).str();
    bool later =
        std::tie(before.span.line, before.span.col) >= std::tie(now.span.line, now.span.col);
    diagnostics_.report(Diag::barrier_inserted, now.span, did(before), name, is_done(now))
        .mark(does(now) + (" " + name) + (later ? " in the next iteration" : ""))
        .label(before.span, does(before) + (" " + name))
        .help(
            "write T.sync_threads() between the two, where all threads come: out of an `if` of "
            "some, which goes on behind it");
  }

  void leave(const Stmt& stmt, const Numbers& accesses) {
    const Numbers scratch = numbers_of(workspaces(stmt, false));
    if (!scratch.empty()) met();  // the operation meets in between
    Numbers done;  // what copies write is there behind their wait: before, no barrier helps
    std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(done),
                 [&](int access) { return !access_of(access).copied; });
    add_pending(done);
    add_pending(scratch);
  }

  Stmt leaf(const Stmt& stmt) {
    if (is_barrier(stmt)) {
      if (threads_ == whole_) met();
      return stmt;
    }
    if (is_named_sync(stmt)) return met(), stmt;
    if (is_group_barrier(stmt) && one_group()) return met(), stmt;
    Accesses accesses;
    collect(stmt, nullptr, accesses);
    const bool own_code = varying_(*stmt) || (lanes(stmt) && of_threads(*stmt));
    const bool go_on = copies_go_on(stmt);
    for (MemoryAccess& access : accesses) {
      access.own = access.element && own_code;
      access.copied &= go_on && !access.ring;
      if (!access.span.known()) access.span = stmt->span;
    }
    const Numbers own = numbers_of(std::move(accesses));
    Numbers enter = own;
    for (int workspace : numbers_of(workspaces(stmt, true))) enter.push_back(workspace);
    for (int released : numbers_of(ordered_by(stmt, Ordered::released, own_code)))
      enter.push_back(released);
    Stmt barrier = barrier_for(enter);
    leave(stmt, own);
    add_pending(numbers_of(ordered_by(stmt, Ordered::acquired, false)));  // each may do so itself
    add_pending(in_flight_.follow(stmt, own, table_));
    return seq({barrier, stmt});
  }

  /// The threads have met: nothing is pending but what matrix units are still reading.
  void met() {
    pending_.clear();
    for (const Numbers& product : in_flight_.products())
      for (int access : product) pending_.add(access, table_);
  }

  /// Statements in which barriers may stand: every thread comes there equally often.
  bool compound(const Stmt& stmt) const {
    switch (stmt->kind) {
      case Kind::Seq:
      case Kind::Role: return true;
      case Kind::For: return !varying_(*stmt) && !lanes(stmt);
      case Kind::While:
      case Kind::If:
      case Kind::TileLoop: return !varying_(*stmt);
      default: return false;
    }
  }

  /// A loop with its barriers, and what one iteration leaves pending to the next.
  struct Turns {
    Stmt loop;
    Numbers left;
  };

  /// The body of a loop with what it reads to go on. Behind the loop is pending what any way out
  /// leaves: the end of the body, a break, and, unless the loop surely runs, what there was before.
  /// A loop that has been here, in an earlier walk of the loop around it, has its barriers: its
  /// iterations wait for each other, and one walk shows what they must wait for besides.
  Stmt loop_body(const Stmt& body, const Numbers& conditions, bool runs, const Turns* known,
                 Turns& turns) {
    const PendingAccesses entry = pending_;
    PendingAccesses breaks = std::exchange(broken_, {});
    const size_t before = pended_.size();
    if (known)
      for (int access : known->left) pending_.add(access, table_);
    Stmt now = body;
    for (int round = known ? 1 : 0; round < 2; ++round) {
      // In the second what the iteration before left is pending too.
      if (round && !known) pending_.add(entry, table_);
      broken_.clear();
      now = visit(now);
      now = seq({now, barrier_for(conditions)});
      add_pending(conditions);
    }
    const std::unordered_set<int> own(pended_.begin() + int64_t(before), pended_.end());
    pending_.for_each([&](int access) {
      if (own.count(access)) turns.left.push_back(access);
    });
    pending_.add(broken_, table_);
    if (!runs) pending_.add(entry, table_);
    broken_ = std::move(breaks);
    return now;
  }

  /// A branch that a range of the threads takes, with tile operations in it: what it touches is
  /// ready before the condition, and inside of it nothing may have to meet.
  Stmt branches(const Stmt& stmt) {
    const If& branch = to<If>(stmt);
    Accesses touched[2], conditions;
    add(effects(branch.cond), nullptr, conditions);
    for (bool is_else : {false, true}) {
      const Stmt& body = is_else ? branch.else_ : branch.then_;
      if (body) collect(body, nullptr, touched[is_else]);
      for (MemoryAccess& access : touched[is_else])
        if (!access.span.known()) access.span = stmt->span;
    }
    Numbers all = numbers_of(std::move(conditions));
    const Numbers left = numbers_of(std::move(touched[0])),
                  right = numbers_of(std::move(touched[1]));
    all.insert(all.end(), left.begin(), left.end());
    all.insert(all.end(), right.begin(), right.end());
    Stmt barrier = barrier_for(all);
    If out(branch);
    const ThreadRange around = threads_;
    PendingAccesses entry = std::exchange(pending_, {});
    for (bool is_else : {false, true}) {
      const Stmt& body = is_else ? branch.else_ : branch.then_;
      if (!body) continue;
      threads_ = threads_of(branch, is_else, around).value_or(around);
      pending_.clear();
      (is_else ? out.else_ : out.then_) = visit(body);
    }
    threads_ = around;
    apart(left, right, stmt);
    pending_ = std::move(entry);
    add_pending(all);
    return seq({barrier, at(stmt->span, make(std::move(out)))});
  }

  /// What two ranges do at the same time must not depend on each other.
  void apart(const Numbers& left, const Numbers& right, const Stmt& stmt) {
    PendingAccesses others;
    for (int access : left) others.add(access, table_);
    const std::vector<Hazard> found = hazards(others, right, table_);
    if (found.empty()) return;
    const MemoryAccess &before = access_of(found[0].before), &now = access_of(found[0].now);
    if (!first_time(before, now)) return;
    diagnostics_.report(Diag::ranges_race, now.span, root(now.buffer))
        .mark(does(now) + (" " + root(now.buffer).str()))
        .label(before.span, does(before) + (" " + root(before.buffer).str()))
        .label(stmt->span, "each branch is for other threads")
        .help("write two `if`s, one behind the other: between them the block meets");
  }

  bool in_ranges(const Stmt& stmt) const {
    return as<If>(stmt) && varying_(*stmt) && has_tile_operation(stmt);
  }

  /// Roles that stand one behind the other run at the same time: what any of them touches is ready
  /// before the first, and what they have left is pending behind the last.
  Stmt sequence(const Seq& list, Span span) {
    std::vector<Stmt> out;
    for (size_t i = 0; i < list.stmts.size();) {
      if (!as<Role>(list.stmts[i])) {
        out.push_back(visit(list.stmts[i++]));
        continue;
      }
      Accesses touched;
      size_t end = i;
      while (end < list.stmts.size() && as<Role>(list.stmts[end]))
        collect(list.stmts[end++], nullptr, touched);
      out.push_back(barrier_for(numbers_of(std::move(touched))));
      PendingAccesses left = std::exchange(pending_, {});
      for (; i < end; ++i) {
        pending_.clear();
        out.push_back(visit(list.stmts[i]));
        left.add(pending_, table_);
      }
      pending_ = std::move(left);
    }
    return at(span, seq(std::move(out)));
  }

  Stmt role(const Role& role, Span span) {
    Role out(role);
    in_role_ = true;
    const ThreadRange around = std::exchange(whole_, {0, role.hi - role.lo});
    threads_ = whole_;
    first_thread_ = role.lo;
    open_.clear();
    out.body = visit(role.body);
    first_thread_ = 0;
    whole_ = threads_ = around;
    in_role_ = false;
    return at(span, make(std::move(out)));
  }

  /// A slot that its side hands over comes back to it only when the other side is done with it:
  /// what happened in it is over. While one side has several slots, nobody says which is which.
  Stmt ring_op(const RingOp& op, const Stmt& stmt) {
    const bool produces = op.op == RingOpKind::acquire || op.op == RingOpKind::commit;
    int& open = open_[{op.ring, produces}];
    if (op.slot) {
      slots_[op.slot] = op.op;
      ++open;
    } else if (open = std::max(0, open - 1); open == 0) {
      PendingAccesses others;
      pending_.for_each([&](int number) {
        const MemoryAccess& access = access_of(number);
        if (access.ring != op.ring || access.produces != produces) others.add(number, table_);
      });
      pending_ = std::move(others);
    }
    return stmt;
  }

  Stmt visit(const Stmt& stmt) {
    if (const RingOp* op = as<RingOp>(stmt)) return ring_op(*op, stmt);
    if (as<Break>(stmt)) return broken_.add(pending_, table_), stmt;
    if (in_ranges(stmt)) return branches(stmt);
    if (!compound(stmt)) return leaf(stmt);
    if (const Seq* s = as<Seq>(stmt)) return sequence(*s, stmt->span);
    if (const Role* r = as<Role>(stmt)) return role(*r, stmt->span);
    Accesses reads;
    add(effects(*stmt), nullptr, reads);
    const Numbers conditions = numbers_of(std::move(reads));
    Stmt barrier = barrier_for(conditions);
    add_pending(conditions);
    if (is_plain_loop(stmt)) return seq({barrier, plain_loop(stmt)});
    return seq({barrier, inside(stmt, as<While>(stmt) ? conditions : Numbers{})});
  }

  /// What the walk of a part changes, but for what it has told.
  struct State {
    PendingAccesses pending, broken;
    UndoLog<int> pended;
    InFlight in_flight;
    int inserted;
    UndoLog<std::string> reasons;
  };
  /// `entry`: an earlier state, that this one is restored behind or instead of.
  State state(const State* entry = nullptr) const {
    return {pending_,   broken_,   {pended_, entry ? entry->pended.before : pended_.size()},
            in_flight_, inserted_, {reasons_, entry ? entry->reasons.before : reasons_.size()}};
  }
  void restore(State state) {
    pending_ = std::move(state.pending);
    broken_ = std::move(state.broken);
    state.pended.restore(pended_);
    in_flight_ = std::move(state.in_flight);
    inserted_ = state.inserted;
    state.reasons.restore(reasons_);
  }

  /// Iterations that wait only for what was before the loop wait for it once, before the loop.
  Stmt plain_loop(const Stmt& stmt) {
    const State entry = state();
    const Stmt within = inside(stmt, {});
    if (inserted_ == entry.inserted) return within;
    State after = state(&entry);
    restore(entry);
    met();
    const Stmt loop = inside(stmt, {});
    if (inserted_ != entry.inserted) return restore(std::move(after)), within;
    State behind = state(&entry);
    restore(entry);
    Accesses touched;
    collect(stmt, nullptr, touched);
    for (MemoryAccess& access : touched)
      if (!access.span.known()) access.span = stmt->span;
    Stmt barrier = barrier_for(numbers_of(std::move(touched)));
    behind.inserted = inserted_;
    behind.reasons = {reasons_, entry.reasons.before};
    restore(std::move(behind));
    return seq({barrier, loop});
  }

  Stmt inside(const Stmt& stmt, const Numbers& conditions) {
    if (const If* s = as<If>(stmt)) {
      If out(*s);
      PendingAccesses entry = pending_;
      out.then_ = visit(s->then_);
      const PendingAccesses after_then = std::exchange(pending_, std::move(entry));
      if (s->else_) out.else_ = visit(s->else_);
      pending_.add(after_then, table_);
      return make(std::move(out));
    }
    if (const For* loop = as<For>(stmt)) loops_.push_back(loop->var);
    const auto walked = walked_.find(stmt.get());
    const Turns* known = walked == walked_.end() ? nullptr : &walked->second;
    Turns turns;
    turns.loop = map_stmts(stmt, [&](const Stmt& s) {
      return loop_body(s, conditions, surely_runs(stmt), known, turns);
    });
    if (as<For>(stmt)) loops_.pop_back();
    return walked_.insert_or_assign(turns.loop.get(), std::move(turns)).first->second.loop;
  }

  Diagnostics& diagnostics_;
  std::set<std::array<uint32_t, 4>> reported_, refused_;  // file and line, before and now
  AccessTable table_;
  PendingAccesses pending_;
  PendingAccesses broken_;  // pending at the breaks of the innermost loop
  Numbers pended_;          // what ever was pending, in order
  InFlight in_flight_;
  std::unordered_map<const Node*, Turns> walked_;
  bool in_role_ = false;
  std::map<std::pair<Symbol, bool>, int> open_;  // slots that a side of a ring has
  ThreadRange whole_, threads_;                  // of the block or role; that come here
  int64_t group_ = 0;                            // threads of a group that can meet; 0: none can
  int inserted_ = 0;
  std::vector<std::string> reasons_;
};

}  // namespace

FuncRef insert_barriers(const FuncRef& func, PassContext& context) {
  int inserted = 0;
  const FuncRef next = rewrite_kernels(func, [&](const Kernel& kernel) {
    Kernel out(kernel);
    out.body = with_exchanges_apart(*func, kernel, context.diagnostics);
    BarrierInserter inserter(*func, out, context.diagnostics);
    out.body = inserter.run(out.body);
    inserted += inserter.inserted();
    context.reasons.insert(context.reasons.end(), inserter.reasons().begin(),
                           inserter.reasons().end());
    return make(std::move(out));
  });
  context.decide(inserted ? plural(inserted, "barrier") : "none needed");
  return next;
}

}  // namespace tilelab
