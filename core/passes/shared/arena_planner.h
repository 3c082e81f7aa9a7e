// SPDX-License-Identifier: Apache-2.0
// Offsets of shared buffers in the arena, from their live ranges: for plan_shared_memory, and for
// schedule_pipelines to know how many stages fit.
#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/analysis/divergence.h"
#include "core/analysis/effects.h"
#include "core/ir/func.h"

namespace tilelab {

struct ArenaPlace {
  const Buffer* buffer = nullptr;
  int64_t bytes = 0, align = 16, at = 0;
  int64_t first = -1, last = -1;  // statements, counted in program order
  int depth = 0;                  // loops around the declaration
  std::set<Symbol> roles;
  bool alone = false;   // never shares memory
  bool ring = false;    // shares it only with buffers that its consumer uses after its last use
  bool remote = false;  // other blocks of the cluster write it at any time
  Symbol consumer;      // of the ring; none: the block fills the ring itself
};

class ArenaPlanner {
 public:
  /// Buffers share memory only if all need more than `unshared_bytes`. `stages`: of the buffers
  /// that become rings of so many slots.
  ArenaPlanner(const Kernel& kernel, int64_t unshared_bytes,
               const std::map<Symbol, int64_t>* stages = nullptr);
  /// Memory of rings is shared only if the buffers need more than `limit` otherwise, or if more
  /// blocks without roles then fit a processor.
  void plan(int64_t limit);
  int64_t total() const { return total_; }
  int64_t sum() const;
  bool reused() const { return reused_; }
  const std::vector<ArenaPlace>& places() const { return places_; }

 private:
  void declare(const Buffer& buffer);
  /// `late`: the access may still be in flight after the statement.
  void use(Symbol name, bool late);
  /// Workspaces live only within their operation, whatever loop contains it.
  void use_workspace(Symbol name);
  void uses_of(const Stmt& stmt);
  void visit(const Stmt& stmt);
  /// Buffers used in the loop and declared outside live to its end.
  void close_loop();
  /// Whether any two can share: per set of roles, the first to end and the last to begin.
  bool any_can_share() const;
  /// First fit: the lowest aligned offset not taken by a buffer with an overlapping live range.
  void place_all(bool share);
  bool may_share(const ArenaPlace& a, const ArenaPlace& b) const;

  const Kernel& kernel_;
  const DivergenceAnalysis varying_{kernel_};
  const BufferViews views_;
  const std::map<Symbol, int64_t>* stages_;
  std::vector<ArenaPlace> places_;
  std::unordered_map<Symbol, size_t> index_;
  std::vector<int64_t> loops_;  // start of each enclosing loop
  std::set<int64_t> branches_;  // those of `loops_` that are branches for some threads
  std::set<size_t> open_;       // used in a loop that is not closed yet
  Symbol role_;
  int64_t unshared_bytes_;  // bytes that are never shared
  int64_t now_ = 0, total_ = 0;
  bool reused_ = false;
  bool share_rings_ = false;
  std::unordered_map<Symbol, const Ring*> rings_;
};

/// Bytes that a slot of the buffer takes, and its alignment: for swizzles and engines.
int64_t slot_alignment(const Buffer& buffer);
int64_t slot_bytes(const Buffer& buffer);

}  // namespace tilelab
