// SPDX-License-Identifier: Apache-2.0
// The simulated GPU: runs a function of any level on the caller's arrays, and watches it.
//
//   RunResult r = sim::run(func, {tensor_argument(DType::f32, {1024}, a.data()), ...});
//
// Every access is checked against its allocation, with or without watchers: a wrong kernel gives
// findings, never a crash. Runs are deterministic; `seed` chooses another schedule.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ir/func.h"
#include "core/sim/cluster_shape.h"
#include "core/sim/machine/report.h"
#include "core/sim/not_finite.h"
#include "core/sim/sample.h"
#include "core/sim/trace.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

class Meter;
class WriteLog;

/// A value for one parameter of the function, in order. Tensors: `strides` in elements, empty =
/// row-major; `bytes` of the allocation from `data` on, 0 = as far as shape and strides reach.
struct Argument {
  bool tensor = false;
  DType dtype = DType::i32;
  uint64_t bits = 0;  // scalars
  void* data = nullptr;
  std::vector<int64_t> shape, strides;
  int64_t bytes = 0;
  bool fresh = false;  // uninitialized: reading it before the kernel writes it is a finding
};
Argument scalar_argument(DType dtype, uint64_t bits);
Argument tensor_argument(DType dtype, std::vector<int64_t> shape, void* data);
/// Whether two arguments are tensors whose memory ranges, from first to last element, overlap.
bool overlap(const Argument& a, const Argument& b);

/// An element of a tensor whose last writer is reported.
struct WatchedElement {
  std::string buffer;
  int64_t element = 0;  // in the order of memory
};

/// What to check. Out-of-bounds accesses of shared, fragment and local memory, divisions by zero,
/// deadlocks and failed asserts are always found.
struct Watch {
  bool notes = false;          // count guarded element accesses outside their tensor
  bool uninitialized = false;  // reads of uninitialized memory
  bool races = false;
  static Watch all() { return {true, true, true}; }
};

/// A time limit from now on; 0 seconds: none. Measures wall time, or the CPU time of the calling
/// thread, which then is the only one that may query it.
class Deadline {
 public:
  enum class Clock : uint8_t { wall, thread };
  explicit Deadline(double seconds, Clock clock = Clock::wall);
  bool passed() const;

 private:
  int64_t at_ = 0;  // nanoseconds
  Clock clock_;
};

/// Blocks that a plain run watches (core/check). Their findings become warnings; the results are
/// those of an unwatched run.
struct WatchedBlocks {
  const Sample* sample = nullptr;  // blocks that represent all; null: the first of the grid
  Deadline until{0};               // then watching stops
  bool alone = false;              // no other block runs, and none after `until`
  bool made_up = false;  // generated inputs: a bad index read from a tensor is not reported
};

inline constexpr uint64_t kInterleaved = 2;

struct RunOptions {
  Watch watch;
  /// The schedule of thread and flat level. 0: warps in order, asynchronous effects as late as
  /// allowed. 1: the last warps first, effects as early as allowed (unwatched: a copy may complete
  /// before its wait). From kInterleaved on, blocks are interleaved, so that each may run between
  /// another's read and write: kInterleaved switches after every access, larger seeds after some.
  /// All seeds except 0 and kInterleaved also permute the order of the blocks.
  uint64_t seed = 0;
  int threads = 0;  // workers that run blocks, 0 = one per core
  const std::atomic<bool>* interrupt = nullptr;
  double seconds = 0;       // after which no further block of a launch starts; 0 = no limit
  bool not_finite = false;  // look for NaN and infinity in the outputs
  const WatchedBlocks* warn = nullptr;              // tile level; null: no warnings
  const WatchedElement* watched_element = nullptr;  // needs `races`; null: none
  const Sample* sample = nullptr;                   // only these blocks run; null: all
  Trace* trace = nullptr;                           // a single block runs and records its events
  WriteLog* log = nullptr;                          // receives the writes of statements; one worker
  Meter* meter = nullptr;  // counts accesses and operations; thread and flat level, one worker
  int max_findings = 100;
  int64_t max_records = 1 << 20;  // further ones are counted in `lost_records`

  bool notes_outside() const { return warn || watch.notes; }
};

/// The number of workers that `options` request.
int workers_of(const RunOptions& options);

/// Elements of an output that a run left unchanged.
struct Unwritten {
  std::string buffer;
  int64_t count = 0, elements = 0;
  std::vector<int64_t> first;
};

/// Bytes of a tensor that the blocks accessed; an atomic access counts as a write.
struct Traffic {
  std::string buffer;
  int64_t read = 0, written = 0;
};
/// The last writer of an element; below tile level one per block, if a thread wrote it directly.
struct Writer {
  std::array<int64_t, 3> block{};
  Span span;
  std::string thread;  // "" at tile level
};

struct RunResult {
  enum class Status : uint8_t {
    finished,  // perhaps with findings
    stopped,   // a finding that ended its block: deadlock, assert, bad access
    interrupted,
    refused,  // nothing ran: invalid arguments, or IR that the simulator does not support
  };
  Status status = Status::finished;
  std::string error;  // of `refused`
  Span error_span;
  std::vector<Finding> findings;
  std::vector<Note> notes;
  std::vector<Recorded> records;  // in the order of blocks
  int64_t lost_records = 0;
  int64_t damaged_records = 0;           // of a device: bytes there that no statement has written
  std::vector<NotFinite> not_finite;     // outputs, if requested
  std::vector<NotFiniteOrigin> origins;  // of watched blocks of a plain run
  std::vector<Finding> warnings;         // findings in the watched blocks of a plain run
  std::vector<Traffic> traffic;          // of the accessed tensors; tile level, watched
  std::vector<Writer> writers;           // of the requested element; by block
  std::vector<Unwritten> unwritten;  // outputs that are never read; thread and flat level, watched
  int64_t blocks = 0;                // completed
  int64_t all_blocks = 0;            // of the launches that started; of a sample: its own
  int64_t proved = 0;                // blocks that a sample represents
  int64_t lane_results = 0;          // arithmetic results on active lanes (thread and flat level)
  int64_t accesses = 0;              // element accesses that the watchers checked
  int64_t threads = 0;               // of a block; the maximum over all launches
  std::optional<TraceState> failed;  // the state of the first block with a finding
  bool ok() const { return status == Status::finished && findings.empty(); }
};
/// "finished", "stopped" ...
const char* status_name(RunResult::Status status);

/// Runs the host section of `func` and the kernels it launches, at the function's level.
RunResult run(const Func& func, std::span<const Argument> arguments,
              const RunOptions& options = {});

// ---- interface between the host section and the levels

/// A tensor parameter or a workspace, as one launch sees it.
struct GlobalMemory {
  Symbol name;
  DType dtype = DType::f32;
  uint8_t* data = nullptr;
  int64_t bytes = 0;
  std::vector<int64_t> shape, strides;  // elements
  uint8_t* written = nullptr;           // fresh memory: a flag per byte, initially 0
};
struct HostScalar {
  DType dtype = DType::i32;
  uint64_t bits = 0;  // integers sign- or zero-extended to 64
};
struct HostMap {
  Symbol name;
  int32_t memory = 0;                       // index into Launch::memories
  std::vector<int64_t> dims, strides, box;  // innermost first; strides in bytes, with the innermost
  Swizzle swizzle;
  DType dtype = DType::f32;  // of the elements that the engine copies
};

/// One launch of one kernel, with the host section evaluated.
struct Launch {
  const Func& func;
  const Kernel& kernel;
  std::array<int64_t, 3> grid{1, 1, 1};
  std::vector<GlobalMemory> memories;
  std::vector<std::pair<Symbol, HostScalar>> scalars;  // dims, scalar parameters
  std::vector<HostMap> maps;
};

/// Evaluates the host section of `func` alone: `launch` receives each launch instead of the
/// simulator. Other devices use it to run kernels.
RunResult run_host(const Func& func, std::span<const Argument> arguments,
                   FunctionRef<void(const Launch&, RunResult&)> launch);

/// Indices of the blocks that a meter selects; empty: all.
std::vector<int64_t> chosen_of(const Meter& meter, const std::array<int64_t, 3>& grid);

/// How many blocks of a launch, or clusters, may wait for each other; each of them takes memory.
inline constexpr size_t kMostTogether = 1024;

/// Indices of the blocks to run, in order of execution.
class ChosenBlocks {
 public:
  /// `waiting`: some blocks wait for others, so a single block could not finish. Blocks of a
  /// cluster are adjacent in the order.
  ChosenBlocks(const Launch& launch, const RunOptions& options, bool waiting = false)
      : clusters_(launch.kernel, launch.grid),
        sample_(options.sample),
        count_(launch.grid[0] * launch.grid[1] * launch.grid[2]) {
    const bool together = waiting || clusters_.size() > 1;
    if (sample_) count_ = static_cast<int64_t>(sample_->blocks.size());
    if (options.meter && !together) meter_ = chosen_of(*options.meter, launch.grid);
    if (!meter_.empty()) count_ = static_cast<int64_t>(meter_.size());
    // Blocks interleaved with the traced one run too.
    if (options.trace && options.seed < kInterleaved && !waiting)
      choose(launch.grid, options.trace->block);
    if (options.seed == 0 || options.seed == kInterleaved || units() <= 1) return;
    // A stride coprime to the count visits each block, or cluster, once.
    const auto count = static_cast<uint64_t>(units());
    step_ = options.seed * 0x9E3779B97F4A7C15u % count;
    if (options.seed == 1) step_ = count - 1;
    while (step_ == 0 || std::gcd(step_, count) != 1) ++step_;
  }
  int64_t count() const { return count_; }
  int64_t operator[](int64_t i) const {
    const int64_t size = clusters_.size();
    if (step_ > 1)
      i = static_cast<int64_t>(static_cast<uint64_t>(i / size + 1) * step_ % uint64_t(units())) *
              size +
          i % size;
    if (!meter_.empty()) return meter_[static_cast<size_t>(i)];
    return sample_ && !first_ ? sample_->blocks[static_cast<size_t>(i)]
                              : clusters_.block(first_ + i);
  }
  /// The number of blocks in a cluster.
  int64_t cluster_size() const { return clusters_.size(); }

 private:
  int64_t units() const { return count_ / clusters_.size(); }

  ClusterShape clusters_;
  const Sample* sample_;
  std::vector<int64_t> meter_;
  int64_t first_ = 0, count_;
  uint64_t step_ = 1;

  /// Only that block's cluster, or none if it is outside the grid.
  void choose(const std::array<int64_t, 3>& grid, const std::array<int64_t, 3>& block) {
    count_ = clusters_.size();
    for (size_t d = 0; d < 3; ++d)
      if (block[d] < 0 || block[d] >= grid[d]) count_ = 0;
    if (count_ > 0) first_ = clusters_.place(block) / count_ * count_;
  }
};

/// The levels. They append to `result` and may set its status; `threads` of options is resolved.
void run_tile_launch(const Launch& launch, const RunOptions& options, RunResult& result);
void run_thread_launch(const Launch& launch, const RunOptions& options, RunResult& result);

/// The first block that stores a non-finite value to an element of a memory; -1 if none does within
/// `options.seconds`.
int64_t block_of_special(const Launch& launch, const RunOptions& options, size_t memory,
                         int64_t offset);
/// The origin of that element in block `number`, which runs after the preceding blocks.
std::vector<OriginStep> trace_block(const Launch& launch, const RunOptions& options, int64_t number,
                                    size_t memory, int64_t offset);

}  // namespace tilelab::sim
