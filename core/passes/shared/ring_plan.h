// SPDX-License-Identifier: Apache-2.0
// Analysis of the asynchronous operations of one role: how many groups are in flight in its rings,
// where its threads have synchronized, which matmuls may be in flight. It alone orders rings that
// need no barriers (filled by groups of copies, emptied by an engine's stores).
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
/// The operation that takes a slot and binds its name.
inline bool takes_slot(RingOpKind op) {
  return op == RingOpKind::acquire || op == RingOpKind::wait;
}

/// Whether barriers count the arrivals at its slots: one for full and one for empty slots.
inline bool counts_arrivals(const Ring& ring) {
  return ring.fill == RingFill::tx || ring.fill == RingFill::arrive;
}
/// Whether barriers of its threads order the two sides.
inline bool is_ordered_by_barriers(const Ring& ring) {
  return ring.fill == RingFill::group || ring.fill == RingFill::sync;
}

struct RingPlan {
  using Counts = std::unordered_map<const Node*, int64_t>;
  /// Lower bound of the groups of copies that are younger than the one that this `wait` is for.
  Counts younger;
  /// Upper bound of the slots taken and not given back when this `acquire` is reached.
  Counts held;
  /// `acquire`s of slots that other threads may still read: there was no barrier since the slot was
  /// given back.
  std::unordered_set<const Node*> unsynchronized;
  /// Result for one of these: 0 if the operation is never reached.
  static int64_t of(const Counts& counts, const Node& op) {
    auto it = counts.find(&op);
    return it == counts.end() ? 0 : it->second;
  }
  /// Gemms after which more matmuls may be in flight than they allow.
  std::unordered_set<const Node*> waits;
};

/// For the body of a role, or of a kernel (without nested roles).
RingPlan plan_rings(const Stmt& body, const RingTable& rings);

/// A side of a ring: the one that fills its slots, or the other one.
using RingSide = std::pair<Symbol, bool>;
/// The sides for which some list of a body takes a slot before it has given the last one back; the
/// others have one at a time.
std::set<RingSide> sides_of_several(const Stmt& body);

}  // namespace tilelab
