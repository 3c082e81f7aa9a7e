// SPDX-License-Identifier: Apache-2.0
// Divergence analysis at tile level: which names differ between the threads of a block. A statement
// that uses none of them and no thread intrinsic runs once per agent; any other runs once per
// thread.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/thread_range.h"

namespace tilelab {

class DivergenceAnalysis {
 public:
  /// Collects the lets, vars and local buffers of a kernel whose values depend on the thread.
  explicit DivergenceAnalysis(const Kernel& kernel);

  bool operator()(Symbol name) const { return names_.count(name) || parts_.count(name); }
  /// Whether the value depends on the thread: it reads tid, lane, warp or a varying name, or calls
  /// an intrinsic of single threads (shuffles, atomics).
  bool operator()(const Expr& expr) const;
  /// Whether the statement itself (its operands, not its nested statements) depends on the thread;
  /// so does a loop that threads may exit in different iterations.
  bool operator()(const Node& stmt) const;
  /// Whether the value differs between threads of the range: a name that only ranges of threads
  /// assign is uniform within each of them. Calls of single threads do not count.
  bool varies_within(const ThreadRange& range, const Expr& expr) const;
  bool varies_within(const ThreadRange& range, Symbol name) const;

 private:
  bool breaks_divergently(const Stmt& body, bool under) const;
  /// The conditions around a statement. `assigned`: one depends on the thread, so values assigned
  /// here differ between threads; `splits`: even between those of the range that is here.
  /// `diverges`: loop iterations of a range that executes tile operations diverge.
  struct Around {
    bool assigned = false, splits = false, diverges = false;
    ThreadRange threads;
  };
  bool visit(const Stmt& stmt, const Around& around);
  bool visit_branches(const If& branch, const Around& around);
  /// Adds a name, and all names computed from it.
  bool add(Symbol name);
  /// Adds a name that only a range of threads assigns, and all names computed from it.
  bool add(Symbol name, const ThreadRange& range);
  bool add_assigned(Symbol name, const Stmt& by, const Around& around);
  /// Records which names are computed from which, so that later steps only follow conditions.
  void find_uses(const Stmt& stmt);
  void use(const Expr& value, Symbol by);
  /// The local buffer that the statement writes; empty if none.
  Symbol filled(const Stmt& stmt) const;

  std::unordered_set<Symbol> names_;                            // that differ between any threads
  std::unordered_map<Symbol, std::vector<ThreadRange>> parts_;  // that these ranges assign
  std::unordered_set<Symbol> locals_;                           // buffers of scope local
  std::unordered_map<Symbol, std::vector<Symbol>> made_of_;  // a name -> the names computed from it
};

/// Whether the value reads a name or a buffer of which `is` is true. `uniform` states that its
/// operand is equal in all threads.
bool reads_any(const Expr& expr, FunctionRef<bool(Symbol)> is);

/// Whether each thread executes all of a tile operation, instead of its part: an operation that
/// writes memory of single threads, or reads it where its contents differ between threads.
bool runs_in_each_thread(const Node& stmt, const DivergenceAnalysis& varying,
                         FunctionRef<Scope(Symbol)> scope_of);

}  // namespace tilelab
