// SPDX-License-Identifier: Apache-2.0
// A tile-level kernel compiled for one launch, which workers run without the IR.
//
// Every agent (role; one by default) is a lane program. It has 1 lane, or one per thread of the
// block if some statement depends on the thread index. Tile operations are its calls; a T.Parallel
// is a call that runs a separate program, whose lanes are iterations. Extents of memories and grids
// are constants: an image is made for one launch, with all dims known.
#pragma once

#include <memory>
#include <vector>

#include "core/ir/enums.h"
#include "core/sim/machine/address_space.h"
#include "core/sim/program/program.h"
#include "core/sim/sim.h"

namespace tilelab::sim {

class TileBlock;
class TileRunner;
enum class Step : uint8_t;  // program/run.h

/// IDs of CallSite::what; 0..255 are Intrinsics.
enum TileCall : int32_t {
  call_load = 256,  // numbers[0] = index into TileImage::accesses
  call_store,       // the same; the last operand is the value
  call_atomic,      // the same; numbers[1] = Intrinsic
  call_parallel,    // numbers[0] = index into parallels
  call_op,          // a tile operation: numbers[0] = index into ops
  call_shuffle,
  call_mma_wait,  // numbers[0] = matmuls that may stay in flight
};

/// Memory that a kernel names: a global tensor, or bytes of the block.
struct TileMemory {
  Symbol name, holds;  // `holds`: the buffer whose elements these are
  Elem elem = Elem::f32;
  Scope scope = Scope::fragment;
  int32_t global = -1;    // index into Launch::memories, or after it: `address`; -1: of the block
  int64_t at = 0;         // bytes into the block's memory
  bool pairs = false;     // an element is two values of four bits
  bool per_lane = false;  // private to each thread: lane l starts at l * elements
  int64_t copies = 1;     // one per lane in that case
  std::vector<int64_t> shape, strides;  // elements
  int64_t elements = 1;
  uint64_t safe = 0;      // bits of the value of a guarded out-of-bounds read,
  bool declared = false;  // which the program declares: such reads are intended
  bool guarded = true;    // global: element accesses out of bounds are not errors
  int32_t number = 0;     // in TileImage::memories
  int32_t root = 0;       // ID of the memory itself, also in its views
  int32_t space = 0;      // ID for watchers: `root`, or -1: any tensor of the address space
  Expr address;           // of a tensor at an address; used only while the image is compiled
  int32_t granule = 4;    // cell size of race detection in bytes: the smallest element of its views
  bool written = false;   // of a root: some statement writes it
  int32_t ring = -1;      // whose slots are the leading dimension
  int64_t slot_bytes = 0;  // of one slot
  Span span;
  /// Of the memory at `base`, in its space.
  int64_t first_byte(const uint8_t* base) const {
    return space < 0 ? base - AddressSpace::begin() : 0;
  }
};

/// An index of one dimension: base + operand + sum of factor[v] * variable v of the domain.
struct TileIndex {
  int64_t base = 0;
  int32_t operand = -1;         // of the call; -1: none
  bool per_lane = false;        // the operand differs between lanes
  bool fixed = false;           // the operand is uniform over a T.Parallel
  std::vector<int64_t> factor;  // per variable of the domain; empty = all 0
};

/// A load, store or atomic of one element per lane.
struct TileAccess {
  int32_t memory = 0;
  int32_t address = -1;  // the operand with the memory's address, if the kernel computes it
  std::vector<TileIndex> index;
  bool per_lane = false;   // some index has a per-lane operand
  bool of_thread = false;  // inside a T.Parallel: memory of the thread that runs it
  bool writes = false;     // a store, or an atomic
  bool disjoint = false;   // inside a T.Parallel: no other iteration accesses the element
  bool by_data = false;    // the index depends on elements of memory, if notes are requested
  bool scatters = false;  // an atomic with an index read from memory: never a tail if out of bounds
  /// Of a store or an atomic, if notes are requested: the loads on which its value or index
  /// depends.
  std::vector<int32_t> uses;
  /// Likewise for global memory: the loads on which enclosing conditions depend.
  std::vector<int32_t> conditions;
  Span span;
  /// Offsets between lanes (elements) if no index is per lane: the step per variable of the domain,
  /// and the chunk's variables collapsed where contiguous: (extent, step), innermost last; extent
  /// of the first = -1: derived from the lanes.
  std::vector<int64_t> step;
  std::vector<std::pair<int64_t, int64_t>> runs;
};

/// A box of a memory: origin from constants and operands, constant extents.
struct TileBox {
  int32_t memory = 0;
  int32_t address = -1;  // as of a TileAccess
  /// The operation's effects on it. An atomic box is accessed once, not read and written.
  bool read = false, written = false, atomic = false;
  bool late = false;   // the access may continue after the operation
  bool moves = false;  // a plain move, including uninitialized elements: not a use
  struct Dim {
    int64_t base = 0;
    int32_t operand = -1;
    int64_t extent = 1;
    bool point = true;
  };
  std::vector<Dim> dims;
  /// The extents other than 1, in order.
  std::vector<int64_t> extents() const;
  /// The dimensions that are slices, in order.
  std::vector<size_t> slices() const;
};

/// A tile operation compiled for one launch, defined in the file of its name in ops/.
struct TileOp {
  virtual ~TileOp() = default;
  virtual Step run(TileBlock& block, TileRunner& runner, const CallSite& site) const = 0;
  /// Whether threads execute it together, or `run` is called for each active one, or for the first.
  enum class Threads : uint8_t { together, each, first } threads = Threads::together;
  /// Whether adjacent threads must execute it; otherwise any may.
  virtual bool together() const { return true; }
};

/// A T.Parallel: lanes are `chunk` iterations in row-major order. A chunk covers the variables
/// inner to `split` completely, `split` in pieces of `piece`, and outer variables one value at a
/// time.
struct TileParallel {
  Program program;
  std::vector<uint8_t> constants;
  std::vector<int64_t> extents;  // -1: operand
  std::vector<int32_t> extent_operands;
  int split = 0;
  int64_t piece = 1, inner = 1;  // inner = product of the extents after `split`
  std::vector<Reg> variables;    // lane inputs of the iteration variables; no_reg: unused
  std::vector<Symbol> names;     // of the variables
  struct Capture {
    int32_t operand;
    Elem elem;
    Reg reg;
  };
  std::vector<Capture> captures;
  /// An outer variable that iterations assign: each iteration starts with its outer value, and the
  /// last one determines its value after the loop. Register arrays of both programs.
  struct Carried {
    int32_t inner, outer;
    int bytes;
  };
  std::vector<Carried> carried;
  /// Memory of single threads that iterations write: each begins with the contents of its thread.
  struct Own {
    int32_t inner, outer;
  };
  std::vector<Own> own;
  Span span;
};

struct TileRing {
  Symbol name;
  int64_t stages = 1;
  int64_t bytes = 0;  // that an engine transfers per slot; 0: not counted
  Span span;
};

/// An array of barriers that the kernel uses explicitly.
struct TileBarrierArray {
  Symbol name;
  int32_t first = 0, n = 1;  // IDs
  int32_t count = 0;         // arrivals of a phase,
  int64_t unit = 1;          // each by this many threads
  bool named = false;        // by ID: not allocated, and threads are counted
  struct Arrival {
    Span span;
    size_t agent;
  };
  std::vector<Arrival> arrivals;  // source locations
};

struct TileAgent {
  Symbol role;
  Program program;
  std::vector<uint8_t> constants;
  int64_t lo = 0, hi = 0;  // threads
  int phase = 0;           // agents of one phase run concurrently, after those of earlier phases
};

struct TileImage {
  std::vector<TileMemory> memories;
  std::vector<TileAccess> accesses;
  std::vector<std::unique_ptr<TileOp>> ops;
  std::vector<std::unique_ptr<TileParallel>> parallels;
  std::vector<TileAgent> agents;
  std::vector<TileRing> rings;
  std::vector<TileBarrierArray> barriers;
  int32_t barrier_count = 0;
  int32_t named_barriers = -1;  // position of ID 0 in `barriers`; -1: none
  int64_t block_bytes = 0;
  bool logged = false;
  bool watched = false;          // an access counts only in lanes that need its value
  bool addressed = false;        // the kernel has tensors at addresses
  bool tensors_written = false;  // any of them
  bool global_atomics = false;   // blocks run sequentially, so that sums have a defined order
  bool waits = false;            // loops wait for writes of other blocks or threads
  bool threads = false;          // lanes of agents are threads
  int64_t records = 0;           // sites of T.print and T.device_assert, in program order
  int warp = 32;
  /// Whether anything writes the memory, through any view or address.
  bool written(const TileMemory& m) const {
    return m.space < 0 ? tensors_written : memories[size_t(m.root)].written;
  }
};

/// Sets `disjoint` of the accesses from `first` on, those of one T.Parallel (tile/apart.cpp).
void mark_disjoint(TileImage& image, size_t first, const std::vector<int64_t>& extents);

/// Sets the spaces of the memories (tile/access.cpp).
void choose_spaces(TileImage& image);

/// Information that the image must provide.
struct ImageUse {
  bool notes = false;    // which guarded accesses are out of bounds
  bool traced = false;   // the begin of each statement
  bool logged = false;   // the loads on which a value depends, from any memory
  bool watched = false;  // reads, and whether the element was written
};
/// Throws CannotRun (program/compile.h) for IR that tile level does not support.
TileImage compile_tile_kernel(const Launch& launch, const ImageUse& use = {});

}  // namespace tilelab::sim
