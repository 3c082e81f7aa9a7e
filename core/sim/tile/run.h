// SPDX-License-Identifier: Apache-2.0
// Runs a TileImage: one TileBlock per worker runs blocks sequentially.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/sim/machine/tracer.h"
#include "core/sim/program/run.h"
#include "core/sim/tile/image.h"
#include "core/sim/tile/watch.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

class TileBlock;
class TileAsync;
class NaNProvenance;
class TileLog;
struct LoggedWrite;

/// An agent's program, or a T.Parallel's with a chunk of iterations as lanes.
class TileRunner : public LaneRunner {
 public:
  TileRunner(TileBlock& block, const TileParallel* parallel);
  /// Runs every chunk of a T.Parallel, called from `outer`.
  Step run_parallel(TileRunner& outer, const CallSite& site);

  /// A scalar operand: the value in the first active lane.
  int64_t scalar(const CallSite& site, int32_t operand) {
    const Operand& o = site.operands[size_t(operand)];
    return integer(o.regs[0], o.elem, scalar_lane());
  }
  const uint8_t* scalar_bytes(const CallSite& site, int32_t operand) {
    const Operand& o = site.operands[size_t(operand)];
    return at(o.regs[0]) + scalar_lane() * elem_bytes(o.elem);
  }
  int scalar_lane() { return std::max(first_active(), 0); }
  int64_t lane_count() const { return lanes_; }
  /// Whether the active lanes are a range: the threads that execute a tile operation together.
  bool neighbours() const;
  /// The event (tile/provenance.h) of a register's lane.
  int32_t event_of(Reg reg, int lane) const;
  /// "iteration i = 7", "thread 7", or "" if lanes are not threads.
  std::string actor_of_lane(int lane) const;

 protected:
  void load(const Access&, const Instr&) override;
  void store(const Access&, const Instr&) override;
  Step call(const CallSite& site, const Instr& instr) override;
  void out_of_bounds(const Instr& instr, int lane, int64_t index, int64_t limit) override;
  void zero_divisor(const Instr& instr, int lane) override;
  void endless(const Instr& instr, const std::string& text) override;

 private:
  // tile/memory.cpp
  void load_lanes(const CallSite& site);
  void store_lanes(const CallSite& site);
  void atomic_lanes(const CallSite& site);
  bool start_of(const TileAccess& access, const CallSite& site, int64_t* offset);
  void addresses(const TileAccess& access, const CallSite& site);
  void add_index(const TileIndex& index, const CallSite& site);
  void report_outside(const TileAccess& access, const CallSite& site, bool write);
  Finding outside_finding(const TileMemory& m, const Span& where, const std::vector<int64_t>& index,
                          int64_t lane, bool write);
  std::vector<int64_t> indices_of(const TileAccess& access, const CallSite& site, int lane);
  // tile/outside.cpp
  bool noted(const TileAccess& access) const;
  void note_guarded(const TileAccess& access, const CallSite& site, bool write);
  void note_outside(const TileAccess& access, const CallSite& site, bool write);
  bool selected_by_padding(const TileAccess& access, size_t lane) const;
  void check_used(const TileAccess& access);
  std::string element_of(const TileAccess& access, const CallSite& site, int lane);
  std::string lane_name(int64_t number) const;
  bool guessed(const TileAccess& access) const;
  int64_t extent_of(size_t variable) const;
  int64_t first_iteration() const;
  void watch(const TileAccess& access, const CallSite& site, TouchKind kind, const uint8_t* value);
  bool watched_as_run(const TileAccess& access, int64_t start, TouchKind kind);
  bool reported_as_run(TileWatch& watch, const TileAccess& access, int64_t start, TouchKind kind);
  bool may_conflict(const TileAccess& access) const;
  bool may_conflict_between_blocks(const TileMemory& memory) const;
  // tile/padded_lanes.cpp
  struct OutsideLoad;
  bool pads(const TileAccess& access) const;
  void pad_loaded(const TileAccess& access, int64_t id);
  PaddedElements::Id padding_of(const OutsideLoad& load);
  void pad_stored(const TileAccess& access, const uint8_t* value);
  // tile/provenance_lanes.cpp
  void traced(const Instr& instr) override;
  void traced_element(const Instr& instr);
  void traced_choice(const Instr& instr);
  void traced_number(const Instr& instr, int operands, Elem to, Elem from,
                     FunctionRef<std::string(const std::vector<std::string>&)> text);
  void copy_events(Reg to, Reg from);
  std::vector<int32_t>& events_of(Reg reg);
  std::string loads_text(int lane);
  void trace_load(const TileAccess& access, const CallSite& site);
  void trace_store(const TileAccess& access, const CallSite& site);
  void trace_element(const TileAccess& access, const CallSite& site, int lane, bool adds);
  void forget_events();
  void take_events(TileRunner& outer, const CallSite& site);
  friend class TileBlock;
  class TileAsync;
  void fill_variables();
  void carry_out(TileRunner& outer);
  void shuffle(const CallSite& site);
  void watch_whole_warps();
  // tile/traced.cpp
  void trace_access(const CallSite& site, bool write, bool atomic);
  // tile/logged.cpp
  void log_load(const CallSite& site, const TileAccess& access, const uint8_t* values);
  void log_operands(const TileAccess& access, size_t lane, LoggedWrite& write);
  void log_store(const TileAccess& access, const char* how);

  TileBlock& block_;
  const TileParallel* parallel_ = nullptr;
  int64_t chunk_ = 1;            // lanes of this chunk, active or not
  std::vector<int64_t> origin_;  // of the variables
  std::vector<std::vector<int32_t>>
      lane_values_;  // of variables from `split` on, relative to the origin
  std::vector<int64_t> offsets_, index_;
  std::vector<uint8_t> outside_, kept_;
  bool any_outside_ = false;
  uint32_t calls_ = 0;
  /// Guarded loads of this chunk that were out of bounds in some lanes.
  struct OutsideLoad {
    Span span;
    int32_t memory = 0;
    std::vector<uint8_t> lanes;
    bool conditional = false;                 // a condition kept lanes of the chunk from it
    std::vector<std::vector<int64_t>> index;  // by dimension and lane
  };
  std::unordered_map<int64_t, OutsideLoad> outside_loads_;
  /// Loads of this chunk that gave padding to some lanes.
  std::unordered_map<int64_t, std::vector<PaddedElements::Id>> padded_loads_;
  // For tracing of NaN and infinity: the events of registers, and the latest loads.
  struct Loaded {
    Span span;
    int32_t memory = 0;
    std::vector<int64_t> offsets;  // -1: the lane did not load
    std::vector<uint8_t> values;
  };
  std::unordered_map<Reg, std::vector<int32_t>> events_;
  std::map<int64_t, Loaded> loaded_;
};

/// Index of the `i`-th block to run: strips of 8 blocks along y, x slower than y within one. For a
/// matmul whose x and y select the tiles, the blocks of a strip share operands in the cache; row
/// order would stream one whole matrix through it.
int64_t in_strips(int64_t i, const std::array<int64_t, 3>& grid);

/// The results of the blocks of one worker.
struct TileReport {
  using Key = std::tuple<int, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, std::string>;
  using Findings = std::map<Key, std::pair<int64_t, Finding>>;  // with the first block
  Findings findings;
  Findings warnings;  // of a plain run
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::pair<int64_t, Note>> notes;
  std::vector<std::pair<int64_t, Recorded>> records;
  /// Guarded accesses of global memory, by line and memory: whether any was in bounds, and the
  /// first out of bounds.
  struct Guarded {
    bool inside = false;
    int64_t block = -1;  // -1: none was out of bounds
    Finding outside;
    int64_t steps = 0;  // the number with some out of bounds,
    bool all = false;   // and whether in one of them no lane was masked
  };
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, int32_t, bool>, Guarded> guarded;
  int64_t lost_records = 0, blocks = 0;
  bool stopped = false;
  int64_t failed_block = -1;         // the first one with a finding,
  std::optional<TraceState> failed;  // and its memory then

  void add(int64_t block, Finding finding) { add(findings, block, std::move(finding)); }
  static void add(Findings& into, int64_t block, Finding finding);
  void add(int64_t block, Note note);
  void add(const TileAccess& access, const Guarded& seen);
  /// Reports lines whose accesses of a tensor were all out of bounds.
  void report_never_inside(Findings& into);
  void merge(TileReport&& other);
  static void merge(Guarded& into, const Guarded& from);
};

class TileBlock {
 public:
  TileBlock(const TileImage& image, const Launch& launch, const RunOptions& options,
            TileWatch* watch);
  ~TileBlock();
  /// Runs one block to its end, a stop or an interrupt (false).
  bool run(int64_t number);

  Step call(TileRunner& runner, const CallSite& site, const Instr& instr);
  uint8_t* base(int32_t memory) { return bases_[size_t(memory)]; }
  const TileMemory& memory(int32_t m) const { return image_.memories[size_t(m)]; }
  bool interrupted() const {
    return options_.interrupt && options_.interrupt->load(std::memory_order_relaxed);
  }
  std::array<int64_t, 3> place() const { return block_; }
  Finding finding(FindingKind kind, const Span& span, const TileMemory* memory, std::string verb);
  /// A read of the uninitialized byte at `at` of the block's memory, which a pending copy may fill.
  Finding unwritten_read(const Span& span, const TileMemory& memory, int64_t at);
  void report(Finding f);
  /// Reports what a watcher finds: as finding of a check, or as warning of a plain run.
  void warn(Finding f) {
    if (!options_.warn) return report(std::move(f));
    TileReport::add(result.warnings, number_, std::move(f));
  }
  void note(const Span& span, int64_t thread, int64_t count);
  /// An access of global memory with a lane in bounds; the first lane out of bounds, if there was
  /// none before.
  void saw_inside(int64_t access) { inside_[size_t(access)] = 1; }
  bool wants_outside(int64_t access) const { return !outside_.count(access); }
  void saw_outside(int64_t access, Finding f) {
    outside_[access].block = number_;
    outside_[access].outside = std::move(f);
  }
  /// A step with lanes out of bounds; `all`: no lane was masked.
  void saw_step_outside(int64_t access, bool all) {
    ++outside_[access].steps;
    outside_[access].all |= all;
  }
  /// A guarded zero was read and may be in the block's memory now.
  void saw_padding() { padded_ = true; }
  bool padded() const { return padded_; }
  /// If watched: `n` elements were read or are about to be stored.
  void track_store(const Span& span, int32_t memory, int64_t offset, int64_t n, TouchKind kind);
  /// If watched: an atomic sum.
  void add_to_sum(const Span& span, const TileMemory& memory, int64_t offset, const uint8_t* value);
  /// The blocks of this worker have run.
  void end_launch();
  /// "block (3, 0)" from a block's index; "more than one block" for -2.
  std::string block_name(int64_t number) const;

  const TileImage& image() const { return image_; }
  const Kernel& kernel() const { return launch_.kernel; }
  const RunOptions& options() const { return options_; }
  /// Null: not watched, or no longer.
  TileWatch* watch() { return watching_ ? watch_ : nullptr; }
  /// Checks the clock: whether the time for watching is over. Then nothing is watched any more.
  bool stop_watching();
  NaNProvenance* provenance() { return provenance_; }
  /// From the next block on, NaN and infinity are traced.
  void trace(NaNProvenance* provenance) { provenance_ = provenance; }
  TileLog* log() { return log_.get(); }  // null: not logged
  TileAsync& async() { return *async_; }
  /// Null: the block is not traced.
  Tracer* tracer() { return tracer_.get(); }
  int64_t number() const { return number_; }
  /// A ring has changed: a waiting agent may be able to continue.
  void moved() { ++progress_; }
  /// Stores a record, unless there are too many.
  void add(Recorded record);
  /// The block ends here, after a failed assert.
  void halt() { halted_ = true; }

  TileReport result;

 private:
  friend class TileRunner;
  void end_watch();
  void report_dead_stores();
  bool run_agents();
  bool run_agents(int phase);
  void start_agent(size_t agent);
  void deadlock(int phase);
  // tile/traced.cpp
  std::vector<TraceMemory> trace_memories() const;
  std::vector<TraceAgent> trace_agents() const;
  void keep_failed();

  const TileImage& image_;
  const Launch& launch_;
  const RunOptions& options_;
  TileWatch* watch_ = nullptr;
  bool watching_ = true;
  NaNProvenance* provenance_ = nullptr;
  std::vector<uint8_t> bytes_;
  uint8_t* block_bytes_ = nullptr;
  std::vector<uint8_t*> bases_;
  std::vector<uint8_t> inside_;  // by access
  std::unordered_map<int64_t, TileReport::Guarded> outside_;
  std::vector<std::unique_ptr<TileRunner>> agents_, parallels_;
  std::unique_ptr<TileAsync> async_;
  std::unique_ptr<Tracer> tracer_;
  std::unique_ptr<TileLog> log_;
  std::array<int64_t, 3> block_{};
  int64_t number_ = 0, progress_ = 0;
  bool halted_ = false;  // an assert failed
  bool padded_ = false;
};

}  // namespace tilelab::sim
