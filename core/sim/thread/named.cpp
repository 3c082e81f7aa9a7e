// SPDX-License-Identifier: Apache-2.0
// Named barriers (bar.sync with a number): whole warps arrive, and a waiting warp continues when
// the phase in which it arrived completes. An arrival releases the warp's accesses, a wait
// acquires.
#include <algorithm>

#include "core/ir/build.h"
#include "core/sim/thread/block.h"
#include "core/sim/thread/compile.h"
#include "core/support/text.h"

namespace tilelab::sim {

// ---- compilation

/// These barriers need no allocation: they exist when a call names them. If the ID is dynamic, all
/// exist.
void ThreadCompiler::named_barriers(const Call& node, CallSite& site) {
  if (!is_named_barrier(node.intrinsic)) return;
  const auto known = int_value(node.args.at(0));
  site.numbers[num_imm] = known.value_or(-1);
  if (find_attr(node.attrs, "id")) return;
  const Attr* threads = find_attr(node.attrs, "threads");
  for (int64_t id = known.value_or(0); id <= known.value_or(named_barrier_count - 1); ++id) {
    auto made = [&](const BarrierInfo& b) { return b.named && b.id == id; };
    if (std::any_of(image_.barriers.begin(), image_.barriers.end(), made)) continue;
    BarrierInfo barrier;
    barrier.name = "named barrier " + std::to_string(id);
    barrier.first = image_.barrier_count++, barrier.id = id, barrier.named = true;
    barrier.count = int32_t((threads ? threads->integer : 0) / image_.warp);
    image_.barriers.push_back(barrier);
  }
}

// ---- execution

int32_t Block::named_barrier(int64_t id) const {
  for (const BarrierInfo& b : image.barriers)
    if (b.named && b.id == id) return int32_t(b.first);
  return -1;
}

/// The barrier of a call, for the number of warps that it states; -1 after a finding.
int32_t ThreadWarp::named_number(const CallSite& call) {
  const int64_t hardware = call.numbers[num_id];
  const Operand& given = call.operands[0];
  const int64_t id = hardware >= 0 ? hardware : integer(given.regs[0], given.elem, first_active());
  if (hardware >= 0 && block_.image.flat && !block_.reserved(id))
    return outside_reserved(id, 0), -1;
  const int32_t number = hardware >= 0 ? block_.barrier_with(id) : block_.named_barrier(id);
  const Barrier* barrier = number < 0 ? nullptr : &block_.barrier(number).barrier;
  const int64_t warps = call.numbers[num_threads] / lanes_;
  if (barrier && barrier->ready() && barrier->count() == warps) return number;
  Finding f = block_.finding(
      barrier && barrier->ready() ? FindingKind::over_arrival : FindingKind::barrier_init, place(),
      "warp " + std::to_string(index_), "reaches");
  f.buffer = number < 0 ? "named barrier " + std::to_string(id) : block_.barrier_name(number);
  if (number < 0)
    f.detail = "a block has named barriers 0 to " + std::to_string(named_barrier_count - 1);
  if (barrier && barrier->ready())
    f.detail = "for " + plural(warps, "warp") + ", but the phase expects " +
               plural(barrier->count(), "arrival");
  block_.fatal(std::move(f));
  return -1;
}

Step ThreadWarp::named_barrier(const CallSite& call) {
  if (named_ < 0) {
    if (!whole_warp(name(Intrinsic(call.what)))) return Step::halt;
    const int32_t number = named_number(call);
    if (number < 0) return Step::halt;
    const LaneMask lanes = active_lanes();
    Block::BarrierState& b = block_.barrier(number);
    parity = b.barrier.completed();
    if (call.numbers[num_id] >= 0)
      block_.touch_barrier(number, index_, lanes, place(), AccessKind::read);
    trace_resumes(block_.barrier_sync(number, "arrives at", b.barrier.phase()));
    if (block_.races) block_.race.release(index_, lanes, b.released);
    block_.barrier_event(number, b.barrier.arrive(), place(), "warp " + std::to_string(index_));
    // A wait acquires only the arrivals of its phase, not earlier ones.
    if (b.barrier.completed() != parity) b.released = {};
    if (block_.stopped()) return Step::halt;
    if (Intrinsic(call.what) == Intrinsic::named_arrive) return Step::next;
    named_ = number;
  }
  Block::BarrierState& b = block_.barrier(named_);
  TraceSync sync = block_.barrier_sync(named_, "waits for", parity & 1);
  if (b.barrier.completed() == parity) {
    trace_waits(std::move(sync));
    waits = Wait::named, barrier = named_;
    return Step::again;
  }
  if (!trace_resumes(std::move(sync))) return block_.halt();
  named_ = -1;
  if (block_.races) block_.race.acquire(index_, active_lanes(), b.completed);
  return Step::next;
}

// ---- when nothing can run

/// Adds the other arrivals of the program at the named barriers on which warps wait.
void Block::named_arrivals(Finding& f) {
  std::vector<int32_t> missed;
  for (const auto& w : warps_)
    if (!w->finished() && w->waits == ThreadWarp::Wait::named) missed.push_back(w->barrier);
  for (const Instr& at : image.program.code) {
    if (at.op != Op::call || missed.empty()) continue;
    const CallSite& call = image.program.calls[at.extra];
    const bool named = call.what == int32_t(Intrinsic::named_arrive) ||
                       call.what == int32_t(Intrinsic::named_sync);
    if (!named) continue;
    const int64_t hardware = call.numbers[num_id];
    const int32_t number =
        hardware >= 0 ? barrier_with(hardware) : named_barrier(call.numbers[num_imm]);
    auto same = [&](const FindingSide& side) { return side.span == span(at.place); };
    if (std::find(missed.begin(), missed.end(), number) == missed.end()) continue;
    if (std::none_of(f.where.begin(), f.where.end(), same))
      f.where.push_back({span(at.place), "", "would arrive at " + barrier_name(number)});
  }
}

}  // namespace tilelab::sim
