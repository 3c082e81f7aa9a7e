// SPDX-License-Identifier: Apache-2.0
// What insert_barriers reports. Loops are walked twice, so each pair of lines is reported once.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/thread_range.h"
#include "core/passes/insert_barriers/barrier_accesses.h"

namespace tilelab {

class BarrierReports {
 public:
  explicit BarrierReports(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Upstream inserts a T.sync_threads() that is missing between per-thread statements, and so does
  /// this pass. It warns, because the same source races elsewhere. `memory`: of both accesses.
  void inserted(const MemoryAccess& before, const MemoryAccess& now, Symbol memory_before,
                Symbol memory_now);
  /// A subset of the threads needs a barrier, which it cannot have.
  void impossible(const MemoryAccess& before, const MemoryAccess& now, Symbol memory_before,
                  Symbol memory_now, ThreadRange threads);
  /// Two branches, which run concurrently, depend on each other.
  void concurrent(const MemoryAccess& before, const MemoryAccess& now, Symbol memory_before,
                  Symbol memory_now, Span branches);

 private:
  using Lines = std::set<std::array<uint32_t, 4>>;  // file and line of both accesses
  static bool is_new(const MemoryAccess& before, const MemoryAccess& now, Lines& lines) {
    return lines.insert({before.span.file, before.span.line, now.span.file, now.span.line}).second;
  }

  Diagnostics& diagnostics_;
  Lines inserted_, refused_;
};

}  // namespace tilelab
