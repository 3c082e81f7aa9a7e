// SPDX-License-Identifier: Apache-2.0
// Shadow memory of a watched tile-level kernel, per element: whether it was written, and which
// iteration of the running T.Parallel and which block accessed it. One per launch; blocks then run
// sequentially.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/sim/machine/race_clock.h"
#include "core/sim/tile/block_sums.h"
#include "core/sim/tile/dead_stores.h"
#include "core/sim/tile/observer.h"
#include "core/support/span.h"

namespace tilelab::sim {

/// The earlier of two conflicting accesses.
struct Touch {
  TouchKind kind = TouchKind::read;
  Span span;
  int64_t who = 0;  // iteration, or block; -2: several
  bool other_block = false;
  bool update = false;  // both read the element before they write it
};

class TileWatch {
 public:
  TileWatch(bool uninitialized, bool races) : uninitialized_(uninitialized), races_(races) {}
  bool uninitialized() const { return uninitialized_; }
  bool races() const { return races_; }
  int64_t accesses = 0;  // of elements, as reported
  BlockSums sums;
  DeadStores stores;

  /// `n` elements of `bytes` bytes were accessed; `global`: the launch's memory, or -1.
  void count(int32_t global, TouchKind kind, int64_t n, int64_t bytes) {
    accesses += n;
    if (global < 0) return;
    if (moved_.size() <= size_t(global)) moved_.resize(size_t(global) + 1);
    (kind == TouchKind::read ? moved_[size_t(global)].read : moved_[size_t(global)].written) +=
        n * bytes;
  }
  struct Moved {
    int64_t read = 0, written = 0;  // bytes
  };
  /// By the launch's memory, up to the last one accessed.
  const std::vector<Moved>& moved() const { return moved_; }

  /// (block, location) of the last write to a cell of global memory.
  std::optional<std::pair<int64_t, Span>> writer(int32_t memory, int64_t cell);

  /// The running block acquires a cell of global memory that another block has released, or
  /// releases it itself: the earlier accesses of that block do not race with later ones.
  /// `continues`: it read the cell before it wrote it, so that earlier releases stay in effect.
  void order(int32_t memory, int64_t cell, bool acquires, bool releases, bool continues);

  /// A block begins: its memory of `bytes` bytes is uninitialized.
  void begin_block(int64_t number, int64_t bytes);
  /// The state of a block of a cluster while another one runs.
  struct Suspended {
    int32_t block = 0;
    Clock known;
    std::vector<uint8_t> written;
    std::vector<DeadStores::Cell> stores;
  };
  void suspend(Suspended& into);
  void resume(Suspended& from);
  /// A T.Parallel begins: its iterations are unordered.
  void begin_parallel() { ++epoch_; }

  // ---- bytes of the block's memory
  const uint8_t* marks(int64_t at) const { return &written_[size_t(at)]; }
  void mark_written(int64_t at, int64_t n);
  void forget_written(int64_t at, int64_t n);
  void copy_written(int64_t to, int64_t from, int64_t n);
  bool written(int64_t at, int64_t n) const { return first_unwritten(at, n) == n; }
  /// The index of the first uninitialized byte of the `n` bytes from `at` on, or n.
  int64_t first_unwritten(int64_t at, int64_t n) const;

  /// `iteration` (-1: outside a T.Parallel) accesses cell `at` of memory `memory` (`global`:
  /// visible to all blocks). `same_value`: a store that changes nothing, which does not race with
  /// other blocks. `value`: the stored value; iterations that store equal values do not race.
  /// Returns the access that it races with.
  std::optional<Touch> touch(int32_t memory, bool global, int64_t at, TouchKind kind,
                             int64_t iteration, const Span& span, bool same_value,
                             uint64_t value = 0);

  /// The same for `n` cells of global memory outside a T.Parallel, or of disjoint iterations; false
  /// if one of them conflicts. Then nothing is recorded: call `touch` for each.
  bool touch_run(int32_t memory, int64_t at, int64_t n, TouchKind kind, const Span& span);

 private:
  struct Cell {  // of the running T.Parallel
    uint32_t epoch = 0;
    int32_t writer = -1, reader = -1;  // iterations; -2: several readers
    uint32_t write_place = 0, read_place = 0;
    uint64_t value = 0;  // that was written
  };
  struct BlockCell {  // ranges of a block's accesses, each up to a release
    int32_t write = -1, read = -1, atomic = -1;
    uint32_t write_place = 0, read_place = 0, atomic_place = 0;
  };
  static constexpr int64_t page_cells = 4096;
  template <class T> struct Pages {
    std::unordered_map<uint64_t, std::unique_ptr<T[]>> pages;
    uint64_t last_key = ~uint64_t{0};
    T* last = nullptr;
    T& at(int32_t memory, int64_t cell);
  };
  /// By another block, and not ordered before this one.
  bool other(int32_t stretch) const {
    return stretch >= 0 && stretch < first_ &&
           known_[uint32_t(block_of_[size_t(stretch)])] <= uint32_t(stretch);
  }
  uint32_t place(const Span& span);
  std::optional<Touch> touch_parallel(Cell& c, TouchKind kind, int32_t iteration, uint32_t place,
                                      uint64_t value);
  std::optional<Touch> touch_block(BlockCell& c, TouchKind kind, uint32_t place, bool same);

  bool uninitialized_, races_;
  std::vector<Moved> moved_;
  std::vector<uint8_t> written_;
  Pages<Cell> cells_;
  Pages<BlockCell> block_cells_;
  std::vector<Span> places_{Span{}};
  Span last_span_;
  uint32_t last_place_ = 0;
  uint32_t epoch_ = 0;
  int32_t block_ = 0;
  std::vector<int32_t> block_of_;  // of the ranges so far
  int32_t first_ = 0;              // of the block's ranges, which end with the last
  Clock known_;                    // by block, the range up to which it is ordered before
  std::map<std::pair<int32_t, int64_t>, Clock> released_;
};

}  // namespace tilelab::sim
