// SPDX-License-Identifier: Apache-2.0
// What a statement reads and writes, who does it, and when it takes effect: the one answer that
// barriers, the plan of shared memory, layouts and schedules rest on (docs/adr/0010).
#pragma once

#include <set>

#include "core/ir/traverse.h"

namespace tilelab {

/// Who touches the memory: threads by their own instructions, an engine that copies, or a matrix
/// unit.
enum class Actor : uint8_t { threads, engine, matrix };

/// When: before the statement is over; when the group that it was committed to is waited for; when
/// the barrier that counts its bytes completes. Until then sources may still be read and
/// destinations written.
enum class When : uint8_t { at_once, group, transaction };

struct Effect {
  Symbol buffer;  // by the name that stands there: a buffer, a view, or a tensor map
  bool write = false;
  const Region* region = nullptr;  // that names it, if one does
  Actor who = Actor::threads;
  When when = When::at_once;
  std::vector<RegionDim> box;  // what of it; one element: only points
  Layout map;                  // position in the box -> thread, where that is decided
  /// Of one element, by whoever runs the statement; else a whole operation shares the box out.
  bool element = false;
  std::optional<Intrinsic> atomic;
  /// A workspace of the operation: written, met over, read, and then of no use to anybody.
  bool scratch = false;
  Span span;

  /// It may still be going on when the statement is over.
  bool late() const { return who == Actor::engine || when != When::at_once; }
};

/// Of the statement itself: what stands in its own expressions included, nested statements not.
/// Reads of an operation come before its writes.
std::vector<Effect> effects(const Node& stmt);
/// The reads of an expression; a call's operands by the table of intrinsics.
std::vector<Effect> effects(const Expr& expr);
std::vector<Effect> effects(const Call& call);

/// Memory that is read and written somewhere in a tree, at any level, by the names of the tensors
/// and buffers themselves: views and tensor maps are followed.
struct Touched {
  std::set<Symbol> read, written;
};
Touched touched(const Node& root);
/// The same of a part of a tree that has these views.
Touched touched(const Node& part, const BufferViews& views);

/// Whether threads do the operation element by element of its box, by a layout that it has.
bool distributed_over_threads(const Node& stmt);

/// The intrinsic that does to one element what a tile atomic does to each.
Intrinsic intrinsic_of(AtomicOp op);

}  // namespace tilelab
