// SPDX-License-Identifier: Apache-2.0
// Writes to memory by statements, logged while a function runs:
//
//   WriteLog log;
//   log.watched = {{"C", byte}};     // who wrote this element, from which operands? (tile level)
//   log.statements = true;           // what did each statement of a block write? (every level)
//   options.log = &log, options.threads = 1;
//
// Runs are deterministic, so a location found in one run ("what was read, and when") can be watched
// in the next: a backward slice takes as many runs as it is deep, and constant memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/dtype.h"
#include "core/support/span.h"
#include "core/support/symbol.h"

namespace tilelab::sim {

/// A byte of a tensor, or without a tensor of a block's memory.
struct MemoryPlace {
  Symbol tensor;
  int64_t byte = 0;
  int64_t launch = -1, block = -1;  // whose memory, for memory of a block
};

/// An element with its value.
struct LoggedValue {
  Symbol buffer;
  const char* scope = "";
  std::string element;  // "[4, 7]"
  MemoryPlace place;
  DType dtype = DType::i32;
  uint64_t bits = 0;
  bool outside = false;  // out of bounds of its tensor: the value is the safe one
  const char* role = "";
};

/// One write of a watched element.
struct LoggedWrite {
  int64_t when = 0;                // position among all writes of the run
  int64_t launch = 0, number = 0;  // the block's index, and
  std::array<int64_t, 3> block{};  // its coordinates
  Span span;
  const char* how = "";  // "store", "copy", "gemm" ...
  std::string actor;     // "iteration i = 3, j = 0"
  LoggedValue to;
  std::vector<LoggedValue> of;
};

struct WatchedPlace {
  MemoryPlace place;
  int64_t until = std::numeric_limits<int64_t>::max();  // writes before that moment count
};
struct SeenWrites {
  int64_t count = 0;
  std::deque<LoggedWrite> last;  // the last few
};

/// What a statement wrote to one buffer, by byte.
struct WrittenBy {
  struct Cell {
    int64_t count = 0;
    uint64_t hash = 0;  // of all values, in order
    uint64_t last = 0;
  };
  Span span;
  Symbol buffer;
  DType dtype = DType::i32;
  bool global = false;
  /// A visit of the statement, with a hash of its values and addresses; at tile level. Thread level
  /// has one per statement.
  struct Visit {
    int64_t when = 0;
    uint64_t hash = 0;
  };
  std::vector<Visit> visits;
  std::unordered_map<int64_t, Cell> cells;
};

class WriteLog {
 public:
  static constexpr size_t kept_writes = 256;

  std::vector<WatchedPlace> watched;
  bool statements = false;
  int64_t launch = 0, block = 0;  // whose statements

  std::vector<SeenWrites> seen;    // of each watched location
  std::vector<WrittenBy> written;  // in the order of first writes

  void begin_launch();
  void begin_block(int64_t number, const std::array<int64_t, 3>& place);
  /// Starts the next write and returns its index.
  int64_t next() { return now_++; }
  int64_t next_number() const { return now_; }
  int64_t this_launch() const { return launch_; }
  int64_t this_block() const { return block_; }
  /// Whether writes of the running block's statements are requested.
  bool wants_statements() const { return statements && launch_ == launch && block_ == block; }
  /// Calls f(index) for each watched location within `bytes` bytes from `byte` on.
  template <class F> void for_watched(Symbol tensor, int64_t byte, int64_t bytes, F&& f) const {
    for (size_t i = 0; i < watched.size(); ++i) {
      const MemoryPlace& p = watched[i].place;
      if (p.tensor != tensor || p.byte < byte || p.byte >= byte + bytes) continue;
      if (now_ < watched[i].until && (p.block < 0 || (p.block == block_ && p.launch == launch_)))
        f(i);
    }
  }
  void add(size_t number, LoggedWrite write);
  /// Logs `n` contiguous elements of `bytes` bytes; `origin`: the start of their memory.
  void wrote(const Span& span, Symbol buffer, DType dtype, bool global, int64_t byte,
             const uint8_t* values, int64_t n, int bytes, int64_t origin = 0);

 private:
  std::array<int64_t, 3> place_{};
  int64_t launch_ = -1, block_ = 0, now_ = 0;
  std::unordered_map<uint64_t, std::vector<size_t>> of_place_;  // into `written`
};

}  // namespace tilelab::sim
