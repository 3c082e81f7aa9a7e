// SPDX-License-Identifier: Apache-2.0
// What insert_barriers knows of memory: which elements a statement touches, in which threads, and
// when two statements depend on each other.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/ir/varying.h"
#include "core/layout/layout.h"

namespace tilelab {

/// One access of a statement to a buffer. With `layout`, the thread of each element is known: the
/// box [lo, lo + extent) is spread over threads by the layout, position by position.
struct MemoryAccess {
  Symbol buffer;
  bool write = false;
  std::string atomic;    // the operation
  bool element = false;  // of one element, outside of T.Parallel
  bool own = false;      // and in code that the user wrote for each thread
  std::optional<Layout> layout;
  std::vector<Expr> lo;
  std::vector<int64_t> extents;
  Span span;
  std::vector<Expr> index = {};  // of an element
};

using Accesses = std::vector<MemoryAccess>;

/// Byte range of a buffer in the arena, to see aliases.
struct ByteRange {
  int64_t lo = 0, hi = 0;
};

class BarrierAccesses {
 protected:
  BarrierAccesses(const Func& func, const Kernel& kernel);

  static ByteRange place(const Buffer& buffer);
  Symbol root(Symbol name) const;
  bool tracked(Symbol name) const;
  bool global(Symbol name) const { return buffers_.at(root(name))->scope == Scope::global; }
  bool overlap(Symbol a, Symbol b) const;
  /// The same thread touches each element in both.
  static bool same_thread(const MemoryAccess& a, const MemoryAccess& b);
  /// Sums among themselves and so on; a sum and a minimum depend on their order. Single loads and
  /// stores by atomics are how threads talk without meeting: no barrier of ours comes between.
  static bool commute(const std::string& a, const std::string& b);
  bool hazard(const MemoryAccess& before, const MemoryAccess& now) const;
  // ---- what a statement touches
  /// The access of a tile operation to a region under its layout.
  void touch(const Expr& expr, bool write, const Layout& layout, Accesses& out) const;
  static MemoryAccess unknown(Symbol buffer, bool write, Span span, std::string atomic = "");
  /// Keeps the layout only if equal boxes mean equal elements: the box lies at the same place each
  /// time, or moves by at least its own width with every enclosing loop that moves it.
  void settle(MemoryAccess& access) const;
  /// Loads inside an expression.
  void reads(const Expr& expr, const Parallel* loop, Accesses& out) const;
  /// An element access in a T.Parallel, seen as a box: each loop variable stands alone, times one,
  /// in one index (then elements and iterations correspond).
  MemoryAccess element(Symbol buffer, const std::vector<Expr>& index, bool write,
                       const Parallel* loop, Span span) const;
  void collect(const Stmt& stmt, const Parallel* loop, Accesses& out) const;
  void intrinsic(const Call& call, const Parallel* loop, Span span, Accesses& out) const;
  /// Workspaces that an operation writes, meets over, and reads.
  static std::vector<Symbol> workspaces(const Stmt& stmt);

  BufferTable buffers_;
  Varying varying_;
  std::unordered_map<Symbol, ByteRange> places_;
  std::unordered_map<Symbol, Symbol> views_;
  std::unordered_set<Symbol> fixed_;  // names that are the same throughout the kernel
  Substitution lets_;
  std::vector<Symbol> loops_;  // variables of the enclosing loops
};

}  // namespace tilelab
