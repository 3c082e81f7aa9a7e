// SPDX-License-Identifier: Apache-2.0
// What insert_barriers knows of memory: which elements a statement touches, in which threads, and
// when two statements depend on each other.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/analysis/access.h"
#include "core/analysis/divergence.h"
#include "core/analysis/effects.h"
#include "core/analysis/thread_elements.h"
#include "core/ir/build.h"
#include "core/ir/intrinsics/memory_order.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"

namespace tilelab {

enum class Ordered : uint8_t { no, acquired, released };

/// One access of a statement to a buffer. With `layout`, the thread of each element is known: the
/// box [lo, lo + extent) is spread over threads by the layout, position by position.
struct MemoryAccess : BufferAccess {
  bool element = false;  // of one element, outside of T.Parallel
  bool engine = false;   // by the tensor engine
  bool copied = false;   // by a copy that ends with its group
  bool own = false;      // and in code that the user wrote for each thread
  /// None, but all of the buffer, whose elements an atomic access orders between blocks.
  Ordered orders = Ordered::no;
  std::optional<Layout> layout = {};
  int64_t first_thread = 0;  // of the role, from which the layout's threads count
  std::vector<Expr> lo = {};
  std::vector<int64_t> extents = {};
  std::vector<ThreadIndex> threads = {};  // its index; empty: nothing is known of it
  Symbol ring = {};                       // whose slot it is in
  bool produces = false;                  // a slot that was acquired; else one that was waited for
};

using Accesses = std::vector<MemoryAccess>;

/// Byte range of a buffer in the arena, to see aliases.
struct ByteRange {
  int64_t lo = 0, hi = 0;
};

/// Sums among themselves and so on; a sum and a minimum depend on their order. Single loads and
/// stores by atomics are how threads talk without meeting: no barrier of ours comes between.
bool commute(std::optional<Intrinsic> a, std::optional<Intrinsic> b);
/// One side of a ring fills the slot, the other uses it: acquire, commit, wait and release are what
/// puts them in order.
inline bool ordered_by_ring(const MemoryAccess& a, const MemoryAccess& b) {
  return a.ring && a.ring == b.ring && a.produces != b.produces;
}

/// Whether none of `threads` touches an element that another one touches in the other access.
bool own_element(const MemoryAccess& before, const MemoryAccess& now, int64_t threads);

/// "other threads write A before it is read here", "reads A"
const char* did(const MemoryAccess& access);
const char* is_done(const MemoryAccess& access);
const char* does(const MemoryAccess& access);

class BarrierAccesses {
 protected:
  BarrierAccesses(const Func& func, const Kernel& kernel);

  static ByteRange place(const Buffer& buffer);
  Symbol root(Symbol name) const { return views_.base_of(name); }
  bool tracked(Symbol name) const;
  bool global(Symbol name) const { return buffers_.at(root(name))->scope == Scope::global; }
  ByteRange place_of(Symbol root) const;
  // ---- what a statement touches
  /// An effect as this pass compares it.
  MemoryAccess access(const Effect& effect, const Parallel* loop) const;
  /// Keeps the layout only if equal boxes mean equal elements: the box lies at the same place each
  /// time, or moves by at least its own width with every enclosing loop that moves it.
  void settle(MemoryAccess& access) const;
  /// An element access in a T.Parallel, seen as a box: each loop variable stands alone, times one,
  /// in one index (then elements and iterations correspond).
  void element(MemoryAccess& access, const Effect& effect, const Parallel& loop) const;
  void add(const std::vector<Effect>& effects, const Parallel* loop, Accesses& out) const;
  /// What a statement touches, with what is nested in it; its workspaces apart.
  void collect(const Stmt& stmt, const Parallel* loop, Accesses& out);
  /// A loop whose iterations are lanes of a vector: one access of each thread. Threads can't meet
  /// between lanes, and what lanes of two threads do to one element is a race.
  static bool lanes(const Stmt& stmt);
  /// Whether the statement, or one in it, depends on the thread.
  bool of_threads(const Node& stmt) const;
  /// What other blocks may read once the statement has released it, or have written before it
  /// acquires: all that the kernel writes, but for what the atomic accesses themselves are of.
  /// `own_code`: in code that the user wrote for each thread.
  Accesses ordered_by(const Stmt& stmt, Ordered side, bool own_code) const;
  /// Workspaces that an operation writes, meets over, and reads.
  static Accesses workspaces(const Stmt& stmt, bool write);

  BufferTable buffers_;
  BufferViews views_;
  std::vector<Symbol> written_;  // global memory, where atomic accesses order it
  DivergenceAnalysis varying_;
  std::unordered_map<Symbol, ByteRange> places_;
  std::unordered_set<Symbol> fixed_;  // names that are the same throughout the kernel
  Substitution lets_;
  ThreadElements elements_;
  std::vector<Symbol> loops_;                     // variables of the enclosing loops
  int64_t first_thread_ = 0;                      // of the role around
  std::unordered_map<Symbol, RingOpKind> slots_;  // what bound the name of a slot last
};

}  // namespace tilelab
