// SPDX-License-Identifier: Apache-2.0
// Rings and roles below tile level. A ring becomes barriers, and for each side a cursor: the next
// slot and the phase of its barrier, in variables of the role that outlive every loop. Slots are
// counted, without `%`.
//
//   fill    acquire            commit               wait               release
//   tx      empty, expect      arrive at full       full               arrive at empty
//   arrive  empty              arrive at full       full               arrive at empty
//   group   (sync)             commit the group     its group, sync    -
//   store   stores read, sync  fence, sync          -                  commit the group
//
// The units of a store ring synchronize: each group of four warps that has a separate part of every
// slot, or the role. A role that only feeds engines runs in its first thread.
#include <algorithm>
#include <set>

#include "core/analysis/effects.h"
#include "core/ir/compare.h"
#include "core/passes/insert_barriers/barrier_points.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

Expr element(Symbol barrier, const Expr& slot) {
  return region(barrier, Buffer().dtype, {point(slot)});
}

Expr all_of_barrier(Symbol barrier, int64_t n) {
  return region(barrier, Buffer().dtype, {slice(int_const(0), n)});
}

Expr place(Symbol slot) { return slot ? name_ref(slot) : int_const(0); }

/// Advances to the next slot; after the last comes the first, in the next phase.
Stmt advance_slot(int64_t stages, Symbol slot, Symbol phase) {
  const Expr at = place(slot), one = int_const(1), zero = int_const(0);
  const Expr flipped = phase ? binary(BinOp::bxor, name_ref(phase), one) : nullptr;
  if (stages == 1) return phase ? assign(phase, flipped) : nullptr;
  if (stages == 2)
    return seq({assign(slot, binary(BinOp::bxor, at, one)),
                phase ? assign(phase, select(eq(at, zero), flipped, name_ref(phase))) : nullptr});
  if (!phase) return assign(slot, select(eq(at, int_const(stages - 1)), zero, add(at, one)));
  return seq(
      {assign(slot, add(at, one)),
       if_then(eq(at, int_const(stages)), seq({assign(slot, zero), assign(phase, flipped)}))});
}

/// The operations of one side on one slot.
class HandOver {
 public:
  HandOver(const RingOp& op, LoweringScope& here, Lowering& lowering)
      : op_(op),
        shared_(lowering.ring(op.ring)),
        ring_(*shared_.ring),
        cursor_(lowering.cursor(op, here)),
        here_(here),
        lowering_(lowering) {}

  Stmt run() {
    const bool takes = takes_slot(op_.op), one = cursor_.one_at_a_time;
    const bool back = !takes && !one;
    slot_ = place(back ? cursor_.back : cursor_.slot);
    Stmt bound = op_.slot ? let(op_.slot, slot_) : nullptr;
    if (takes) cursor_.taken = op_.slot;
    // Matching take and give-back are in the same list, so the slot's name is in scope.
    if (const Symbol name = takes ? op_.slot : one ? cursor_.taken : Symbol())
      slot_ = name_ref(name);
    Stmt advance;
    if (takes != one) advance = advance_slot(ring_.stages, cursor_.slot, cursor_.phase);
    if (back) advance = advance_slot(ring_.stages, cursor_.back, {});
    return seq({bound, step(), advance});
  }

 private:
  Stmt step() {
    switch (op_.op) {
      case RingOpKind::acquire: return acquire();
      case RingOpKind::commit: return commit();
      case RingOpKind::wait: return wait();
      case RingOpKind::release: return release();
    }
    UNREACHABLE("unknown operation on a ring");
  }

  Stmt acquire() {
    const RingPlan& plan = here_.role->rings;
    if (ring_.fill == RingFill::store) {
      const int64_t younger = std::max<int64_t>(0, ring_.stages - 1 - RingPlan::of(plan.held, op_));
      return seq({by_leader(at(Intrinsic::bulk_wait_read, {int_const(younger)})), sync()});
    }
    if (is_ordered_by_barriers(ring_)) return plan.unsynchronized.count(&op_) ? sync() : nullptr;
    Stmt wait =
        at(Intrinsic::bar_wait, {element(shared_.empty, slot_),
                                 binary(BinOp::bxor, name_ref(cursor_.phase), int_const(1))});
    if (ring_.fill != RingFill::tx) return wait;
    const Intrinsic expect = joined() ? Intrinsic::bar_arrive_expect : Intrinsic::bar_expect;
    // Slots that threads read: the barrier does not order their loads with the engine's stores.
    const bool fenced = lowering_.target().proxy_fence && ring_.unit != Unit::group;
    const Stmt fence = fenced ? at(Intrinsic::fence_proxy, {}) : nullptr;
    // Only the thread that issues the copies needs a free slot.
    return by_leader(seq({wait, fence, at(expect, {full(), int_const(ring_.bytes)})}));
  }

  Stmt commit() {
    if (ring_.fill == RingFill::group) return at(Intrinsic::cp_commit, {});
    if (ring_.fill == RingFill::sync)  // matrix units read the slots
      return lowering_.target().proxy_fence ? at(Intrinsic::fence_proxy, {}) : nullptr;
    if (ring_.fill == RingFill::store) return seq({at(Intrinsic::fence_proxy, {}), sync()});
    if (ring_.fill == RingFill::arrive) return at(Intrinsic::bar_arrive, {full()});
    return joined() ? nullptr : by_leader(at(Intrinsic::bar_arrive, {full()}));
  }

  Stmt wait() {
    if (ring_.fill == RingFill::store) return nullptr;
    if (counts_arrivals(ring_)) return at(Intrinsic::bar_wait, {full(), name_ref(cursor_.phase)});
    if (ring_.fill == RingFill::sync) return sync();
    // After this barrier, the copies of all its threads are visible.
    const bool exact = lowering_.target().async_waits == Waits::exact;
    const int64_t younger = exact ? RingPlan::of(here_.role->rings.younger, op_) : 0;
    return seq({at(Intrinsic::cp_wait, {int_const(younger)}), sync()});
  }

  Stmt release() {
    if (counts_arrivals(ring_)) return at(Intrinsic::bar_arrive, {element(shared_.empty, slot_)});
    if (is_ordered_by_barriers(ring_)) return nullptr;
    return by_leader(at(Intrinsic::bulk_commit, {}));
  }

  static Stmt at(Intrinsic what, std::vector<Expr> operands) {
    return do_call(what, std::move(operands));
  }
  Expr full() const { return element(shared_.full, slot_); }
  bool joined() const { return lowering_.target().barriers.arrives_with_bytes; }
  bool by_groups() const { return lowering_.by_groups(ring_, here_); }
  Stmt by_leader(const Stmt& body) const {
    return here_.single ? body : if_then(lowering_.leader(here_, by_groups()), body);
  }
  Stmt sync() {
    if (!by_groups()) return lowering_.block_barrier(here_);
    return at(Intrinsic::group_sync, {lowering_.unit(lowering_.group_threads(), 0, here_)});
  }

  const RingOp& op_;
  const Lowering::SharedRing& shared_;
  const Ring& ring_;
  Cursor& cursor_;
  LoweringScope& here_;
  Lowering& lowering_;
  Expr slot_;
};

/// Whether the statement only feeds engines and passes on values that one thread has.
bool runs_in_one_thread(const Node& node, const Lowering& lowering) {
  if (const Copy* copy = as<Copy>(&node)) return copy->by == CopyBy::engine;
  if (const RingOp* op = as<RingOp>(&node)) return counts_arrivals(*lowering.ring(op->ring).ring);
  if (const Do* d = as<Do>(&node)) return info(to<Call>(d->call).intrinsic).step == Step::atomic;
  if (group(node.kind) == Group::tile || node.kind == Kind::Parallel) return false;
  return group(node.kind) != Group::decl || node.kind == Kind::Var;
}

bool is_leader(const Stmt& stmt) {
  const If* branch = as<If>(stmt);
  const Call* call = branch && !branch->else_ ? as<Call>(branch->cond) : nullptr;
  return call && call->intrinsic == Intrinsic::leader;
}

}  // namespace

bool Lowering::by_groups(const Ring& ring, const LoweringScope& here) const {
  return ring.fill == RingFill::store && ring.unit == Unit::group &&
         here.threads > group_threads() && here.threads % group_threads() == 0 &&
         here.all_threads_reach();
}

Expr Lowering::leader(const LoweringScope& here, bool of_group) const {
  const char* who = of_group ? "group" : here.threads == block() ? "block" : "role";
  return call(Intrinsic::leader, {DType::bool_}, {}, {attr("scope", who)});
}

bool Lowering::one_thread(const Role& role) {
  auto [known, fresh] = one_thread_.try_emplace(&role, false);
  if (!fresh) return known->second;
  bool only = true, copies = false;
  tilelab::walk(*role.body, [&](const Node& node) {
    if (tilelab::group(node.kind) == Group::expr) return false;
    copies |= node.kind == Kind::Copy;
    only = only && runs_in_one_thread(node, *this) && !varying_(node);
    return only && tilelab::group(node.kind) != Group::tile;
  });
  return known->second = only && copies;
}

Expr Lowering::full_barrier(Symbol ring, const Expr& slot) const {
  return element(rings_.at(ring).full, slot);
}

Cursor& Lowering::cursor(const RingOp& op, const LoweringScope& here) {
  RoleState& state = *here.role;
  const bool fills = fills_slots(op.op);
  auto [place, fresh_side] = state.cursor_of.try_emplace({op.ring, fills}, state.cursors.size());
  if (!fresh_side) return state.cursors[place->second];
  const Ring& ring = *rings_.at(op.ring).ring;
  const std::string base = op.ring.str() + (fills ? "_in" : "_out");
  auto variable = [&](const std::string& name) {
    const Symbol made = fresh(name);
    state.declarations.push_back(var(made, DType::i32, int_const(0)));
    return made;
  };
  Cursor cursor{op.ring, fills, !state.several.count({op.ring, fills}), {}, {}, {}, {}};
  if (ring.stages > 1) cursor.slot = variable(base);
  if (counts_arrivals(ring)) cursor.phase = variable(base + "_phase");
  if (ring.stages > 1 && !cursor.one_at_a_time) cursor.back = variable(base + "_back");
  state.cursors.push_back(cursor);
  return state.cursors.back();
}

Expr Lowering::unit(int64_t threads, int64_t base, LoweringScope& here) {
  Symbol& name = here.role->units[{base, threads}];
  if (!name) {
    name = fresh("unit");
    Expr index = here.simplified(floordiv(sub(here.tid(), int_const(base)), int_const(threads)));
    here.role->declarations.push_back(let(name, call(Intrinsic::uniform, {DType::i32}, {index})));
  }
  here.facts.set(name, {0, (here.threads - base + threads - 1) / threads - 1});
  return name_ref(name);
}

namespace {

/// Inserts `first` after the leading memory declarations of a body, and `last` at its end.
Stmt insert_after_declarations(const Stmt& body, const std::vector<Stmt>& first, const Stmt& last) {
  std::vector<Stmt> stmts = statements_of(body);
  auto begin = std::find_if(stmts.begin(), stmts.end(), [](const Stmt& s) {
    return group(s->kind) != Group::decl || s->kind == Kind::Var;
  });
  stmts.insert(begin, first.begin(), first.end());
  stmts.push_back(last);
  return seq(std::move(stmts));
}

}  // namespace

/// One thread initializes the barriers of all rings, followed by a block barrier.
Stmt Lowering::initialize_barriers() const {
  std::vector<Stmt> inits;
  auto init = [&](Symbol name, int64_t count) {
    inits.push_back(do_call(Intrinsic::bar_init, {all_of_barrier(name, count)}));
  };
  for_each(
      *kernel_.body,
      [&](const Buffer& own) {  // explicit ones of the kernel
        if (own.scope == Scope::barrier) init(own.name, const_shape(own)[0]);
      },
      [&](const Ring& ring) {
        if (!counts_arrivals(ring)) return;
        for (auto name : {&SharedRing::full, &SharedRing::empty})
          init(rings_.at(ring.name).*name, ring.stages);
      });
  if (inits.empty()) return nullptr;
  if (target().init_fence) inits.push_back(do_call(Intrinsic::init_fence, {}));
  Expr block = call(Intrinsic::leader, {DType::bool_}, {}, {attr("scope", "block")});
  return seq({if_then(block, seq(std::move(inits))),
              do_call(Intrinsic::block_sync, {}, {attr("mem", "all")})});
}

/// Moves barriers to the front: they are initialized before the kernel begins, wherever they were
/// declared.
static Stmt barriers_first(const Stmt& body) {
  const Seq* several = as<Seq>(body);
  if (!several) return body;
  std::vector<Stmt> out = several->stmts;
  std::stable_partition(out.begin(), out.end(), [](const Stmt& s) {
    const Buffer* buffer = as<Buffer>(s);
    return buffer && buffer->scope == Scope::barrier;
  });
  return at(body->span, seq(std::move(out)));
}

Stmt Lowering::role_body(const Stmt& body, LoweringScope here) {
  RoleState& state = roles_.emplace_back();
  state.several = sides_of_several(body);
  state.rings = plan_rings(body, ring_table_);
  here.role = &state;
  Stmt lowered = stmt(body, here);
  // Pending engine stores must complete before the memory is released.
  Stmt last;
  for (const Cursor& each : state.cursors) {
    const Ring& ring = *rings_.at(each.ring).ring;
    if (ring.fill == RingFill::store)
      last = if_then(leader(here, by_groups(ring, here)),
                     do_call(Intrinsic::bulk_wait, {int_const(0)}));
  }
  if (&body == &kernel_.body) {
    lowered = barriers_first(lowered);
    state.declarations.insert(state.declarations.begin(), initialize_barriers());
  }
  return insert_after_declarations(lowered, state.declarations, last);
}

/// The barriers of a ring. Those that engines complete count one arrival, of the thread that
/// expects the bytes; those of slots filled by a role count its warps.
Stmt lower(const Ring& ring, const LoweringScope&, Lowering& lowering) {
  if (!counts_arrivals(ring)) return seq({});
  const Lowering::SharedRing& shared = lowering.ring(ring.name);
  const Unit hardware = lowering.target().barriers.unit;
  auto counted_by = [&](Buffer& barrier, Symbol name, Unit unit) {
    const Role* role = lowering.role(name);
    const bool alone = role && lowering.one_thread(*role);
    const int64_t threads = role ? role->hi - role->lo : lowering.block();
    barrier.unit = alone || hardware == Unit::warp ? hardware : unit;
    const int64_t size = barrier.unit == Unit::lane   ? 1
                         : barrier.unit == Unit::warp ? lowering.lanes()
                                                      : lowering.group_threads();
    barrier.count = alone ? 1 : threads / size;
  };
  Buffer full, empty;
  full.scope = empty.scope = Scope::barrier;
  full.shape = empty.shape = {int_const(ring.stages)};
  full.name = shared.full, empty.name = shared.empty;
  counted_by(full, ring.producer, Unit::warp);
  counted_by(empty, ring.consumer, ring.unit);
  full.tx = ring.fill == RingFill::tx;
  if (full.tx) full.unit = hardware, full.count = 1;
  return seq({make(std::move(full)), make(std::move(empty))});
}

std::string not_lowered(const Ring& ring, const Target& target) {
  const bool barriers = counts_arrivals(ring), same = ring.producer == ring.consumer;
  if (ring.lag > 0) return "a ring with a lag";
  const bool engine = target.has(Feature::tensor_copy);
  if ((ring.fill == RingFill::tx || ring.fill == RingFill::store) && !engine)
    return "a ring of TMA copies for this target";
  if (ring.fill == RingFill::group && !target.async_copy)
    return "a ring of asynchronous copies for this target";
  if (barriers && !target.has(Feature::barriers)) return "a ring of barriers for this target";
  if (ring.fill == RingFill::tx && ring.bytes <= 0)
    return "a ring of TMA copies without a byte count";
  if (!barriers && !same) return "a ring of groups between two roles";
  return "";
}

Stmt lower(const RingOp& op, LoweringScope here, Lowering& lowering) {
  if (!here.single && (here.divergent || !here.all_threads_reach()))
    return lowering.refuse(op,
                           "an operation on a ring under a condition that depends on the thread");
  return HandOver(op, here, lowering).run();
}

Stmt lower(const Role& role, LoweringScope here, Lowering& lowering) {
  here.threads = role.hi - role.lo;
  here.range = {0, here.threads};
  here.facts.enter(role);
  here.single = lowering.one_thread(role);
  here.divergent = here.single;
  Role out(role);
  out.body = lowering.role_body(role.body, here);
  if (here.single) out.body = if_then(lowering.leader(here), out.body);
  return make(std::move(out));
}

namespace {

/// Whether the barrier at index `before` is followed by an equal one, with only fences and scalars
/// that read no memory between.
bool is_followed_by_same_barrier(const std::vector<Stmt>& list, size_t before) {
  const Call* first = called(list[before]);
  if (!first || info(first->intrinsic).step != Step::sync) return false;
  for (size_t i = before + 1; i < list.size(); ++i) {
    const Let* value = as<Let>(list[i]);
    const Assign* next = as<Assign>(list[i]);  // the slot of a ring
    if ((value || next) && !contains<Load, Region, Call>(*list[i])) continue;
    const Call* call = called(list[i]);
    if (!call) return false;
    if (info(call->intrinsic).step != Step::fence) return equal(list[i], list[before]);
  }
  return false;
}

}  // namespace

Stmt merge_barriers(const Stmt& body) {
  return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
    const Seq* list = as<Seq>(s);
    if (!list) return s;
    std::vector<Stmt> out;
    for (size_t i = 0; i < list->stmts.size(); ++i)
      if (!is_followed_by_same_barrier(list->stmts, i)) out.push_back(list->stmts[i]);
    return out.size() == list->stmts.size() ? s : at(s->span, seq(std::move(out)));
  });
}

Stmt join_leaders(const Stmt& body) {
  return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
    const Seq* list = as<Seq>(s);
    if (!list) return s;
    std::vector<Stmt> out;
    for (const Stmt& each : list->stmts) {
      const bool joins = !out.empty() && is_leader(each) && is_leader(out.back()) &&
                         equal(to<If>(each).cond, to<If>(out.back()).cond);
      if (!joins) {
        out.push_back(each);
        continue;
      }
      const If& before = to<If>(out.back());
      out.back() =
          at(out.back()->span, if_then(before.cond, seq({before.then_, to<If>(each).then_})));
    }
    return out.size() == list->stmts.size() ? s : at(s->span, seq(std::move(out)));
  });
}

}  // namespace tilelab
