// SPDX-License-Identifier: Apache-2.0
// Observers of a tile-level block. The machine reports each element access and each tile operation
// once; a watcher is a class derived from TileObserver, in one file, that a TileBlock creates.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/ir/intrinsics/memory_order.h"
#include "core/sim/tile/image.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

class OutsideWatch;
class TileWatch;
class WriteLog;
struct ResolvedBox;

enum class TouchKind : uint8_t { read, write, atomic };

/// A load, store or atomic of one element per lane.
struct LaneAccess {
  TileRunner& runner;
  const CallSite& site;
  const TileAccess& access;
  const TileMemory& memory;
  int64_t id = 0;  // of the access
  TouchKind kind = TouchKind::read;
  std::optional<Intrinsic> atomic;
  int64_t lanes = 0;  // of the chunk, active or not
  const uint8_t* mask = nullptr;
  const uint8_t* value = nullptr;  // loaded, or to be stored; null for an atomic load
  uint8_t* base = nullptr;         // of the memory
  // Not of an access that is reported as a run: all its lanes are in bounds.
  const int64_t* offsets = nullptr;  // elements; 0 for lanes out of bounds
  const uint8_t* outside = nullptr;
  bool any_outside = false;  // of the active lanes
  std::optional<int64_t>
      start;  // if all lanes are in bounds: the elements are `access.runs` from here on

  int64_t bytes() const { return elem_bytes(memory.elem); }
  bool own() const { return memory.global < 0; }  // memory of the block
  /// Whether a lane accesses the memory.
  bool touches(int64_t lane) const { return mask[lane] && !outside[lane]; }
  const uint8_t* element(int64_t lane) const { return base + offsets[lane] * bytes(); }
};

using Position = std::vector<int64_t>;  // within a box, dimension by dimension
/// A part of a box: [lo, hi) in each of its dimensions.
using BoxPart = std::vector<std::pair<int64_t, int64_t>>;

/// A box that a tile operation reads, and the part of it on which the element at a position of the
/// target depends.
struct BoxSource {
  const ResolvedBox* box = nullptr;
  FunctionRef<BoxPart(const Position& at)> part;
  const char* role = "";
  size_t along = 0;  // of a `multiply`: the part depends on this dimension of the target alone
};

enum class BoxRule : uint8_t { fill, copy, reduce, scan, multiply, update };

/// A tile operation on boxes.
struct BoxOperation {
  BoxRule rule = BoxRule::fill;
  const char* name = "";
  const Span& span;
  const ResolvedBox& target;
  bool overwrites = true;  // ignores the old contents of the target
  std::span<const BoxSource> sources;
  ReduceOp reduces = ReduceOp::sum;  // of a `reduce`
  LaneOp combines = LaneOp::add;     // of an `update`,
  MemoryOrder order;                 // which also orders other accesses
  const uint8_t* value = nullptr;    // of a `fill`, or an `update` without source
  TileRunner* runner = nullptr;      // whose register holds that value
  Reg reg = no_reg;
};

/// Each event is reported to all observers of a block, in the order of `TileBlock::observe`.
class TileObserver {
 public:
  virtual ~TileObserver() = default;

  virtual void begin_block() {}
  virtual void end_block() {}
  /// The blocks of this worker have run.
  virtual void end_launch() {}
  /// A T.Parallel of `lanes` begins or ends, called from `outer`; its lanes are the next
  /// iterations.
  virtual void begin_parallel(TileRunner& /*lanes*/, TileRunner& /*outer*/, const CallSite&) {}
  virtual void end_parallel(TileRunner& /*lanes*/, TileRunner& /*outer*/) {}
  virtual void begin_chunk(TileRunner& /*lanes*/) {}

  /// All lanes access elements in bounds, from offset `start` on as `access.runs` says. False if
  /// the access must be reported by lane instead, by the functions below.
  virtual bool accessed_as_run(const LaneAccess&, int64_t /*start*/) { return false; }
  /// A load has read its values; a store or atomic is about to change the memory.
  virtual void accessed(const LaneAccess&) {}
  /// An atomic has changed the element of one lane.
  virtual void updated(const LaneAccess&, int /*lane*/) {}
  /// A store or atomic has changed the memory.
  virtual void stored(const LaneAccess&) {}

  /// Whether `computing` and `computed` must be called.
  virtual bool watches_values() const { return false; }
  virtual void computing(TileRunner&, const Instr&) {}
  virtual void computed(TileRunner&, const Instr&) {}

  /// A tile operation is about to take effect, or has taken effect.
  virtual void before(const BoxOperation&) {}
  virtual void after(const BoxOperation&) {}
};

using Observer = std::unique_ptr<TileObserver>;

/// Reports accesses to the block's tracer (traced.cpp).
Observer trace_accesses(TileBlock& block);
/// Accesses against the order of rings and matmuls; with a `watch` also uninitialized reads, races,
/// dead stores and redundant sums (watch_accesses.cpp).
Observer watch_accesses(TileBlock& block, TileWatch* watch);
/// Padding in reductions (padding.cpp); `outside` knows the element loads that read it.
Observer watch_padding(TileBlock& block, const OutsideWatch* outside);
/// Writes of statements (logged.cpp).
Observer log_writes(TileBlock& block, WriteLog& log);

}  // namespace tilelab::sim
