// SPDX-License-Identifier: Apache-2.0
// What the text of one role says of what it has under way: how far it runs ahead in its rings,
// where its threads have met, which products may be in flight. Rings that need no barriers (filled
// by groups of copies, emptied by an engine's stores) are ordered by that alone.
#pragma once

#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/ir/func.h"

namespace tilelab {

using RingTable = std::unordered_map<Symbol, const Ring*>;

/// The side of a ring that fills its slots: it acquires and commits; the other waits and releases.
inline bool fills_slots(RingOpKind op) {
  return op == RingOpKind::acquire || op == RingOpKind::commit;
}
/// The operation that begins with a slot, and binds its name.
inline bool takes_slot(RingOpKind op) {
  return op == RingOpKind::acquire || op == RingOpKind::wait;
}

struct RingPlan {
  using Counts = std::unordered_map<const Node*, int64_t>;
  /// At least so many groups of copies are younger than the one that this `wait` is for.
  Counts younger;
  /// At most so many slots are taken and not given back when this `acquire` is reached.
  Counts held;
  /// `acquire`s of slots that other threads may still read: since the slot was given back, the
  /// threads have not met.
  std::unordered_set<const Node*> unmet;
  /// Of one of these: 0 where the operation is never reached.
  static int64_t of(const Counts& counts, const Node& op) {
    auto it = counts.find(&op);
    return it == counts.end() ? 0 : it->second;
  }
  /// Gemms behind which more products may be in flight than they leave.
  std::unordered_set<const Node*> waits;
};

/// Of a role's body, or of a kernel's (roles inside are left out).
RingPlan plan_rings(const Stmt& body, const RingTable& rings);

/// A side of a ring: the one that fills its slots, or the other one.
using RingSide = std::pair<Symbol, bool>;
/// The sides of which some list of a body takes a slot before it has given the last one back; the
/// others have one at a time.
std::set<RingSide> sides_of_several(const Stmt& body);

}  // namespace tilelab
