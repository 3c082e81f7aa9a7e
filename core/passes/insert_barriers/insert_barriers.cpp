// SPDX-License-Identifier: Apache-2.0
// insert_barriers: inserts a barrier between two tile operations that access the same memory, at
// least one of them writing, unless the same thread accesses each element in both. It runs on tile
// operations, where an access is a whole buffer and a map, so that it sees each hazard once. It
// walks a loop twice to find loop-carried hazards; a loop that already has its barriers is walked
// once. This is sound because later passes preserve the mapping of iterations to threads and the IR
// contains all workspaces.
#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/ir/linear.h"
#include "core/ir/thread_range.h"
#include "core/passes/insert_barriers/barrier_points.h"
#include "core/passes/insert_barriers/pending_accesses.h"
#include "core/passes/pass.h"
#include "core/support/rollback.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

using Numbers = InFlight::Numbers;

class BarrierInserter : BarrierAccesses {
 public:
  BarrierInserter(const Func& func, const Kernel& kernel, Diagnostics& diagnostics)
      : BarrierAccesses(func, kernel), reports_(diagnostics), table_(kernel.block) {
    whole_ = threads_ = {0, kernel.block};
    const Target* target = find_target(func.target);
    const bool parts = target && target->has(Feature::part_sync);
    if (parts) lanes_ = target->lanes;
    if (parts && kernel.block % (4 * target->lanes) == 0) group_ = 4 * target->lanes;
  }

  Stmt run(const Stmt& body) { return visit(body); }
  int inserted() const { return inserted_; }
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  /// Whether the current threads are one group of four warps, which has its own barrier.
  bool one_group() const {
    return group_ > 0 && threads_.count() == group_ && threads_.lo % group_ == 0;
  }

  /// Whether the current threads are whole warps, which can have a barrier.
  bool whole_warps() const {
    return lanes_ > 0 && threads_.lo % lanes_ == 0 && threads_.hi % lanes_ == 0;
  }

  /// A barrier if a pending access conflicts with a new one.
  Stmt barrier_for(const Numbers& next) {
    std::vector<Hazard> found = pending_.hazards(next, table_);
    const bool can_sync = threads_ == whole_ || whole_warps();
    if (!can_sync)  // only some threads exchange data with other blocks
      std::erase_if(found, [&](const Hazard& each) {
        return access_of(each.before).orders != Ordered::no ||
               access_of(each.now).orders != Ordered::no;
      });
    if (found.empty()) return nullptr;
    const bool all = std::any_of(found.begin(), found.end(), [&](const Hazard& each) {
      return global(access_of(each.before).buffer) || global(access_of(each.now).buffer);
    });
    const Intrinsic scope = in_role_ ? Intrinsic::role_sync : Intrinsic::block_sync;
    const Stmt barrier = threads_ == whole_ ? barrier_of_all(scope, all)
                                            : barrier_of(threads_, one_group() ? group_ : 0);
    const MemoryAccess &before = access_of(found[0].before), &now = access_of(found[0].now);
    reasons_.push_back((now.span.known() ? std::to_string(now.span.line) + ": " : "") +
                       std::string(name(called(barrier)->intrinsic)) + ": other threads " +
                       did(before) + " " + before.buffer.str() + " before it is " + is_done(now) +
                       " here");
    for (const Hazard& each : found)
      reports_.inserted(access_of(each.before), access_of(each.now),
                        root(access_of(each.before).buffer), root(access_of(each.now).buffer));
    clear_pending();
    if (!can_sync)
      return reports_.impossible(before, now, root(before.buffer), root(now.buffer), threads_),
             nullptr;
    ++inserted_;
    return barrier;
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
    history_.insert(history_.end(), accesses.begin(), accesses.end());
  }

  void leave(const Stmt& stmt, const Numbers& accesses) {
    const Numbers scratch = numbers_of(workspaces(stmt, false));
    if (!scratch.empty()) clear_pending();  // the operation synchronizes internally
    Numbers done;  // copies complete only at their wait: a barrier before it does not help
    std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(done),
                 [&](int access) { return !access_of(access).copied; });
    add_pending(done);
    add_pending(scratch);
  }

  /// The accesses of a statement in which no barriers can be inserted.
  Accesses accesses_of(const Stmt& stmt) {
    Accesses accesses;
    collect(stmt, nullptr, accesses);
    if (as<ClusterCopy>(stmt))  // only barriers of the cluster order the writes to its blocks
      std::erase_if(accesses, [](const MemoryAccess& access) { return access.write; });
    const bool own_code = is_own_code(stmt);
    const bool in_flight = copies_in_flight_after(stmt);
    const Store* store = as<Store>(stmt);
    const bool by_leader = store && tracked(store->buffer) && !own_code && threads_ == whole_;
    for (MemoryAccess& access : accesses) {
      access.own = access.element && own_code;
      access.leader = by_leader;
      access.copied &= in_flight && !access.ring;
      if (!access.span.known()) access.span = stmt->span;
    }
    return accesses;
  }

  Stmt leaf(const Stmt& stmt) {
    if (is_barrier(stmt)) {
      if (threads_ == whole_) clear_pending();
      return stmt;
    }
    if (is_named_sync(stmt)) return clear_pending(), stmt;
    if (is_group_barrier(stmt) && one_group()) return clear_pending(), stmt;
    if (is_range_barrier(stmt, threads_)) return clear_pending(), stmt;
    const bool own_code = is_own_code(stmt);
    const Numbers own = numbers_of(accesses_of(stmt));
    Numbers enter = own;
    for (int workspace : numbers_of(workspaces(stmt, true))) enter.push_back(workspace);
    for (int released : numbers_of(ordered_by(stmt, Ordered::released, own_code)))
      enter.push_back(released);
    Stmt barrier = barrier_for(enter);
    leave(stmt, own);
    add_pending(numbers_of(ordered_by(stmt, Ordered::acquired, false)));  // a thread may acquire
    add_pending(in_flight_.follow(stmt, own, table_));
    return seq({barrier, stmt});
  }

  /// After a barrier, only the reads of matmuls in flight are pending.
  void clear_pending() {
    pending_.clear();
    for (const Numbers& matmul : in_flight_.matmuls())
      for (int access : matmul) pending_.add(access, table_);
  }

  /// Whether barriers may be inserted within: all threads run the nested statements equally often.
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

  /// A loop with its barriers, and the accesses that an iteration leaves pending for the next.
  struct WalkedLoop {
    Stmt loop;
    Numbers left;
  };

  /// Visits the loop body and the condition of the next iteration. Pending after the loop: the
  /// accesses at any exit, that is, the end of the body, a break, and the loop's entry unless the
  /// loop surely runs. A loop that an earlier walk of its parent has visited already has barriers
  /// between its iterations; one walk shows the other barriers it needs.
  Stmt loop_body(const Stmt& body, const Numbers& conditions, bool runs, const WalkedLoop* known,
                 WalkedLoop& result) {
    const PendingAccesses entry = pending_;
    PendingAccesses breaks = std::exchange(at_breaks_, {});
    const size_t before = history_.size();
    if (known)
      for (int access : known->left) pending_.add(access, table_);
    Stmt now = body;
    for (int round = known ? 1 : 0; round < 2; ++round) {
      // In the second walk, accesses of the previous iteration are pending too.
      if (round && !known) pending_.add(entry, table_);
      at_breaks_.clear();
      now = visit(now);
      now = seq({now, barrier_for(conditions)});
      add_pending(conditions);
    }
    const std::unordered_set<int> own(history_.begin() + int64_t(before), history_.end());
    pending_.for_each([&](int access) {
      if (own.count(access)) result.left.push_back(access);
    });
    pending_.add(at_breaks_, table_);
    if (!runs) pending_.add(entry, table_);
    at_breaks_ = std::move(breaks);
    return now;
  }

  /// A branch with tile operations that a range of the threads takes: its operands are synchronized
  /// before the condition, and no barrier may be needed inside.
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
    check_independent(left, right, stmt);
    pending_ = std::move(entry);
    add_pending(all);
    return seq({barrier, at(stmt->span, make(std::move(out)))});
  }

  /// Checks that two thread ranges, which run concurrently, are independent.
  void check_independent(const Numbers& left, const Numbers& right, const Stmt& stmt) {
    PendingAccesses others;
    for (int access : left) others.add(access, table_);
    std::vector<Hazard> found = others.hazards(right, table_);
    std::erase_if(found, [&](const Hazard& each) {
      return are_disjoint(access_of(each.before), access_of(each.now));
    });
    if (found.empty()) return;
    const MemoryAccess &before = access_of(found[0].before), &now = access_of(found[0].now);
    reports_.concurrent(before, now, root(before.buffer), root(now.buffer), stmt->span);
  }

  bool in_ranges(const Stmt& stmt) const {
    return as<If>(stmt) && varying_(*stmt) && has_tile_operation(stmt);
  }

  /// The barrier that the later ones of consecutive such statements need, so that all their loads
  /// are in flight together. Moves `end` after these statements.
  Stmt barrier_before_loads(const Seq& list, size_t begin, size_t& end) {
    if (begin < end || !waits_for_loads(list.stmts[begin])) return nullptr;
    const size_t around = bindings();
    Numbers all;
    for (end = begin; end < list.stmts.size(); ++end) {
      const Stmt& stmt = list.stmts[end];
      if (!as<Let>(stmt) && !waits_for_loads(stmt)) break;
      const Numbers each = numbers_of(accesses_of(stmt));
      all.insert(all.end(), each.begin(), each.end());
    }
    leave_scope(around);
    return barrier_for(all);
  }

  /// A branch that all threads take together: with a barrier at its end where `next`, the statement
  /// after it but for waits for slots, would need one for what the branch does only.
  Stmt branch_before(const Stmt& stmt, const Stmt& next) {
    const bool together = threads_ == whole_ && compound(stmt) && !to<If>(stmt).else_;
    if (!together || compound(next) || in_ranges(next)) return visit(stmt);
    Accesses reads;
    add(effects(*stmt), nullptr, reads);
    PendingAccesses skipped = pending_;
    for (int access : numbers_of(std::move(reads))) skipped.add(access, table_);
    const Stmt done = visit(stmt);
    const Numbers needs = numbers_of(accesses_of(next));
    Stmt barrier = skipped.hazards(needs, table_).empty() ? barrier_for(needs) : nullptr;
    if (!barrier) return done;
    pending_.add(skipped, table_);                // matmuls in flight are, too
    std::vector<Stmt> out = statements_of(done);  // maybe with a barrier before the branch
    If branch(to<If>(out.back()));
    branch.then_ = at(branch.then_->span, seq({branch.then_, barrier}));
    out.back() = at(stmt->span, make(std::move(branch)));
    return seq(std::move(out));
  }

  /// Consecutive roles run concurrently: their operands are synchronized before the first, and
  /// their accesses are pending after the last.
  Stmt sequence(const Seq& list, Span span) {
    std::vector<Stmt> out;
    size_t loads = 0;  // the end of the statements that load together
    for (size_t i = 0; i < list.stmts.size();) {
      if (!as<Role>(list.stmts[i])) {
        out.push_back(barrier_before_loads(list, i, loads));
        const Stmt next = as<If>(list.stmts[i]) ? statement_after(list, i) : nullptr;
        out.push_back(next ? branch_before(list.stmts[i], next) : visit(list.stmts[i])), ++i;
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
    const RoleThreads outside = enter(role.lo, whole_.count());
    table_.set_threads(whole_.count());
    open_.clear();
    const std::pair around_it{invariant_, of_tile_};
    enter_body(role.body);
    out.body = visit(role.body);
    std::tie(invariant_, of_tile_) = around_it;
    enter(outside.first, outside.count);
    table_.set_threads(outside.count);
    whole_ = threads_ = around;
    in_role_ = false;
    return at(span, make(std::move(out)));
  }

  /// A slot returns to a side of the ring only when the other side is done with it, so its accesses
  /// are no longer pending. If a side has several open slots, the pass cannot distinguish them.
  Stmt ring_op(const RingOp& op, const Stmt& stmt) {
    const bool produces = op.op == RingOpKind::acquire || op.op == RingOpKind::commit;
    int& open = open_[{op.ring, produces}];
    if (op.slot) {
      slots_[op.slot] = op.op;
      ++open;
    } else if (open = std::max(0, open - 1); open == 0) {
      PendingAccesses others;
      pending_.for_each([&](int number) {
        MemoryAccess access = access_of(number);
        if (access.ring != op.ring || access.produces != produces)
          return others.add(number, table_);
        if (!shares_memory(root(access.buffer))) return;
        access.released = true;
        others.add(numbers_of({std::move(access)})[0], table_);
      });
      pending_ = std::move(others);
    }
    return stmt;
  }

  Stmt visit(const Stmt& stmt) {
    const size_t around = bindings();
    Stmt out = visited(stmt);
    if (opens_scope(*stmt)) leave_scope(around);
    return out;
  }

  Stmt visited(const Stmt& stmt) {
    if (const RingOp* op = as<RingOp>(stmt)) return ring_op(*op, stmt);
    if (as<Break>(stmt)) return at_breaks_.add(pending_, table_), stmt;
    if (in_ranges(stmt)) return branches(stmt);
    if (!compound(stmt)) return leaf(stmt);
    if (const Seq* s = as<Seq>(stmt)) return sequence(*s, stmt->span);
    if (const Role* r = as<Role>(stmt)) return role(*r, stmt->span);
    Accesses reads;
    add(effects(*stmt), nullptr, reads);
    bind(stmt);
    const Numbers conditions = numbers_of(std::move(reads));
    Stmt barrier = barrier_for(conditions);
    add_pending(conditions);
    if (is_plain_loop(stmt)) return seq({barrier, plain_loop(stmt)});
    return seq({barrier, inside(stmt, as<While>(stmt) ? conditions : Numbers{})});
  }

  /// The state of the walk, except for what it has reported.
  struct State {
    PendingAccesses pending, at_breaks;
    UndoLog<int> history;
    InFlight in_flight;
    int inserted;
    UndoLog<std::string> reasons;
  };
  /// `entry`: an earlier state, relative to which the undo logs are kept.
  State state(const State* entry = nullptr) const {
    return {pending_,   at_breaks_, {history_, entry ? entry->history.before : history_.size()},
            in_flight_, inserted_,  {reasons_, entry ? entry->reasons.before : reasons_.size()}};
  }
  void restore(State state) {
    pending_ = std::move(state.pending);
    at_breaks_ = std::move(state.at_breaks);
    state.history.restore(history_);
    in_flight_ = std::move(state.in_flight);
    inserted_ = state.inserted;
    state.reasons.restore(reasons_);
  }

  /// One barrier before the loop if all barriers in it wait only for accesses before it.
  Stmt plain_loop(const Stmt& stmt) {
    const State entry = state();
    const Stmt within = inside(stmt, {});
    if (inserted_ == entry.inserted) return within;
    State after = state(&entry);
    restore(entry);
    clear_pending();
    const Stmt loop = inside(stmt, {});
    if (inserted_ != entry.inserted) return restore(std::move(after)), within;
    State hoisted = state(&entry);
    restore(entry);
    Accesses touched;
    collect(stmt, nullptr, touched);
    for (MemoryAccess& access : touched)
      if (!access.span.known()) access.span = stmt->span;
    Stmt barrier = barrier_for(numbers_of(std::move(touched)));
    hoisted.inserted = inserted_;
    hoisted.reasons = {reasons_, entry.reasons.before};
    restore(std::move(hoisted));
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
    const size_t around = loops_.size(), tiles_around = tiles_;
    if (const TileLoop* tiles = as<TileLoop>(stmt)) {  // no two iterations have equal variables
      loops_.insert(loops_.end(), tiles->vars.begin(), tiles->vars.end());
      if (around == 0) tiles_ = tiles->vars.size();
    } else {
      loops_.push_back(as<For>(stmt) ? as<For>(stmt)->var : Symbol());
    }
    const auto walked = walked_.find(stmt.get());
    const WalkedLoop* known = walked == walked_.end() ? nullptr : &walked->second;
    WalkedLoop result;
    result.loop = map_stmts(stmt, [&](const Stmt& s) {
      return loop_body(s, conditions, surely_runs(stmt), known, result);
    });
    loops_.resize(around), tiles_ = tiles_around;
    return walked_.insert_or_assign(result.loop.get(), std::move(result)).first->second.loop;
  }

  BarrierReports reports_;
  AccessTable table_;
  PendingAccesses pending_;
  PendingAccesses at_breaks_;  // pending at the breaks of the innermost loop
  Numbers history_;            // accesses that were ever pending, in order
  InFlight in_flight_;
  std::unordered_map<const Node*, WalkedLoop> walked_;
  bool in_role_ = false;
  std::map<std::pair<Symbol, bool>, int> open_;  // open slots of each side of a ring
  ThreadRange whole_, threads_;                  // of the block or role; of the current statement
  int64_t group_ = 0;                            // threads of a group with its own barrier; 0: none
  int64_t lanes_ = 0;                            // of a warp, if ranges of warps have barriers
  int inserted_ = 0;
  std::vector<std::string> reasons_;
};

}  // namespace

FuncRef insert_barriers(const FuncRef& func, PassContext& context) {
  int inserted = 0;
  const FuncRef next = rewrite_kernels(func, [&](const Kernel& kernel) {
    Kernel out(kernel);
    out.body = split_exchanges(*func, kernel, context.diagnostics);
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
