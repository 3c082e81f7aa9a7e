// SPDX-License-Identifier: Apache-2.0
// Memory effects of a statement: what it reads and writes, which actor does it, and when the effect
// completes. Barriers, shared memory planning, layouts and schedules all rely on this analysis
// (docs/adr/0010).
#pragma once

#include <set>

#include "core/ir/traverse.h"

namespace tilelab {

/// Accesses memory: threads by their own instructions, a copy engine, or a matrix unit.
enum class Actor : uint8_t { threads, engine, matrix };

/// When an effect completes: at the end of the statement; when its committed group is waited for;
/// when the barrier that counts its bytes completes. Until then sources may still be read and
/// destinations written.
enum class When : uint8_t { at_once, group, transaction };

struct Effect {
  Symbol buffer;  // as written in the statement: a buffer, a view, or a tensor map
  bool write = false;
  const Region* region = nullptr;  // the region in the statement, if any
  Actor who = Actor::threads;
  When when = When::at_once;
  std::vector<RegionDim> box;  // the accessed part; for one element only points
  Layout map;                  // position in the box -> thread, once decided
  /// A single element, accessed by the executing thread; otherwise the operation distributes the
  /// box over threads.
  bool element = false;
  std::optional<Intrinsic> atomic;
  /// A workspace of the operation: written, synchronized, read, and dead afterwards.
  bool scratch = false;
  Span span;

  /// It may still be in progress after the statement.
  bool late() const { return who == Actor::engine || when != When::at_once; }
};

/// Effects of the statement itself, including its expressions but not nested statements. Reads of
/// an operation come before its writes.
std::vector<Effect> effects(const Node& stmt);
/// The reads of an expression; operands of calls follow the table of intrinsics.
std::vector<Effect> effects(const Expr& expr);
std::vector<Effect> effects(const Call& call);

/// Memory that is read or written anywhere in a tree, at any level, by names of tensors and
/// buffers: views and tensor maps are resolved.
struct Touched {
  std::set<Symbol> read, written;
};
Touched touched(const Node& root);
/// Whether the order of the two matters: one writes what the other reads or writes.
bool conflict(const Touched& a, const Touched& b);
/// The same for a part of a tree, with the views in scope.
Touched touched(const Node& part, const BufferViews& views);

/// Whether threads execute the operation element by element according to its layout.
bool distributed_over_threads(const Node& stmt);

/// The scalar intrinsic equivalent to a tile atomic.
Intrinsic intrinsic_of(AtomicOp op);

}  // namespace tilelab
