// SPDX-License-Identifier: Apache-2.0
// Runs a TileImage: one TileBlock per worker runs blocks sequentially.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "core/sim/machine/address_space.h"
#include "core/sim/machine/tracer.h"
#include "core/sim/program/run.h"
#include "core/sim/tile/observer.h"
#include "core/sim/tile/watch.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

class TileBlock;
class TileCluster;
class TileAsync;
class NaNProvenance;

/// An agent's program, or a T.Parallel's with a chunk of iterations as lanes.
class TileRunner : public LaneRunner {
 public:
  TileRunner(TileBlock& block, const TileParallel* parallel);
  /// Runs every chunk of a T.Parallel, called from `outer`.
  Step run_parallel(TileRunner& outer, const CallSite& site);

  using LaneRunner::integer;
  /// A scalar operand: the value in the first active lane, or in the one that runs.
  int64_t scalar(const CallSite& site, int32_t operand) {
    const Operand& o = site.operands[size_t(operand)];
    return integer(o.regs[0], o.elem, scalar_lane());
  }
  const uint8_t* scalar_bytes(const CallSite& site, int32_t operand) {
    const Operand& o = site.operands[size_t(operand)];
    return at(o.regs[0]) + scalar_lane() * elem_bytes(o.elem);
  }
  int scalar_lane() { return lane_ >= 0 ? lane_ : std::max(first_active(), 0); }
  /// Runs an operation of single threads, whose scalar operands are those of the thread.
  Step run_lanes(const TileOp& op, const CallSite& site);
  int64_t lane_count() const { return lanes_; }
  /// Whether the active lanes are a range: the threads that execute a tile operation together.
  bool neighbours() const;

  // ---- for observers
  /// Null: an agent.
  const TileParallel* parallel() const { return parallel_; }
  int64_t chunk() const { return chunk_; }  // lanes of this chunk, active or not
  /// "iteration i = 7", "thread 7", or "" if lanes are not threads.
  std::string actor_of_lane(int64_t lane) const { return lane_name(first_iteration() + lane); }
  /// The same for an iteration, by its row-major index.
  std::string lane_name(int64_t number) const;
  int64_t first_iteration() const;
  /// The lanes' values of one index.
  const std::vector<int64_t>& index_lanes(const TileIndex& index, const CallSite& site);
  /// "[4, 7]".
  std::string element_of(const LaneAccess& a, int64_t lane);
  Finding outside_finding(const TileMemory& m, const Span& where, const std::vector<int64_t>& index,
                          int64_t lane, bool write);
  std::vector<int64_t> indices_of(const LaneAccess& a, int64_t lane);

 protected:
  void load(const Access&, const Instr&) override;
  void store(const Access&, const Instr&) override;
  Step call(const CallSite& site, const Instr& instr) override;
  void out_of_bounds(const Instr& instr, int lane, int64_t index, int64_t limit) override;
  void zero_divisor(const Instr& instr, int lane) override;
  void endless(const Instr& instr, const std::string& text) override;
  void traced(const Instr& instr) override;

 private:
  friend class TileBlock;
  // tile/memory.cpp
  LaneAccess access_of(const CallSite& site, TouchKind kind);
  void load_lanes(const CallSite& site);
  void store_lanes(const CallSite& site);
  void atomic_lanes(const CallSite& site);
  bool start_of(const LaneAccess& a, int64_t* offset);
  bool changes(const uint8_t* to, const uint8_t* value, int64_t lane, int64_t bytes);
  bool accessed_as_run(LaneAccess& a, int64_t* start);
  void addresses(LaneAccess& a);
  void find_addresses(const LaneAccess& a);
  void report_outside(const LaneAccess& a);
  int64_t extent_of(size_t variable) const;
  void fill_variables();
  void carry_out(TileRunner& outer);
  void begin_own_memory();
  void shuffle(const CallSite& site);
  void watch_whole_warps(Intrinsic what);

  TileBlock& block_;
  const TileParallel* parallel_ = nullptr;
  int64_t chunk_ = 1;
  int lane_ = -1;                // that runs an operation of single threads
  int thread_ = 0;               // that runs the T.Parallel
  std::vector<int64_t> origin_;  // of the variables
  std::vector<std::vector<int32_t>>
      lane_values_;  // of variables from `split` on, relative to the origin
  std::vector<int64_t> offsets_, index_;
  std::vector<uint8_t> outside_, kept_;
  uint32_t calls_ = 0;
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
  /// The same in parts: `begin`, `resume` until it has ended, `end`. It waits for other blocks:
  /// `idle`, since it was resumed, or `waits`, after some progress.
  enum class State : uint8_t { idle, waits, ended, interrupted };
  void begin(int64_t number);
  State resume();
  void end();
  /// Null: the block is not one of a cluster.
  TileCluster* cluster() { return cluster_; }
  int64_t rank() const { return rank_; }
  void join(TileCluster* cluster, int64_t rank) { cluster_ = cluster, rank_ = rank; }
  /// No other block will let it continue.
  void give_up();

  Step call(TileRunner& runner, const CallSite& site, const Instr& instr);
  uint8_t* base(int32_t memory) { return bases_[size_t(memory)]; }
  /// Sets the base of a tensor at an address, until the next access of it.
  void locate(int32_t memory, int64_t address, const Span& span);
  /// The cell of the watchers' memory (TileMemory::space) for an element of the memory at `base`.
  static int64_t cell(const TileMemory& m, const uint8_t* base, int64_t offset) {
    return (m.first_byte(base) + offset * elem_bytes(m.elem)) / m.granule;
  }
  const TileMemory& memory(int32_t m) const { return image_.memories[size_t(m)]; }
  /// The part of a memory that belongs to a thread.
  const TileMemory& memory_of(int32_t memory, int thread);
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
  /// From the next block on, NaN and infinity are traced.
  NaNProvenance& trace_numbers();
  /// Null: not watched.
  const NaNProvenance* numbers() const { return numbers_; }
  const std::vector<TileObserver*>& observers() const { return observers_; }
  /// Executes a tile operation by `apply`.
  template <class F> void perform(const BoxOperation& operation, F&& apply) {
    for (TileObserver* o : observers_) o->before(operation);
    apply();
    for (TileObserver* o : observers_) o->after(operation);
  }
  /// Whether the index of an access depends on generated values.
  bool guessed(const TileAccess& access) const {
    return options_.warn && options_.warn->made_up && access.by_data;
  }
  TileAsync& async() { return *async_; }
  /// Null: the block is not traced.
  Tracer* tracer() { return tracer_.get(); }
  int64_t number() const { return number_; }
  /// The first thread of the running block or role.
  int64_t first_thread() const;
  /// A ring or memory has changed: a waiting agent or block may be able to continue.
  void moved() { ++progress_; }
  /// Stores a record, unless there are too many.
  void add(Recorded record);
  /// The block ends here, after a failed assert.
  void halt() { halted_ = true; }

  TileReport result;

 private:
  friend class TileRunner;
  void observe();
  State run_agents(int phase);
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
  std::vector<uint8_t> bytes_;
  uint8_t* block_bytes_ = nullptr;
  std::vector<uint8_t*> bases_;
  AddressSpace space_;
  std::vector<int64_t> addresses_;  // to which `bases_` correspond
  std::vector<std::unique_ptr<TileRunner>> agents_, parallels_;
  std::unique_ptr<TileAsync> async_;
  std::unique_ptr<Tracer> tracer_;
  struct Owned {
    Observer observer;
    bool while_watched = false;  // not active when watching has stopped
  };
  std::vector<Owned> owned_;
  std::vector<TileObserver*> observers_;                      // those that are active
  std::map<std::pair<int32_t, int>, TileMemory> of_threads_;  // parts that operations have used
  NaNProvenance* numbers_ = nullptr;
  std::array<int64_t, 3> block_{};
  TileCluster* cluster_ = nullptr;
  int64_t rank_ = 0;
  int phase_ = 0;  // of the running agents
  int64_t number_ = 0, progress_ = 0;
  bool halted_ = false;  // an assert failed
};

/// Runs the blocks of one cluster, one after another, each up to its barrier. A launch without
/// clusters has clusters of one block.
class TileCluster {
 public:
  /// `traced`: the rank of the traced block, or -1.
  TileCluster(const TileImage& image, const Launch& launch, const RunOptions& options,
              TileWatch* watch, int64_t traced);
  int64_t size() const { return int64_t(blocks_.size()); }
  /// Starts the cluster of these blocks, by rank.
  void begin(const std::vector<int64_t>& numbers);
  /// Whether a block of it is traced. Such a cluster runs once.
  bool traced() const { return traced_; }
  /// Runs each block as far as possible.
  TileBlock::State resume();
  /// No other cluster will let it continue.
  void give_up();
  /// Null: the block has ended.
  TileBlock* member(int64_t rank) const {
    return running_[size_t(rank)] ? blocks_[size_t(rank)].get() : nullptr;
  }
  /// The number of completed phases of the barrier.
  int64_t completed() const { return completed_; }
  /// Completes the phase if every block that has not ended has arrived.
  void advance();
  /// What the blocks release by their arrivals in a phase is acquired here.
  int64_t place_of(int64_t phase) const { return number_ << 24 | phase; }
  /// Another block has written these bytes of the memory of block `rank`.
  void mark_written(int64_t rank, int64_t at, int64_t n);
  void end_launch();
  void merge_into(TileReport& report);
  void report_origins(std::vector<NotFiniteOrigin>& into) const;

 private:
  TileBlock::State resume(size_t rank);

  RunOptions untraced_;  // of blocks beside the traced one
  TileWatch* watch_;
  bool traced_;
  std::vector<std::unique_ptr<TileBlock>> blocks_;
  std::vector<TileWatch::Suspended> suspended_;
  std::vector<uint8_t> running_;  // by rank
  int64_t number_ = 0, completed_ = 0;
};

/// Runs the clusters of one worker in order. While all running ones only wait, another one starts
/// beside them; if none is left to start, the first one gives up, which is a finding.
class TileClusters {
 public:
  TileClusters(const TileImage& image, const Launch& launch, const RunOptions& options,
               TileWatch* watch)
      : image_(image), launch_(launch), options_(options), watch_(watch) {}
  using Numbers = std::vector<int64_t>;  // the blocks of a cluster, by rank
  /// `next`: nullopt if no further cluster begins. Returns false if interrupted.
  bool run(FunctionRef<std::optional<Numbers>()> next);
  void end_launch();
  void merge_into(TileReport& report);
  void report_origins(std::vector<NotFiniteOrigin>& into) const;

 private:
  void begin(const Numbers& numbers);

  const TileImage& image_;
  const Launch& launch_;
  const RunOptions& options_;
  TileWatch* watch_;
  std::vector<std::unique_ptr<TileCluster>> made_;
  std::vector<TileCluster*> running_, spare_;
};

}  // namespace tilelab::sim
