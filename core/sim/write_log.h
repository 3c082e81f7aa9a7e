// SPDX-License-Identifier: Apache-2.0
// What statements give to memory, told while a function runs:
//
//   WriteLog log;
//   log.watched = {{"C", byte}};     // who wrote this element, of what? (tile level)
//   log.statements = true;           // what did each statement of a block write? (every level)
//   options.log = &log, options.threads = 1;
//
// Runs are deterministic, so a place found in one run ("what was read, and when") can be watched in
// the next: a backward slice takes as many runs as it is deep, and no memory for the rest.
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

/// A byte of a tensor; without one, of the memory of a block.
struct MemoryPlace {
  Symbol tensor;
  int64_t byte = 0;
  int64_t launch = -1, block = -1;  // whose memory, where it is a block's
};

/// An element with its value.
struct LoggedValue {
  Symbol buffer;
  const char* scope = "";
  std::string element;  // "[4, 7]"
  MemoryPlace place;
  DType dtype = DType::i32;
  uint64_t bits = 0;
  bool outside = false;  // of its tensor: the value is the safe one
  const char* role = "";
};

/// One write of a watched element.
struct LoggedWrite {
  int64_t when = 0;                // in the order of all writes of the run
  int64_t launch = 0, number = 0;  // the block by number, and
  std::array<int64_t, 3> block{};  // by place
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
  std::deque<LoggedWrite> last;  // those that are kept
};

/// What a statement wrote to one buffer, by byte.
struct WrittenBy {
  struct Cell {
    int64_t count = 0;
    uint64_t hash = 0;  // of all values, in their order
    uint64_t last = 0;
  };
  Span span;
  Symbol buffer;
  DType dtype = DType::i32;
  bool global = false;
  /// The writes that it is of, with a hash of what each gave to which places; at tile level. Levels
  /// of threads have one.
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

  std::vector<SeenWrites> seen;    // of each watched place
  std::vector<WrittenBy> written;  // in the order of first writes

  void begin_launch();
  void begin_block(int64_t number, const std::array<int64_t, 3>& place);
  /// The next write begins; its number.
  int64_t next() { return now_++; }
  int64_t next_number() const { return now_; }
  int64_t this_launch() const { return launch_; }
  int64_t this_block() const { return block_; }
  /// Whether what statements of the running block write is wanted.
  bool wants_statements() const { return statements && launch_ == launch && block_ == block; }
  /// Calls f(number) for each watched place among `bytes` bytes from `byte` on.
  template <class F> void for_watched(Symbol tensor, int64_t byte, int64_t bytes, F&& f) const {
    for (size_t i = 0; i < watched.size(); ++i) {
      const MemoryPlace& p = watched[i].place;
      if (p.tensor != tensor || p.byte < byte || p.byte >= byte + bytes) continue;
      if (now_ < watched[i].until && (p.block < 0 || (p.block == block_ && p.launch == launch_)))
        f(i);
    }
  }
  void add(size_t number, LoggedWrite write);
  /// `n` elements of `bytes` bytes one after the other; `origin`: where their memory begins.
  void wrote(const Span& span, Symbol buffer, DType dtype, bool global, int64_t byte,
             const uint8_t* values, int64_t n, int bytes, int64_t origin = 0);

 private:
  std::array<int64_t, 3> place_{};
  int64_t launch_ = -1, block_ = 0, now_ = 0;
  std::unordered_map<uint64_t, std::vector<size_t>> of_place_;  // into `written`
};

}  // namespace tilelab::sim
