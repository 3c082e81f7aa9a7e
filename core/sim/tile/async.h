// SPDX-License-Identifier: Apache-2.0
// What a tile-level block has issued and not finished: slots of rings, matrix products in flight.
//
// Effects come as late as the text allows, so that a schedule that is wrong fails here and not
// first where barriers stand: an asynchronous copy into a slot lands when the slot is waited for,
// one out of a slot when the slot is acquired again (or the block ends), a Gemm with wait >= 0 when
// a later wait leaves no room for it. A slot holds poison (0xFF, unwritten) from its release to
// its next fill. Who touches a slot that is not his, or what a product in flight uses, is told.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/sim/tile/barriers.h"
#include "core/sim/tile/spot.h"

namespace tilelab::sim {

class TileAsync {
 public:
  explicit TileAsync(TileBlock& block) : block_(block), barriers_(block) {}
  void begin_block();
  /// Block or role `agent` runs from here on.
  void enter(size_t agent) { agent_ = agent; }
  int64_t agent() const { return int64_t(agent_); }
  TileBarriers& barriers() { return barriers_; }
  /// One ring operation of the running agent; binds the slot where it has one.
  Step ring(int64_t ring, RingOpKind op, const Span& span, int32_t* slot);
  /// Keeps a copy for later; false if it takes effect at once.
  bool later(TilePending& copy);
  /// A product of the running agent, of which `wait` may then be in flight: with none it lands at
  /// once.
  void product(TilePending product, int64_t wait);
  /// At most `n` products of the running agent stay in flight.
  void wait_products(int64_t n);
  /// The running agent has ended: are its products finished?
  void end_agent();
  /// All agents have ended: what is left of the rings.
  void end_block();
  /// A tracer hears of what comes later.
  void tell_issued(TilePending& late);
  /// These take effect now.
  void land(std::vector<TilePending>& copies);

  /// Whether an access of `memory` has to be shown to `touch` and `touch_box`.
  bool tracks(const TileMemory& memory) const {
    return !landing_ && memory.global < 0 && (memory.ring >= 0 || flying_ > 0);
  }
  /// An access of the running agent to the element at `offset`; true if it is wrong: then it has
  /// been told.
  bool touch(const TileMemory& memory, int64_t offset, TouchKind kind, const Span& span,
             const std::string& actor);
  bool touch_box(const ResolvedBox& spot, TouchKind kind, const Span& span);
  /// "role c", or "the block".
  std::string actor_of(size_t agent) const;
  bool waits(size_t agent) const { return barriers_.waits(agent) || stopped_[agent].ring >= 0; }
  /// "waits for a slot of ring ab to be committed": what a stopped agent does.
  std::string waits_for(size_t agent) const;
  /// How often each ring was acquired, committed, waited for, released.
  std::string counts() const;

 private:
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
  void land(const TilePending& late);
  /// The tracer hears of a ring operation before it changes anything; false: the run ends here.
  bool tell(int64_t ring, RingOpKind op, int64_t count);
  void tell_waits(int64_t ring, RingOpKind op, int64_t count);
  void poison(int64_t ring, int64_t slot);
  Slot* slot_of(const TileMemory& memory, int64_t offset, int64_t* number);
  bool wrong_slot(const TileMemory& memory, int64_t offset, TouchKind kind, const Span& span,
                  const std::string& actor);

  void tell_flying(const TilePending& product, const TileMemory& memory, int64_t offset,
                   TouchKind kind, const Span& span, const std::string& actor);
  void check_bytes(int64_t ring, const Slot& slot, const Span& span);
  void check_released(int64_t ring, int64_t slot, const Span& span);
  void tell_order(int64_t ring, const Span& span, const std::string& verb,
                  const std::string& detail);
  std::string slot_name(int64_t ring, int64_t slot) const;

  TileBlock& block_;
  TileBarriers barriers_;
  size_t agent_ = 0;
  std::vector<Ring> rings_;
  std::vector<std::deque<TilePending>> products_;  // of each agent, in their order
  std::vector<Stopped> stopped_;                   // what each agent waited for last
  int64_t flying_ = 0;                             // products of all agents
  bool landing_ = false;                           // a late effect takes place
};

}  // namespace tilelab::sim
