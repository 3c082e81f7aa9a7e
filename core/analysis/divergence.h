// SPDX-License-Identifier: Apache-2.0
// Which names differ between the threads of a block, at tile level. A statement that uses none of
// them and no thread intrinsic runs once per agent; any other runs once per thread.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/thread_range.h"

namespace tilelab {

class DivergenceAnalysis {
 public:
  /// The lets, vars and local buffers of a kernel whose values depend on the thread.
  explicit DivergenceAnalysis(const Kernel& kernel);

  bool operator()(Symbol name) const { return names_.count(name) != 0; }
  /// Whether the value depends on the thread: reads tid, lane, warp, a varying name, or calls an
  /// intrinsic that involves single threads (shuffles, atomics).
  bool operator()(const Expr& expr) const;
  /// Whether the statement itself (its operands; not its nested statements) depends on the thread;
  /// so does a loop that a thread may leave while others go on.
  bool operator()(const Node& stmt) const;

 private:
  bool left_apart(const Stmt& body, bool under) const;
  /// What is around a statement: `assigned`: a condition of single threads, so that what it assigns
  /// differs between them; `diverges`: one that also parts the threads of a range, so that the
  /// iterations of a loop do.
  struct Around {
    bool assigned = false, diverges = false;
    ThreadRange threads;
  };
  bool visit(const Stmt& stmt, const Around& around);
  bool visit_branches(const If& branch, const Around& around);
  /// Adds a name, and all that are made of its value.
  bool add(Symbol name);
  /// Remembers which names are made of which, so that a round needs to follow conditions alone.
  void find_uses(const Stmt& stmt);
  void use(const Expr& value, Symbol by);
  /// The local buffer that the statement writes; none: it writes no such.
  Symbol filled(const Stmt& stmt) const;

  std::unordered_set<Symbol> names_;
  std::unordered_set<Symbol> locals_;                        // buffers of scope local
  std::unordered_map<Symbol, std::vector<Symbol>> made_of_;  // a name -> those that read it
};

}  // namespace tilelab
