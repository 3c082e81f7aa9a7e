// SPDX-License-Identifier: Apache-2.0
// Reports of a tile-level block to a WriteLog: element accesses by lane, boxes as a whole.
#pragma once

#include <unordered_map>

#include "core/sim/tile/resolved_box.h"
#include "core/sim/write_log.h"

namespace tilelab::sim {

using Position = std::vector<int64_t>;  // within a box, dimension by dimension

/// The log of one running block.
class TileLog {
 public:
  explicit TileLog(WriteLog& log) : log(log) {}
  WriteLog& log;

  /// What the active lanes of a runner have loaded by an access, until `forget`.
  struct Loaded {
    const TileRunner* who = nullptr;
    const TileMemory* memory = nullptr;
    std::vector<uint8_t> known, outside;  // by lane
    std::vector<int64_t> offsets;
    std::vector<uint64_t> values;
  };
  std::unordered_map<int64_t, Loaded> loaded;  // by index of the access
  void forget(const TileRunner* who);

  LoggedValue value(const TileMemory& memory, int64_t offset, uint64_t bits) const;
  MemoryPlace place(const TileMemory& memory, int64_t offset) const;
};

/// The operands of one element that an operation writes.
class Operands {
 public:
  Operands(const TileLog& log, std::vector<LoggedValue>& to) : log_(log), to_(to) {}
  void add(const ResolvedBox& region, const Position& at, const char* role = "");

 private:
  const TileLog& log_;
  std::vector<LoggedValue>& to_;
};

/// Wraps an operation on a box: reads operands before it and results after it.
///
///   LoggedBox logged(block, span, "copy", target, [&](const Position& at, Operands& of) { ... });
class LoggedBox {
 public:
  LoggedBox(TileBlock& block, const Span& span, const char* how, const ResolvedBox& target,
            FunctionRef<void(const Position&, Operands&)> operands);
  ~LoggedBox();
  LoggedBox(const LoggedBox&) = delete;
  LoggedBox& operator=(const LoggedBox&) = delete;

 private:
  void log_statement() const;

  TileLog* log_;
  Span span_;
  const ResolvedBox& target_;
  std::vector<std::pair<size_t, LoggedWrite>> watched_;
};

}  // namespace tilelab::sim
