// SPDX-License-Identifier: Apache-2.0
// The parts of a simulated block of threads: the arena of shared memory, barriers, FIFO groups of
// asynchronous operations, and the queue of the copy engine. They are independent of IR and
// threads: the scheduler (thread/) queries them and blocks its warps itself.
//
// An asynchronous operation takes effect as late as the architecture allows: group operations at a
// wait for their group, engine operations when nothing else can run (or when a seeded schedule
// decides; the first seed is the earliest schedule). A missing wait thus changes values and is
// reported as a race.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/sim/machine/map.h"
#include "core/sim/machine/tracer.h"

namespace tilelab::sim {

/// A block has named barriers with IDs 0 to 15.
inline constexpr int64_t named_barrier_count = 16;

/// Thrown where a launch is rejected before it runs.
struct LaunchError {
  Span span;
  std::string what;
};

/// Shared memory of one block. Fresh bytes are 0xFF (a NaN in every float type).
class Arena {
 public:
  /// `watch`: also track which bytes were written.
  void reset(int64_t bytes, bool watch);
  uint8_t* data() { return bytes_.data(); }
  const uint8_t* data() const { return bytes_.data(); }
  int64_t size() const { return size_; }
  bool inside(int64_t address, int64_t n) const {
    return address >= 0 && n >= 0 && address <= size_ - n;
  }
  /// Also after the swizzle.
  bool inside(int64_t address, int64_t n, const Swizzle& swizzle) const {
    return inside(address, n) && swizzled_end(address + n, swizzle) <= size_;
  }
  bool watched() const { return !written_.empty(); }
  /// An initialization mark per byte, or null if not watched.
  uint8_t* written() { return written_.empty() ? nullptr : written_.data(); }
  void mark_written(int64_t address, int64_t n);
  /// First uninitialized byte of [address, address + n); -1 if there is none.
  int64_t first_unwritten(int64_t address, int64_t n) const;

 private:
  std::vector<uint8_t> bytes_, written_;
  int64_t size_ = 0;
};

/// Calls `piece(address, offset, n)` for a dense run of `n` bytes that starts at the unswizzled
/// `address`, in pieces that stay contiguous under the swizzle.
void for_each_piece(int64_t address, int64_t n, const Swizzle& swizzle,
                    FunctionRef<void(int64_t, int64_t, int64_t)> piece);

// ---- barriers

enum class BarrierEvent : uint8_t { none, completed, over_arrival, too_many_bytes, not_ready };

/// (phase, pending arrivals, pending bytes). The phase completes when both are 0: it flips and the
/// arrivals reload. A wait for parity 1 passes on a new barrier.
class Barrier {
 public:
  void init(int32_t count);
  bool ready() const { return ready_; }
  int32_t count() const { return count_; }
  int32_t phase() const { return phase_; }
  /// The number of completed phases.
  int64_t completed() const { return completed_; }
  int32_t pending() const { return pending_; }
  int64_t bytes() const { return bytes_; }
  /// Whether a wait for `parity` has to block.
  bool blocks(int64_t parity) const { return phase_ == (parity & 1); }

  BarrierEvent arrive(int32_t n = 1);
  /// Announces bytes; never completes a phase.
  BarrierEvent expect(int64_t n);
  /// An engine has transferred bytes.
  BarrierEvent complete(int64_t n);

 private:
  BarrierEvent end_phase();
  void next_phase() { phase_ ^= 1, ++completed_, pending_ = count_; }
  int32_t count_ = 0, pending_ = 0, phase_ = 0;
  int64_t bytes_ = 0, completed_ = 0;
  bool ready_ = false;
};

// ---- asynchronous operations

/// One asynchronous operation. `read` reads the sources, `write` changes the destinations (and
/// signals). Both happen at once except for bulk stores, whose sources are free before their
/// destinations are visible.
class AsyncOp {
 public:
  explicit AsyncOp(uint32_t place) : place(place) {}
  virtual ~AsyncOp() = default;
  virtual void read() {}
  virtual void write() = 0;
  /// Whether `write` fills the byte at this address of shared memory.
  virtual bool fills(int64_t) const { return false; }
  /// `write`, reported to a tracer.
  void complete();
  uint32_t place;  // program location that issued it
  Tracer* tracer = nullptr;
  int64_t event = -1;  // of the trace, at which it was issued
  Span span;
};

using AsyncOpPtr = std::unique_ptr<AsyncOp>;

/// The FIFO of one class of a thread, warp or group. Issued operations join the open group; commit
/// closes it, even if it is empty; groups complete in order.
class GroupFifo {
 public:
  GroupFifo() = default;
  GroupFifo(GroupFifo&&) noexcept = default;
  GroupFifo& operator=(GroupFifo&&) noexcept = default;
  void issue(AsyncOpPtr op) { open_.push_back(std::move(op)); }
  void commit();
  /// Completes the oldest closed groups until at most `n` are pending.
  void wait(int64_t n);
  /// The same for the sources only; `wait` completes the writes.
  void wait_read(int64_t n);
  /// Completes everything, including open operations.
  void drain();
  int64_t pending() const { return int64_t(closed_.size()); }
  /// The number of groups closed, and completed, so far.
  uint32_t committed() const { return committed_; }
  uint32_t completed() const { return committed_ - uint32_t(closed_.size()); }
  /// An operation whose sources may still be read; null if there is none.
  const AsyncOp* unread() const;
  /// An operation that has not completed; null if there is none.
  const AsyncOp* unfinished() const;
  /// An operation that will fill the byte at this address of shared memory.
  const AsyncOp* filling(int64_t address) const;

 private:
  struct Group {
    std::vector<AsyncOpPtr> ops;
    bool was_read = false;
  };
  static void read(Group& group);
  static void write(Group& group);
  std::vector<AsyncOpPtr> open_;
  std::deque<Group> closed_;
  uint32_t committed_ = 0;
};

/// Operations that complete at any time after they are issued, in any order.
class EngineQueue {
 public:
  void issue(AsyncOpPtr op) { ops_.push_back(std::move(op)); }
  bool empty() const { return ops_.empty(); }
  size_t size() const { return ops_.size(); }
  /// Completes the queued operation `i`.
  void run(size_t i);
  const AsyncOp& at(size_t i) const { return *ops_[i]; }
  /// An operation that will fill the byte at this address of shared memory, or null.
  const AsyncOp* filling(int64_t address) const;
  void clear() { ops_.clear(); }

 private:
  std::deque<AsyncOpPtr> ops_;
};

// ---- rendezvous

/// A rendezvous of the members (warps) of a scope. The first to arrive determines the location and
/// the operands, which must be the same for the others.
class Rendezvous {
 public:
  enum class Result : uint8_t { waits, complete, differs };
  /// Member `who` arrives. `complete` for the last one, which must release the others, listed in
  /// `members`. `differs`: location or operands differ from those of `first()`.
  Result arrive(int32_t who, int32_t expected, uint32_t place, uint64_t operands);
  int32_t arrived() const { return int32_t(members_.size()); }
  const std::vector<int32_t>& members() const { return members_; }
  uint32_t place() const { return place_; }
  uint64_t operands() const { return operands_; }
  int32_t expected() const { return expected_; }
  void reset() { members_.clear(); }

 private:
  std::vector<int32_t> members_;
  uint32_t place_ = 0;
  uint64_t operands_ = 0;
  int32_t expected_ = 0;
};

/// A small random generator for schedules: equal seeds give equal schedules on every machine.
class Random {
 public:
  explicit Random(uint64_t seed = 0) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567) {}
  uint64_t next();
  /// In [0, n).
  uint64_t below(uint64_t n) { return next() % n; }

 private:
  uint64_t state_;
};

}  // namespace tilelab::sim
