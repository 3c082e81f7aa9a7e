// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations of a tile-level block: slots of rings, matmuls in flight.
//
// Effects take place as late as the semantics allow, so that a wrong schedule fails at tile level
// and not only after barriers are inserted: a copy into a slot completes when the slot is waited
// for, one out of a slot when the slot is acquired again (or the block ends), a Gemm with wait >= 0
// at a later wait that requires it. A slot holds poison (0xFF, uninitialized) from its release to
// its next fill. Accesses of a slot that the agent does not own, or of operands of a matmul in
// flight, are reported.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/sim/tile/barriers.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {

class TileAsync {
 public:
  explicit TileAsync(TileBlock& block) : block_(block), barriers_(block) {}
  void begin_block();
  /// The block or role `agent` runs from here on.
  void enter(size_t agent) { agent_ = agent; }
  int64_t agent() const { return int64_t(agent_); }
  TileBarriers& barriers() { return barriers_; }
  /// The barrier of the cluster; `relaxed`: an arrival that orders no accesses.
  Step cluster_barrier(Intrinsic what, bool relaxed, const Span& span);
  bool waits_for_cluster() const { return cluster_waits_ >= 0; }
  int64_t cluster_arrivals() const { return cluster_arrivals_; }
  /// One ring operation of the running agent; binds the slot if it has one.
  Step ring(int64_t ring, RingOpKind op, const Span& span, int32_t* slot);
  /// Queues a copy for later; false if it takes effect at once.
  bool later(TilePending& copy);
  /// Issues a matmul of the running agent, of which at most `wait` may remain in flight; 0: it
  /// completes at once.
  void matmul(TilePending matmul, int64_t wait);
  /// At most `n` matmuls of the running agent stay in flight.
  void wait_matmuls(int64_t n);
  /// The running agent has ended: checks that its matmuls are complete.
  void end_agent();
  /// All agents have ended: checks the remaining ring slots.
  void end_block();
  /// Reports delayed effects to a tracer.
  void trace_issued(TilePending& late);
  /// Applies these effects now.
  void complete(std::vector<TilePending>& copies);

  /// Whether accesses of `memory` must be passed to `touch` and `touch_box`.
  bool tracks(const TileMemory& memory) const {
    return !completing_ && memory.global < 0 && (memory.ring >= 0 || in_flight_ > 0);
  }
  /// Checks an access of the running agent to the element at `offset`; true if it is wrong and has
  /// been reported.
  bool touch(const TileMemory& memory, int64_t offset, TouchKind kind, const Span& span,
             const std::string& actor);
  bool touch_box(const ResolvedBox& region, TouchKind kind, const Span& span);
  /// "role c", or "the block".
  std::string actor_of(size_t agent) const;
  bool waits(size_t agent) const { return barriers_.waits(agent) || stopped_[agent].ring >= 0; }
  /// "waits for a slot of ring ab to be committed": the state of a blocked agent.
  std::string waits_for(size_t agent) const;
  /// How often each ring was acquired, committed, waited for, released.
  std::string counts() const;

 private:
  Step misused_cluster(const Span& span, const char* verb);
  /// The memory whose cells TileWatch::order uses for barriers of clusters.
  static constexpr int32_t kClusterMemory = -2;
  enum class SlotState : uint8_t { empty, filling, full, reading };
  struct Slot {
    SlotState state = SlotState::empty;
    size_t owner = 0;  // agent that acquired or waits; of an empty one: that released it
    Span since;
    std::vector<TilePending> fills, drains;
  };
  struct Ring {
    int64_t acquired = 0, committed = 0, waited = 0, released = 0;
    std::vector<Slot> slots;
  };
  struct Stopped {
    int64_t ring = -1;
    RingOpKind op = RingOpKind::wait;
  };
  bool asks(int64_t ring, RingOpKind op, const Span& span, int32_t* slot);
  bool acquire(int64_t ring, const Span& span, int32_t* slot);
  bool wait(int64_t ring, const Span& span, int32_t* slot);
  void commit(int64_t ring, const Span& span);
  void release(int64_t ring, const Span& span);
  void complete(const TilePending& late);
  /// Reports a ring operation to the tracer before its effects; false: the run ends here.
  bool trace_sync(int64_t ring, RingOpKind op, int64_t count);
  void trace_waits(int64_t ring, RingOpKind op, int64_t count);
  void poison(int64_t ring, int64_t slot);
  Slot* slot_of(const TileMemory& memory, int64_t offset, int64_t* number);
  bool wrong_slot(const TileMemory& memory, int64_t offset, TouchKind kind, const Span& span,
                  const std::string& actor);

  void report_in_flight(const TilePending& matmul, const TileMemory& memory, int64_t offset,
                        TouchKind kind, const Span& span, const std::string& actor);
  void check_bytes(int64_t ring, const Slot& slot, const Span& span);
  void check_released(int64_t ring, int64_t slot, const Span& span);
  void report_order(int64_t ring, const Span& span, const std::string& verb,
                    const std::string& detail);
  std::string slot_name(int64_t ring, int64_t slot) const;

  TileBlock& block_;
  int64_t cluster_waits_ = -1;  // the agent that waits for the cluster; -1: none
  int64_t cluster_arrivals_ = 0, cluster_completed_ = 0;  // of this block: arrivals, waits
  TileBarriers barriers_;
  size_t agent_ = 0;
  std::vector<Ring> rings_;
  std::vector<std::deque<TilePending>> matmuls_;  // of each agent, in order
  std::vector<Stopped> stopped_;                  // the latest wait of each agent
  int64_t in_flight_ = 0;                         // matmuls of all agents
  bool completing_ = false;                       // a delayed effect takes place
};

}  // namespace tilelab::sim
