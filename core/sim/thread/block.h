// SPDX-License-Identifier: Apache-2.0
// One block of threads: warps in lock step, scheduled until all have ended; shared memory, barriers
// and engines of the machine; the race detector.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/sim/machine/address_space.h"
#include "core/sim/machine/machine.h"
#include "core/sim/machine/race_grid.h"
#include "core/sim/machine/report.h"
#include "core/sim/meter.h"
#include "core/sim/program/run.h"
#include "core/sim/sim.h"
#include "core/sim/thread/cluster.h"
#include "core/sim/thread/image.h"
#include "core/sim/write_log.h"

namespace tilelab::sim {

/// The bindings of a launch to an image. Shared by all workers and constant during a launch.
struct LaunchContext {
  const ThreadImage* image = nullptr;
  const uint8_t* constants = nullptr;
  struct Memory {
    uint8_t* base = nullptr;
    int64_t bytes = 0;
    int32_t same_as = -1;                 // another memory that shares bytes with this one
    int64_t offset = 0;                   // of its first byte in that one
    int granule = 16;                     // smallest access, bytes
    uint8_t* written = nullptr;           // an initialization mark per byte; null: not watched
    std::vector<int64_t> shape, strides;  // elements
  };
  std::vector<Memory> memories;  // by ID; shared ones unused
  std::vector<MapView> maps;
  AddressSpace* space = nullptr;  // if some memory is at an address
  std::vector<uint64_t> inputs;   // bits, by index of Program::inputs (uniform ones)
  std::array<int64_t, 3> grid{1, 1, 1};
  int32_t watched_memory = -1;  // the memory of the byte whose writer is requested
  int64_t watched_byte = 0;
  Watch watch;
  uint64_t seed = 0;   // 0: the default schedule
  bool waits = false;  // threads or blocks wait for writes of others
  WriteLog* log = nullptr;
  Meter* meter = nullptr;
  GridOrder* order = nullptr;  // between blocks, if races are watched
  const std::atomic<bool>* interrupt = nullptr;
  Trace* trace = nullptr;
};

/// The results of a block.
struct BlockOutput {
  int64_t block = 0;  // linear
  std::vector<Finding> findings;
  std::vector<Note> notes;
  std::vector<Recorded> records;
  std::optional<TraceState> failed;  // the state at the first finding
  std::vector<Writer> writers;       // the last writers of the requested byte
};

class Block;

/// From the first element of a tensor at an address to its last: the call determines its extents.
int64_t bytes_at_address(const Launch& launch, Symbol name);

/// Reports the launch's buffers and tensors to the meter.
void describe_memories(const ThreadImage& image, const LaunchContext& context, Meter& meter);

/// "[4, 7]" for a byte of a row-major tensor.
std::string element_text(const MemoryInfo& memory, int64_t byte);

/// One warp (or, on mp_22, 128 lanes) of a block.
class ThreadWarp : public LaneRunner {
 public:
  ThreadWarp(Block& block, int index) : block_(block), index_(index) {}
  void begin();

  enum class Wait : uint8_t { none, barrier, named, rendezvous, cluster };
  Wait waits = Wait::none;
  int32_t barrier = -1;     // waits == barrier or named
  int64_t parity = 0;       // named: phases completed before it arrived
  int32_t rendezvous = -1;  // waits == rendezvous

  int index() const { return index_; }
  int first_thread() const { return index_ * lanes_; }
  LaneMask live() const { return live_; }
  int32_t role() const { return role_; }
  int64_t cluster_arrivals() const { return cluster_arrivals_; }
  using LaneRunner::integer;

 protected:
  void load(const Access& access, const Instr& instr) override;
  void store(const Access& access, const Instr& instr) override;
  Step call(const CallSite& call, const Instr& instr) override;
  void out_of_bounds(const Instr& instr, int lane, int64_t index, int64_t limit) override;
  void unwritten(const Instr& instr, int lane) override;
  void zero_divisor(const Instr& instr, int lane) override;
  void endless(const Instr& instr, const std::string& text) override;
  void traced(const Instr& instr) override;  // thread/metered.cpp

 private:
  friend class Block;
  std::string thread_name(int lane) const;
  /// Of a lane at the current statement.
  Finding finding(FindingKind kind, int lane, const std::string& verb) const;
  void outside_memory(int32_t memory, const Instr& instr, int lane, int64_t byte);
  void note_writer(const LaneMask& lanes, const int64_t* address, int bytes);
  void watch_written(int32_t memory, AccessKind kind, const LaneMask& lanes, const int64_t* address,
                     int bytes);
  void move_marks(const Access& access, const int64_t* address, bool write);
  // thread/memory.cpp
  /// An instruction of the warp accesses `bytes` bytes at the address of each lane (-1: none): into
  /// the arena (swizzled), or a tensor.
  struct Touched {
    int32_t memory = 0;
    AccessKind kind = AccessKind::read;
    Mover mover = Mover::threads;
    int bytes = 0;
    int lanes = 0;       // that may access it
    bool moves = false;  // elements with their initialization marks: not a use
    bool writes = kind != AccessKind::read;
  };
  /// Reports it to the tracer, the meter and the watchers. `unchanged`: whether a lane stores the
  /// value that an actor has stored.
  void touched(const Touched& t, const int64_t* address,
               FunctionRef<bool(int, ActorId)> unchanged = never);
  void touched(const Access& access, AccessKind kind, const int64_t* address,
               FunctionRef<bool(int, ActorId)> unchanged = never);
  bool addresses(const Access& access, const Instr& instr, int64_t* out);
  void watch_access(const Touched& t, const int64_t* address,
                    FunctionRef<bool(int, ActorId)> unchanged);
  template <class T>
  void load_lanes(const Access& access, const int64_t* address, const uint8_t* base);
  template <class T> void store_lanes(const Access& access, const int64_t* address, uint8_t* base);
  bool unchanged(const Access& access, const int64_t* address, const uint8_t* base, int lane,
                 ActorId writer);
  bool changes(const Access& access, const int64_t* address, const uint8_t* base);
  Step atomic(const CallSite& call);
  void order_atomic(const CallSite& call, const int64_t* address);
  int64_t element_address(const Operand& o, int lane);
  // thread/sync.cpp
  Step sync(const CallSite& call);
  Step join_rendezvous(int32_t where, int32_t expected, uint64_t operands);
  Step role_begin(const CallSite& call);
  bool part_barrier_ready(const CallSite& call);
  Step named_barrier(const CallSite& call);
  int32_t named_number(const CallSite& call);
  Step bar_reserve(const CallSite& call);
  Step bar_init(const CallSite& call);
  void initialised_again(int32_t number, int lane);
  void outside_reserved(int64_t id, int lane);
  Step bar_arrive(const CallSite& call, bool expect);
  Step bar_expect(const CallSite& call);
  Step bar_wait(const CallSite& call);
  bool whole_warp(const char* what);
  Step shuffle(const CallSite& call);
  Step vote(const CallSite& call);
  Step uniform(const CallSite& call);
  Step guard(const CallSite& call);
  Step record(const CallSite& call);
  int32_t barrier_number(const Operand& o, int lane);
  // thread/cluster.cpp
  void publish_to_cluster();
  void acquire_from_cluster();
  Step cluster_barrier(const CallSite& call);
  Step misused_cluster(const char* verb);
  Step cluster_store(const CallSite& call);
  void stored_to_own(int32_t memory, int lane, int64_t address, int bytes);
  Block* peer_of(const CallSite& call, int lane);
  // thread/async.cpp
  Step cp_async(const CallSite& call);
  Step cp_wait(const CallSite& call);
  Step tma_load(const CallSite& call);
  Step tma_store(const CallSite& call);
  Step bulk(const CallSite& call);
  bool row_aligned(const MapView& map, const Coords& at, int lane);
  bool bad_descriptor(int lane, const std::string& problem);
  bool shared_box(const Operand& o, const CallSite& call, int lane, int64_t* address,
                  Swizzle* swizzle, MapView* map, Coords* box);
  // thread/matrix.cpp
  bool matrix_rows(const CallSite& call, const Operand& row, int matrices, int64_t* address);
  Step ldmatrix(const CallSite& call);
  Step stmatrix(const CallSite& call);
  Step mma(const CallSite& call);
  Step group_mma(const CallSite& call);
  Step mma_fence(const CallSite& call);
  bool fenced(const Operand& slice) const;
  void check_fenced(const CallSite& call);
  Step mma_commit();
  Step mma_wait(const CallSite& call);
  Step touch(const CallSite& call);
  Step log_local(const CallSite& call);
  uint64_t operand_hash(const Operand& o);
  // thread/metered.cpp
  WarpAccess metered(const Touched& t, const int64_t* address) const;
  void meter_box(const Operand& shared, const MapView& map, const Coords& coords, const Coords& box,
                 bool load);
  void meter_matmul(const CallSite& call, DType dtype);
  // thread/traced.cpp
  void trace_access(const Touched& t, const int64_t* address);
  void trace_local(const CallSite& call);
  void trace_waits(TraceSync sync);
  bool trace_resumes(TraceSync sync);
  TraceSync traced_rendezvous() const;

  Block& block_;
  int32_t index_;
  int32_t role_ = -1;
  LaneMask live_;
  int32_t named_ = -1;     // the named barrier at which it has arrived and waits
  bool released_ = false;  // its rendezvous is complete
  int64_t cluster_arrivals_ = 0, cluster_waits_ = 0;
  bool in_cluster_wait_ = false;  // it has begun
  GroupFifo cp_;
  std::vector<uint64_t> fenced_;  // bitsets of eight registers not accessed since their fence
};

/// Registers of a group used by a pending matrix operation.
struct PendingRegisters {
  int32_t array;
  int64_t first, n;
  bool accumulator;
  uint32_t group;  // index of its FIFO group
  uint32_t place;
};

struct MatrixGroup {
  GroupFifo fifo;
  ActorId actor = no_actor;
  std::vector<PendingRegisters> pending;
};

struct BulkQueue {
  GroupFifo fifo;
  ActorId reads = no_actor, writes = no_actor;
};

class Block {
 public:
  /// `traced`: whether it is the traced block, if the launch has a trace.
  explicit Block(const LaunchContext& launch, bool traced = true);
  /// Runs block `linear`, whose output is in `output` until the next begins: `begin`, `run_slice`
  /// until it ends, `end`. Several blocks may be interleaved.
  void begin(int64_t linear);
  /// Runs each warp that can run for a while; false if all have ended.
  bool run_slice();
  /// Whether nothing changed in the last round and all warps wait.
  bool idle() const { return idle_; }
  /// Some block was not idle: from here on this one's iterations of spin loops count.
  void count_waits();
  /// Whether each warp that runs a spin loop has iterated twice since then, so that it has read all
  /// that it waits for.
  bool surely_idle();
  /// No thread that could end the wait is left.
  void give_up();
  void has_changed() { ++changes_; }
  /// False if it was interrupted.
  bool end();
  BlockOutput output;
  int64_t lane_results = 0;
  int64_t accesses = 0;  // watched ones, of single threads to shared and global memory

  // ---- for the warps
  const LaunchContext& launch;
  const ThreadImage& image;
  Arena arena;
  EngineQueue engine;
  RaceDetector race;
  bool races = false;
  Random random;
  std::array<int64_t, 3> coordinates{};

  ThreadWarp& warp(int i) { return *warps_[size_t(i)]; }
  int warps() const { return int(warps_.size()); }
  int groups() const { return (warps() + 3) / 4; }
  /// Reports a finding that ends the block.
  void fatal(Finding finding) { report(std::move(finding)), stopped_ = true; }
  void report(Finding finding);
  Finding finding(FindingKind kind, uint32_t place, const std::string& actor,
                  const std::string& verb) const;
  std::string thread_name(int thread) const;
  const Span& span(uint32_t place) const { return image.program.places[place]; }
  bool stopped() const { return stopped_; }
  /// Ends the run without an error.
  Step halt() { return stopped_ = true, Step::halt; }

  // thread/traced.cpp
  /// Null: the block is not traced.
  Tracer* tracer() { return tracer_.get(); }
  void trace_issued(AsyncOp& op);
  /// The open event accesses `n` bytes of the arena, or of a memory, from `address` on.
  void trace_bytes(int32_t memory, int64_t address, int64_t n, bool write);
  TraceSync barrier_sync(int32_t number, const char* verb, int64_t phase) const;
  int64_t element_of(int32_t memory, int64_t address) const;
  /// The trace's index of a per-thread array; -1: it is too large.
  int32_t traced_array(int32_t array) const {
    const auto known = traced_arrays_.find(array);
    return known == traced_arrays_.end() ? -1 : known->second;
  }

  // thread/cluster.cpp
  /// Before `begin`: the block is that one of a cluster.
  void join(Cluster* cluster, int64_t rank);
  void leave_cluster();
  ClusterPart& part() { return part_; }
  /// Whether all warps that have not ended have arrived more than `completed` times.
  bool arrived(int64_t completed) const;
  void end_phase();
  bool waits_for_cluster() const;
  ActorId cluster_actor(int64_t rank);
  /// Block `rank` has published its accesses before that arrival of its threads.
  void publish(int64_t rank, int64_t arrival) {
    if (part_.published.size() <= size_t(rank)) part_.published.resize(size_t(rank) + 1);
    part_.published[size_t(rank)] = arrival;
  }
  int64_t published(int64_t rank) const;
  /// A thread of block `rank`, which has arrived and waited that often, stores `n` bytes to the
  /// arena.
  void stored_by_peer(int64_t rank, std::pair<int64_t, int64_t> phases, uint32_t place,
                      int64_t address, int64_t n);

  // barriers
  struct BarrierState {
    Barrier barrier;
    Knowledge released, completed;
    bool used = false;
    bool fenced = true;  // engines see its initialization
    int32_t init_warp = -1;
    uint32_t init_place = 0;
  };
  BarrierState& barrier(int32_t number) { return barriers_[size_t(number)]; }
  /// The index of flat-level barrier `id`.
  int32_t barrier_of_id(int64_t id);
  /// The index of the barrier with this ID, at any level; -1 if there is none.
  int32_t barrier_with(int64_t id);
  /// The index of the barrier that the program calls `id`; -1: no call names it.
  int32_t named_barrier(int64_t id) const;
  /// At flat level: the number of barriers that exist from now on.
  void reserve_barriers(int64_t n) { reserved_ = n; }
  bool reserved(int64_t id) const {
    return image.barriers_by_id ? id >= 1 && id <= reserved_ : id >= 0 && id < reserved_;
  }
  int64_t reserved_barriers() const { return reserved_; }
  /// Makes the barriers that this warp has initialized visible to engines.
  void fence_barriers(int32_t warp);
  std::string barrier_name(int32_t number) const;
  void touch_barrier(int32_t number, int warp, const LaneMask& lanes, uint32_t place,
                     AccessKind kind);
  void barrier_event(int32_t number, BarrierEvent event, uint32_t place, const std::string& actor);

  // rendezvous: 0 = block, 1 + r = role r, then groups, then parts
  Rendezvous& rendezvous(int32_t i) { return rendezvous_[size_t(i)]; }
  int32_t role_place(int32_t role) const { return 1 + role; }
  int32_t group_place(int32_t group) const { return 1 + int32_t(image.roles.size()) + group; }
  int32_t part_place(int32_t part) const { return group_place(groups()) + part; }
  void release(const Rendezvous& r);
  MatrixGroup& matrix_group(int32_t g) { return matrix_[size_t(g)]; }
  BulkQueue& bulk_queue(int thread);

  /// The race detector's memory for one of the program's, or -1 if it is not watched; `shift` is
  /// added to an address in it.
  struct Shadow {
    int32_t memory = -1;
    int64_t shift = 0;
    bool by_address = false;  // in a kernel with tensors at addresses: of the number of the byte
  };
  Shadow shadow(int32_t memory) const { return shadows_[size_t(memory)]; }
  /// Where a tensor at an address begins in the address space. Reports one that a lane of the warp
  /// must not access; its place is then memory that nothing else uses.
  int64_t located(int32_t memory, int64_t address, ThreadWarp& warp, int lane);
  /// The byte of the race detector's memory for an address in a memory.
  int64_t shadow_byte(int32_t memory, int64_t address) const {
    const Shadow s = shadow(memory);
    if (!s.by_address) return address + s.shift;
    return launch.space->number(launch.memories[size_t(memory)].base + address);
  }
  /// First byte (into the arena, or 0) and size in bytes of a memory.
  std::pair<int64_t, int64_t> bytes_of(int32_t memory) const {
    const MemoryInfo& m = image.memories[size_t(memory)];
    if (m.shared) return {m.at, m.bytes};
    return {0, launch.memories[size_t(memory)].bytes};
  }
  /// The initialization marks of a memory; null if not watched.
  uint8_t* written(int32_t memory) {
    if (image.memories[size_t(memory)].shared) return arena.written();
    return launch.watch.uninitialized ? launch.memories[size_t(memory)].written : nullptr;
  }
  /// Asynchronous effects take place as early as possible: missing waits then have no effect.
  bool early() const { return launch.seed == 1 && !races; }
  /// Null if the writes of this block's statements are not logged.
  WriteLog* log() const {
    return launch.log && launch.log->wants_statements() ? launch.log : nullptr;
  }
  /// Logs `n` contiguous bytes of a memory, of the arena (-1) in elements of `bytes` bytes.
  void logged(int32_t memory, uint32_t place, int64_t address, int64_t n, int bytes = 1) const;
  /// An asynchronous operation has written `n` contiguous bytes, as above: sets their
  /// initialization marks and reports them to tracer and log.
  void stored(int32_t memory, uint32_t place, int64_t address, int64_t n, int bytes = 1);
  bool watches(int32_t memory) { return races || written(memory); }
  void wrote(int32_t memory, uint32_t place) { writers_[size_t(memory)] = place; }
  void name_actor(ActorId actor, std::string name) { actor_names_[actor] = std::move(name); }
  ActorId engine_actor(uint32_t* clock, const std::string& name);
  ActorId copy_actors();  // the first of one actor per warp, for cp_async
  int32_t arena_shadow() const { return arena_shadow_; }
  /// Sets the buffer and element of a finding from a byte of shared memory.
  void locate_shared(int64_t address, Finding& f) const;
  /// Sets the buffer of a check and the line that declares it.
  void name_buffer(const CheckSite& site, Finding& f) const;
  /// The same for the uninitialized byte `address` of a memory; adds writers of a part. A byte that
  /// a pending copy fills counts as read before the wait, not as uninitialized.
  void locate_unwritten(int32_t memory, int64_t address, Finding& f);
  /// A pending copy that fills the byte at this address of shared memory; null if there is none.
  const AsyncOp* filling(int64_t address) const;
  /// Adds this block's accesses of global memory to the launch's tables, by memory.
  void merge_into(std::vector<std::unique_ptr<GridRaces>>& grid, GridOrder& order) const;
  Knowledge& atomic_view(int32_t memory, int64_t address) { return atomics_[{memory, address}]; }

 private:
  void begin_trace();
  std::vector<TraceMemory> trace_memories();
  std::vector<TraceAgent> trace_agents() const;
  void keep_failed();

  void bind_shadows();
  void fill_inputs(ThreadWarp& warp);
  bool run_ready_warps();
  bool run_warp(ThreadWarp& warp);
  bool ready(ThreadWarp& warp);
  void stuck();
  void named_arrivals(Finding& f);
  void check_left_over();
  bool interrupted() const {
    return launch.interrupt && launch.interrupt->load(std::memory_order_relaxed);
  }
  void report_races();
  void declare(Finding& f) const;
  void pending(const AsyncOp* op, const std::string& what);
  std::string actor_name(ActorId actor) const;
  void locate(int32_t race_memory, int64_t address, Finding& f) const;
  std::string wait_text(const ThreadWarp& warp) const;

  struct AddressHash {
    size_t operator()(const std::pair<int32_t, int64_t>& k) const {
      return size_t(k.second * 31 + k.first);
    }
  };
  std::vector<std::unique_ptr<ThreadWarp>> warps_;
  std::vector<int> order_;  // of scheduling
  int running_ = -1;        // the running one
  std::vector<BarrierState> barriers_;
  std::unordered_map<int64_t, int32_t> barrier_ids_;
  int64_t reserved_ = 0;
  std::vector<Rendezvous> rendezvous_;
  std::vector<MatrixGroup> matrix_;
  std::unordered_map<int, BulkQueue> bulk_;
  std::vector<Shadow> shadows_;
  struct Located {
    int64_t address = -1, begin = 0;
  };
  std::vector<Located> located_;         // the latest address of each memory
  std::vector<uint32_t> writers_;        // location of the last store to each memory
  std::set<uint32_t> reported_pending_;  // locations of copies reported as read before their waits
  std::vector<int32_t> shadow_owner_;    // race memory -> program memory, -1 barriers, -2 arena
  std::unordered_map<ActorId, std::string> actor_names_;
  std::vector<std::pair<ActorId, uint32_t>> engine_slots_;
  size_t next_slot_ = 0;
  ActorId copy_actors_ = no_actor;
  std::unordered_map<std::pair<int32_t, int64_t>, Knowledge, AddressHash> atomics_;
  std::unordered_map<std::string, size_t> finding_of_;
  int32_t barrier_shadow_ = -1, arena_shadow_ = -1;
  ClusterPart part_;
  bool stopped_ = false, idle_ = false;
  std::vector<int64_t> waited_;  // by warp, at count_waits()
  uint64_t changes_ = 0;         // of memory, and of the set of waiting warps
  std::unique_ptr<Tracer> tracer_;
  /// For each shared memory with a layout: the element at each element slot of the arena.
  std::vector<std::unordered_map<int64_t, int64_t>> elements_at_;
  std::unordered_map<int32_t, int32_t> traced_arrays_;
};

}  // namespace tilelab::sim
