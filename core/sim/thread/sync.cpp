// SPDX-License-Identifier: Apache-2.0
// Collective operations of warps: rendezvous, barriers, shuffles, votes; and prints.
#include <algorithm>
#include <cstring>

#include "core/ir/intrinsics/intrinsics.h"
#include "core/sim/program/announce.h"
#include "core/sim/program/shuffle.h"
#include "core/sim/thread/block.h"
#include "core/support/text.h"

namespace tilelab::sim {

void ThreadWarp::begin() {
  live_ = LaneMask::first(
      std::min(block_.image.warp, block_.image.threads - index_ * block_.image.warp));
  start(block_.image.program, block_.launch.constants, live_.count());
  traces = block_.launch.meter != nullptr;
  waits = Wait::none;
  barrier = rendezvous = role_ = named_ = -1;
  released_ = in_cluster_wait_ = false;
  cluster_arrivals_ = cluster_waits_ = 0;
  cp_ = {};
  fenced_.clear();
}

Step ThreadWarp::call(const CallSite& call, const Instr&) {
  switch (call.what) {
    case call_role_begin: return role_begin(call);
    case call_role_end: role_ = -1; return Step::next;
    case call_record: return record(call);
    case call_touch: return touch(call);
    case call_statement:
    case call_bound:
      if (!block_.tracer()) return Step::next;  // it is interleaved with the traced block
      return announce(*this, call, *block_.tracer(), index_) ? Step::next : block_.halt();
    case call_log: return log_local(call);
    default: break;
  }
  switch (Intrinsic(call.what)) {
    case Intrinsic::uniform: return uniform(call);
    case Intrinsic::guard: return guard(call);
    case Intrinsic::shfl_xor:
    case Intrinsic::shfl_up:
    case Intrinsic::shfl_down:
    case Intrinsic::shfl: return shuffle(call);
    case Intrinsic::ballot:
    case Intrinsic::any_sync:
    case Intrinsic::all_sync:
    case Intrinsic::activemask: return vote(call);
    case Intrinsic::warp_sync:
    case Intrinsic::group_sync:
    case Intrinsic::role_sync:
    case Intrinsic::range_sync:
    case Intrinsic::block_sync: return sync(call);
    case Intrinsic::named_arrive:
    case Intrinsic::named_sync: return named_barrier(call);
    case Intrinsic::cluster_sync:
    case Intrinsic::cluster_arrive:
    case Intrinsic::cluster_wait: return cluster_barrier(call);
    case Intrinsic::cluster_store: return cluster_store(call);
    case Intrinsic::bar_reserve: return bar_reserve(call);
    case Intrinsic::bar_init: return bar_init(call);
    case Intrinsic::bar_arrive: return bar_arrive(call, false);
    case Intrinsic::bar_arrive_expect: return bar_arrive(call, true);
    case Intrinsic::bar_expect: return bar_expect(call);
    case Intrinsic::bar_wait: return bar_wait(call);
    case Intrinsic::init_fence: return block_.fence_barriers(index_), Step::next;
    case Intrinsic::fence_proxy:
      block_.fence_barriers(index_);
      if (block_.races) block_.race.fence_proxy(index_, active_lanes());
      return Step::next;
    case Intrinsic::cp_async: return cp_async(call);
    case Intrinsic::cp_commit:
      cp_.commit();
      if (block_.early()) cp_.wait(0);
      return Step::next;
    case Intrinsic::cp_wait: return cp_wait(call);
    case Intrinsic::tma_load: return tma_load(call);
    case Intrinsic::tma_store:
    case Intrinsic::tma_add: return tma_store(call);
    case Intrinsic::bulk_commit:
    case Intrinsic::bulk_wait_read:
    case Intrinsic::bulk_wait: return bulk(call);
    case Intrinsic::ldmatrix: return ldmatrix(call);
    case Intrinsic::stmatrix: return stmatrix(call);
    case Intrinsic::mma: return mma(call);
    case Intrinsic::wgmma:
    case Intrinsic::sqmma: return group_mma(call);
    case Intrinsic::mma_fence: return mma_fence(call);
    case Intrinsic::mma_commit: return mma_commit();
    case Intrinsic::mma_wait: return mma_wait(call);
    default: return atomic(call);
  }
}

// ---- rendezvous

/// A collective of the whole warp needs all its lanes; otherwise the block ends with a finding.
bool ThreadWarp::whole_warp(const char* what) {
  if (active() == live_.count()) return true;
  LaneMask missing = live_ & ~active_lanes();
  Finding f = finding(FindingKind::divergence, first_active(), std::string("runs ") + what);
  f.detail = std::to_string(missing.count()) + " lanes of warp " + std::to_string(index_) +
             " are missing, the first is lane " + std::to_string(missing.lowest());
  if (uint32_t branch = branch_place())
    f.related.push_back({block_.span(branch), "", "only some threads pass this condition"});
  block_.fatal(std::move(f));
  return false;
}

/// Waits at a rendezvous; the last to arrive releases all. Call again when resumed.
Step ThreadWarp::join_rendezvous(int32_t where, int32_t expected, uint64_t operands) {
  if (released_) {
    if (!trace_resumes(traced_rendezvous())) return block_.halt();
    released_ = false;
    return Step::next;
  }
  Rendezvous& r = block_.rendezvous(where);
  switch (r.arrive(index_, expected, position(), operands)) {
    case Rendezvous::Result::complete:
      block_.release(r);
      released_ = false;
      trace_resumes(traced_rendezvous());
      return Step::next;
    case Rendezvous::Result::waits:
      waits = Wait::rendezvous;
      rendezvous = where;
      trace_waits(traced_rendezvous());
      return Step::again;
    case Rendezvous::Result::differs: break;
  }
  bool same_place = r.place() == position();
  Finding f = block_.finding(FindingKind::divergence, place(), "warp " + std::to_string(index_),
                             same_place       ? "has different operands"
                             : span().known() ? "has reached this line"
                                              : "has reached a barrier that the compiler inserted");
  f.where.insert(f.where.begin(), {block_.span(program().code[r.place()].place),
                                   "warp " + std::to_string(r.members().front()), "waits here"});
  for (uint32_t branch : {block_.warp(r.members().front()).branch_place(), branch_place()})
    if (!same_place && branch)
      f.related.push_back({block_.span(branch), "", "only some threads pass this condition"});
  f.detail = same_place ? "all warps must reach it with equal operands"
                        : "all warps must reach the same barrier";
  block_.fatal(std::move(f));
  return Step::halt;
}

Step ThreadWarp::role_begin(const CallSite& call) {
  int64_t lo = call.numbers[0], hi = call.numbers[1];
  if (first_thread() >= lo && first_thread() < hi) {
    role_ = int32_t(call.numbers[3]);
    return Step::next;
  }
  jump(uint32_t(call.numbers[2]));
  return Step::next;
}

Step ThreadWarp::sync(const CallSite& call) {
  const Intrinsic what = Intrinsic(call.what);
  if (what == Intrinsic::warp_sync) {
    if (!whole_warp(name(what))) return Step::halt;
    if (block_.races) block_.race.sync_lanes(index_, active_lanes());
    return Step::next;
  }
  if (!released_ && !whole_warp(name(what))) return Step::halt;
  if (what == Intrinsic::block_sync) return join_rendezvous(0, block_.warps(), 0);
  if (!released_ && !part_barrier_ready(call)) return Step::halt;
  if (const int64_t part = call.numbers[num_part])
    return join_rendezvous(block_.part_place(int32_t(part - 1)),
                           int32_t(call.numbers[num_threads] / lanes_), 0);
  if (what == Intrinsic::role_sync) {
    if (role_ < 0) return join_rendezvous(0, block_.warps(), 0);
    const RoleInfo& r = block_.image.roles[size_t(role_)];
    return join_rendezvous(block_.role_place(role_), (r.hi - r.lo) / lanes_, 0);
  }
  int32_t group = index_ / 4;
  uint64_t operand = call.operands.empty()
                         ? 0
                         : uint64_t(integer(call.operands[0].regs[0], call.operands[0].elem, 0));
  return join_rendezvous(block_.group_place(group), std::min(4, block_.warps() - group * 4),
                         operand);
}

/// A barrier that synchronizes a part of a block must be set up for its warps.
bool ThreadWarp::part_barrier_ready(const CallSite& call) {
  int64_t id = call.numbers[num_id];
  if (!block_.image.parts_use_barriers || id < 0) return true;
  if (Intrinsic(call.what) == Intrinsic::group_sync)
    for (const Operand& group : call.operands) id += integer(group.regs[0], group.elem, 0);
  if (block_.image.flat && !block_.reserved(id)) return outside_reserved(id, 0), false;
  const int32_t number = block_.barrier_with(id);
  const int64_t warps = call.numbers[num_threads] / lanes_;
  const Barrier* barrier = number < 0 ? nullptr : &block_.barrier(number).barrier;
  if (barrier && barrier->ready() && barrier->count() == warps) {
    block_.touch_barrier(number, index_, active_lanes(), place(), AccessKind::read);
    return true;
  }
  const bool ready = barrier && barrier->ready();
  Finding f = block_.finding(ready && barrier->count() > warps ? FindingKind::deadlock
                             : ready                           ? FindingKind::over_arrival
                                                               : FindingKind::barrier_init,
                             place(), "warp " + std::to_string(index_), "synchronizes with others");
  f.buffer = number < 0 ? "barrier " + std::to_string(id) : block_.barrier_name(number);
  if (ready)
    f.detail = plural(warps, "warp") + " arrive, but the phase expects " +
               plural(barrier->count(), "arrival");
  block_.fatal(std::move(f));
  return false;
}

// ---- barriers

Step ThreadWarp::bar_reserve(const CallSite& call) {
  block_.reserve_barriers(call.numbers[num_imm]);
  return Step::next;
}

void ThreadWarp::outside_reserved(int64_t id, int lane) {
  Finding f = finding(FindingKind::barrier_init, lane, "uses");
  f.buffer = "barrier " + std::to_string(id);
  const int64_t n = block_.reserved_barriers(), first = block_.image.barriers_by_id;
  f.detail = n == 0 ? "no barriers are reserved (bar_reserve)"
                    : "reserved are barriers " + std::to_string(first) + " to " +
                          std::to_string(first + n - 1);
  block_.fatal(std::move(f));
}

int32_t ThreadWarp::barrier_number(const Operand& o, int lane) {
  int64_t index = o.regs.empty() ? 0 : integer(o.regs[0], o.elem, lane);
  if (o.number < 0) {
    if (!block_.reserved(index)) outside_reserved(index, lane);
    return block_.barrier_of_id(index);
  }
  if (index < 0 || index >= o.extents[0]) index = 0;  // reported by its bounds check
  return int32_t(o.number + index);
}

Step ThreadWarp::bar_init(const CallSite& call) {
  const Operand& o = call.operands[0];
  int lane = first_active();
  int32_t first = barrier_number(o, lane);
  int64_t n = o.regs.empty() && !o.extents.empty() ? o.extents[0]
              : o.extents.size() > 1               ? o.extents[1]
                                                   : 1;
  if (o.number >= 0)
    n = std::min(n, o.number + o.extents[0] - first);  // larger indices are reported as well
  for (int64_t i = 0; i < n; ++i) {
    int32_t number = first + int32_t(i);
    int32_t count = 0;
    for (const BarrierInfo& info : block_.image.barriers)
      if (number >= info.first && number < info.first + info.n) count = info.count;
    if (call.operands.size() > 1)
      count = int32_t(integer(call.operands[1].regs[0], call.operands[1].elem, lane));
    Block::BarrierState& b = block_.barrier(number);
    if (b.barrier.ready()) initialised_again(number, lane);
    b.barrier.init(count);
    b.fenced = !block_.image.init_fence;
    b.init_place = place(), b.init_warp = index_;
    block_.touch_barrier(number, index_, LaneMask::one(lane), place(), AccessKind::write);
  }
  return Step::next;
}

void ThreadWarp::initialised_again(int32_t number, int lane) {
  Finding f = finding(FindingKind::barrier_init, lane, "initializes it again");
  f.buffer = block_.barrier_name(number);
  f.where.insert(f.where.begin(),
                 {block_.span(block_.barrier(number).init_place), "", "initializes it"});
  block_.report(std::move(f));
}

Step ThreadWarp::bar_expect(const CallSite& call) {
  active_lanes().for_each([&](int lane) {
    int32_t number = barrier_number(call.operands[0], lane);
    block_.touch_barrier(number, index_, LaneMask::one(lane), place(), AccessKind::read);
    int64_t bytes = integer(call.operands[1].regs[0], call.operands[1].elem, lane);
    block_.barrier_event(number, block_.barrier(number).barrier.expect(bytes), place(),
                         thread_name(lane));
  });
  return block_.stopped() ? Step::halt : Step::next;
}

/// One arrival per lane, per warp, or per group of four warps. A group's arrival releases the past
/// of its first thread, including matrix operations it waited for, but not the other threads'
/// accesses. Arrivals of copies release the thread's copies too, which the thread itself does not
/// see.
Step ThreadWarp::bar_arrive(const CallSite& call, bool expect) {
  const Operand& o = call.operands[0];
  int lane = first_active();
  int32_t number = barrier_number(o, lane);
  Unit unit = expect ? Unit::lane : Unit::warp;
  for (const BarrierInfo& info : block_.image.barriers)
    if (!expect && number >= info.first && number < info.first + info.n) unit = info.unit;
  const bool copies = call.numbers[num_unit] == unit_copies;
  if (copies) {
    cp_.commit(), cp_.wait(0);
    unit = Unit::lane;
  } else if (call.numbers[num_unit] != unit_of_barrier) {
    unit = static_cast<Unit>(call.numbers[num_unit]);
  }
  if (unit == Unit::group) {
    if (!released_ && !whole_warp("an arrival of its group")) return Step::halt;
    int32_t group = index_ / 4;
    Step step = join_rendezvous(block_.group_place(group), std::min(4, block_.warps() - group * 4),
                                uint64_t(number));
    if (step != Step::next || index_ % 4 != 0) return step;
  }
  if (expect && bar_expect(call) == Step::halt) return Step::halt;
  LaneMask lanes = unit == Unit::group ? LaneMask::one(0) : active_lanes();
  auto arrive = [&](int32_t at, const LaneMask& who) {
    block_.touch_barrier(at, index_, who, place(), AccessKind::read);
    Block::BarrierState& b = block_.barrier(at);
    trace_resumes(block_.barrier_sync(at, "arrives at", b.barrier.phase()));
    if (block_.races) block_.race.release(index_, who, b.released);
    if (block_.races && copies)
      b.released.order.raise(block_.copy_actors() + ActorId(index_), cp_.completed());
    block_.barrier_event(at, b.barrier.arrive(), place(), thread_name(who.lowest()));
  };
  if (unit == Unit::lane) {
    lanes.for_each([&](int l) { arrive(barrier_number(o, l), LaneMask::one(l)); });
  } else {
    arrive(number, lanes);
  }
  return block_.stopped() ? Step::halt : Step::next;
}

Step ThreadWarp::bar_wait(const CallSite& call) {
  const LaneMask active = active_lanes();
  const Operand &o = call.operands[0], &p = call.operands[1];
  bool blocked = false, stops = false;
  active.for_each([&](int lane) {
    if (blocked || block_.stopped()) return;
    int32_t number = barrier_number(o, lane);
    const Barrier& b = block_.barrier(number).barrier;
    if (!b.ready())
      return block_.barrier_event(number, BarrierEvent::not_ready, place(), thread_name(lane));
    int64_t want = integer(p.regs[0], p.elem, lane);
    TraceSync sync = block_.barrier_sync(number, "waits for", want & 1);
    if (!b.blocks(want)) {
      stops |= !trace_resumes(std::move(sync));
      return;
    }
    trace_waits(std::move(sync));
    blocked = true;
    waits = Wait::barrier;
    barrier = number;
    parity = want;
  });
  if (stops) return block_.halt();
  if (block_.stopped()) return Step::halt;
  if (blocked) return Step::again;
  if (!block_.races) return Step::next;
  // Lanes that wait for the same barrier acquire together.
  LaneMask left = active;
  while (left.any()) {
    int32_t number = barrier_number(o, left.lowest());
    LaneMask same;
    left.for_each([&](int lane) {
      if (barrier_number(o, lane) == number) same.set(lane);
    });
    block_.touch_barrier(number, index_, same, place(), AccessKind::read);
    block_.race.acquire(index_, same, block_.barrier(number).completed);
    left = left & ~same;
  }
  return Step::next;
}

// ---- between lanes

Step ThreadWarp::shuffle(const CallSite& call) {
  if (!whole_warp(name(Intrinsic(call.what)))) return Step::halt;
  const Operand &v = call.operands[0], &o = call.operands[1];
  const int live = live_.count();
  int from[128];
  for (int l = 0; l < lanes_; ++l)
    from[l] = shuffle_source(Intrinsic(call.what), l, integer(o.regs[0], o.elem, l), lanes_, live);
  alignas(64) uint8_t out[128 * 8];
  for (size_t k = 0; k < v.regs.size(); ++k) {
    with_word(elem_bytes(v.elem), [&]<class T>(T) {
      const T* in = lanes<T>(v.regs[k]);
      for (int l = 0; l < lanes_; ++l) reinterpret_cast<T*>(out)[l] = in[from[l]];
    });
    keep(call.results.at(k), out, elem_bytes(v.elem));
  }
  return Step::next;
}

Step ThreadWarp::vote(const CallSite& call) {
  const Intrinsic what = Intrinsic(call.what);
  if (what != Intrinsic::activemask && !whole_warp(name(what))) return Step::halt;
  uint64_t votes = 0, lanes = active_lanes().word[0];
  bool any = false, all = true;
  active_lanes().for_each([&](int l) {
    bool p = what == Intrinsic::activemask ||
             integer(call.operands[0].regs[0], call.operands[0].elem, l) != 0;
    any |= p, all &= p;
    if (p && l < 64) votes |= uint64_t{1} << l;
  });
  if (call.results.empty()) return Step::next;
  uint64_t result = what == Intrinsic::ballot       ? votes
                    : what == Intrinsic::activemask ? lanes
                    : what == Intrinsic::any_sync   ? any
                                                    : all;
  uint8_t out[128 * 8];
  broadcast(out, &result, elem_bytes(call.elem), size_t(lanes_));
  keep(call.results[0], out, elem_bytes(call.elem));
  return Step::next;
}

Step ThreadWarp::uniform(const CallSite& call) {
  const Operand& v = call.operands[0];
  int first = first_active();
  const int bytes = elem_bytes(v.elem);
  for (Reg r : v.regs) {
    const uint8_t* x = at(r);
    for (int l = first + 1; l < lanes_; ++l)
      if (mask()[l] && std::memcmp(x + l * bytes, x + first * bytes, size_t(bytes)) != 0) {
        Finding f =
            finding(FindingKind::divergence, l, "has another value than " + thread_name(first));
        f.detail = "uniform(x) is not equal on the active lanes";
        block_.fatal(std::move(f));
        return Step::halt;
      }
  }
  return Step::next;
}

Step ThreadWarp::guard(const CallSite& call) {
  const Operand& p = call.operands[0];
  if (!block_.launch.watch.notes) return Step::next;
  const uint8_t* v = at(p.regs[0]);
  int64_t n = 0;
  int first = -1;
  for (int l = 0; l < lanes_; ++l)
    if (mask()[l] && !v[l]) {
      ++n;
      if (first < 0) first = l;
    }
  if (n == 0) return Step::next;
  for (Note& note : block_.output.notes)
    if (note.span == span()) {
      note.count += n;
      return Step::next;
    }
  block_.output.notes.push_back({span(), block_.coordinates, first_thread() + first, n});
  return Step::next;
}

Step ThreadWarp::record(const CallSite& call) {
  const RecordSite& site = block_.image.records[size_t(call.numbers[0])];
  int failed = -1;  // the first lane that fails an assert
  active_lanes().for_each([&](int lane) {
    if (site.is_assert && integer(call.operands[0].regs[0], call.operands[0].elem, lane) != 0)
      return;
    Recorded r{.site = call.numbers[1],
               .is_assert = site.is_assert,
               .block = block_.coordinates,
               .thread = first_thread() + lane,
               .span = site.span,
               .index_count = site.n_index};
    for (const Operand& o : call.operands)
      for (Reg reg : o.regs) {
        uint64_t bits = 0;
        std::memcpy(&bits, at(reg) + lane * elem_bytes(o.elem), size_t(elem_bytes(o.elem)));
        r.dtypes.push_back(uint8_t(o.elem));
        r.values.push_back(bits);
      }
    if (site.what != RecordKind::opaque) block_.output.records.push_back(std::move(r));
    if (site.is_assert && failed < 0) failed = lane;
  });
  if (failed < 0) return Step::next;
  Finding f = finding(failure_of(site.what), failed,
                      site.what == RecordKind::opaque ? "calls it" : "fails");
  f.detail = site.message;
  block_.fatal(std::move(f));
  return Step::halt;
}

}  // namespace tilelab::sim
