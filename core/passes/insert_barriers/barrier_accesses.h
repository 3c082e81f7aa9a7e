// SPDX-License-Identifier: Apache-2.0
// Memory accesses for insert_barriers: which elements a statement accesses, in which threads, and
// when two statements depend on each other.
#pragma once

#include <optional>
#include <unordered_set>
#include <utility>
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
/// layout distributes the box [lo, lo + extent) over threads, position by position.
struct MemoryAccess : BufferAccess {
  bool element = false;  // of one element, outside of T.Parallel
  bool engine = false;   // by the copy engine
  bool copied = false;   // by a copy that completes with its group
  bool own = false;      // and in per-thread code of the user
  bool leader = false;   // by the first thread of the role or block, for all of them
  /// Not `no`: all of the buffer, whose elements an atomic access orders between blocks.
  Ordered orders = Ordered::no;
  std::optional<Layout> layout = {};
  int64_t first_thread = 0;  // of the role, where the layout's thread 0 is
  std::vector<Expr> lo = {};
  std::vector<int64_t> extents = {};
  std::vector<ThreadIndex> threads = {};  // the thread's index; empty: unknown
  Symbol ring = {};                       // the ring that contains the accessed slot
  bool produces = false;                  // the slot was acquired; otherwise, waited for
  bool first_replica = false;             // of the replicas of an iteration, only the first writes
  bool released = false;  // the other side has the slot: pending only for buffers in its memory
};

using Accesses = std::vector<MemoryAccess>;

/// Byte range of a buffer in the arena, for alias analysis.
struct ByteRange {
  int64_t lo = 0, hi = 0;
};

/// Whether two operations commute, such as two sums; a sum and a minimum do not. Atomic loads and
/// stores are how threads communicate without barriers, so the pass inserts no barrier between
/// them.
bool commute(std::optional<Intrinsic> a, std::optional<Intrinsic> b);
/// Whether acquire, commit, wait and release order the two: one side of a ring fills the slot, the
/// other uses it.
inline bool ordered_by_ring(const MemoryAccess& a, const MemoryAccess& b) {
  return a.ring && a.ring == b.ring && a.produces != b.produces;
}

/// Whether no thread accesses an element that a different thread accesses in the other access.
bool same_thread_per_element(const MemoryAccess& before, const MemoryAccess& now, int64_t threads);

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
  /// Whether other buffers have a part of its memory.
  bool shares_memory(Symbol root) const;
  /// By an outermost loop: the names that it and what follows do not change.
  using Invariants = std::unordered_map<Symbol, std::unordered_set<Symbol>>;
  /// Finds the invariants of the loops of a kernel or role.
  void enter_body(const Stmt& body);
  void bind(Symbol name, Expr value);
  /// Whether the name has one value while the outermost enclosing loop runs, and after it.
  /// `of_tile`: in a tile of the loop over tiles, while the outermost loop of the tile runs.
  bool keeps_its_value(Symbol name, bool of_tile) const;
  /// The enclosing loops after the variables of the loop over tiles.
  std::vector<Symbol>::const_iterator inner_loops() const { return loops_.begin() + int(tiles_); }
  struct RoleThreads {
    int64_t first = 0, count = 0;
  };
  /// Sets the threads of the enclosing role, or of the block. Returns those before.
  RoleThreads enter(int64_t first, int64_t count) {
    return {std::exchange(first_thread_, first), elements_.set_threads(count)};
  }
  /// Binds names that sibling scopes bind to several values, until `leave_scope`.
  void bind(const Stmt& stmt);
  size_t bindings() const { return outer_.size(); }
  void leave_scope(size_t bindings);
  /// Whether names bound in the statement end with it.
  static bool opens_scope(const StmtNode& stmt) {
    return stmt.kind != Kind::Seq && stmt.kind != Kind::Let;
  }
  // ---- what a statement accesses
  /// An effect as this pass compares it.
  MemoryAccess access(const Effect& effect, const Parallel* loop) const;
  /// Whether the variable, one of `moving`, moves the box by at least its own width.
  bool steps_over(const MemoryAccess& access, Symbol var, const std::vector<Symbol>& moving) const;
  /// Whether no two tiles of the enclosing loop over tiles access the same element.
  bool disjoint_in_tiles(const MemoryAccess& access) const;
  /// Keeps the layout only if equal boxes imply equal elements: the box is loop-invariant, or each
  /// enclosing loop that moves it moves it by at least its own width. In the tiles of a loop over
  /// tiles with disjoint boxes, that is asked of the loops of a tile.
  void validate_layout(MemoryAccess& access) const;
  /// An element access in a T.Parallel as a box: each loop variable appears in exactly one index,
  /// alone and with factor 1 (so elements and iterations correspond).
  void element(MemoryAccess& access, const Effect& effect, const Parallel& loop) const;
  /// Whether the boxes of the two accesses are disjoint in some dimension, whenever they run.
  bool are_disjoint(const MemoryAccess& a, const MemoryAccess& b) const;
  void add(const std::vector<Effect>& effects, const Parallel* loop, Accesses& out) const;
  /// The accesses of a statement and its nested statements, without its workspaces.
  void collect(const Stmt& stmt, const Parallel* loop, Accesses& out);
  /// Whether the statement is a loop whose iterations are vector lanes: one access per thread.
  /// There is no barrier between lanes, and conflicting lanes of two threads are a data race.
  static bool lanes(const Stmt& stmt);
  /// Whether the statement, or one nested in it, depends on the thread.
  bool of_threads(const Node& stmt) const;
  /// Whether it is per-thread code of the user.
  bool is_own_code(const Stmt& stmt) const {
    return varying_(*stmt) || (lanes(stmt) && of_threads(*stmt));
  }
  /// Whether threads fill shared memory from tensors, tile by tile: the statement ends when the
  /// loads have arrived.
  bool waits_for_loads(const Stmt& stmt) const;
  /// Memory that other blocks may read after this release, or have written before this acquire: all
  /// that the kernel writes except the operands of atomic accesses. `own_code`: in per-thread code
  /// of the user.
  Accesses ordered_by(const Stmt& stmt, Ordered side, bool own_code) const;
  /// Workspaces that an operation writes, synchronizes on, and reads.
  static Accesses workspaces(const Stmt& stmt, bool write);

  BufferTable buffers_;
  BufferViews views_;
  std::vector<Symbol> written_;  // global memory, where atomic accesses order it
  DivergenceAnalysis varying_;
  std::unordered_map<Symbol, ByteRange> places_;
  std::unordered_set<Symbol> fixed_;  // names that never change in the kernel
  Invariants invariant_, of_tile_;
  Substitution lets_;
  std::unordered_set<Symbol> ambiguous_;        // names that lets bind to several values
  std::vector<std::pair<Symbol, Expr>> outer_;  // their values in outer scopes
  ThreadElements elements_;
  std::vector<Symbol> loops_;                     // variables of the enclosing loops, or none
  size_t tiles_ = 0;                              // how many of the first are a tile's
  int64_t first_thread_ = 0;                      // of the enclosing role
  std::unordered_map<Symbol, RingOpKind> slots_;  // the operation that bound the slot's name last
};

}  // namespace tilelab
