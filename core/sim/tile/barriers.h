// SPDX-License-Identifier: Apache-2.0
// Barriers that a tile-level kernel uses explicitly: arrivals of agents, bytes of engine copies,
// and waits. A copy completes when its phase has all arrivals, as late as the semantics allow.
#pragma once

#include "core/sim/machine/machine.h"
#include "core/sim/tile/resolved_box.h"

namespace tilelab::sim {

struct TilePending;

/// An operation whose effect may be delayed.
struct LateOp : TileOp {
  virtual void complete(TileBlock& block, const TilePending& pending) const = 0;
};

/// A copy or matmul that has not taken effect.
struct TilePending {
  const LateOp* op = nullptr;
  std::vector<ResolvedBox> regions;  // destination first
  bool clear = false;                // of a gemm
  Span span;
  int64_t event = -1;  // of a trace, at which it was issued
};

class TileBarriers {
 public:
  explicit TileBarriers(TileBlock& block) : block_(block) {}
  void begin_block();
  void arrive(int32_t number, int64_t n, size_t agent, const Span& span);
  void expect(int32_t number, int64_t bytes) { states_[size_t(number)].barrier.expect(bytes); }
  /// Whether `agent` may continue or must ask again.
  Step wait(int32_t number, int64_t parity, size_t agent);
  /// Arrives on the first call, then waits until that phase completes.
  Step sync(int32_t number, int64_t n, size_t agent, const Span& span);
  /// An engine copy, which announces its own bytes.
  void copy(int32_t number, TilePending copy);
  /// A pending copy into the byte at `at` of the block's memory, or null.
  const TilePending* filling(int64_t at) const;
  /// All agents have ended: checks that all copies are complete.
  void end_block();

  bool waits(size_t agent) const { return waiting_[agent].number >= 0; }
  /// "waits for full[1], parity 0".
  std::string waits_for(size_t agent) const;
  /// What each awaited barrier still lacks.
  std::string counts() const;
  /// The source locations of arrivals at the barrier for which `agent` waits.
  std::vector<FindingSide> arrivals(size_t agent, FunctionRef<std::string(size_t)> state) const;

 private:
  struct State {
    Barrier barrier;
    std::vector<TilePending> copies;
  };
  struct Waiting {
    int32_t number = -1;
    int64_t parity = 0;
    int64_t phases = -1;  // of a sync: the number completed when it arrived
  };
  static bool completes(const State& s) { return s.barrier.pending() <= 0 && !s.copies.empty(); }
  /// Applies the copies of a phase that has all its arrivals.
  void complete_copies(State& state);
  /// Reports to a tracer; false: the run ends here.
  bool trace_sync(int32_t number, const char* verb, int64_t phase, size_t agent);
  void trace_waits(int32_t number, int64_t parity, size_t agent);
  std::string name(int32_t number) const;
  std::string traced_name(int32_t number) const;
  const TileBarrierArray& array_of(int32_t number) const;

  TileBlock& block_;
  std::vector<State> states_;
  std::vector<Waiting> waiting_;  // by agent
};

}  // namespace tilelab::sim
