// SPDX-License-Identifier: Apache-2.0
#include "core/passes/insert_barriers/pending_accesses.h"

#include <string>
#include <tuple>

namespace tilelab {

void BarrierReports::inserted(const MemoryAccess& before, const MemoryAccess& now,
                              Symbol memory_before, Symbol memory_now) {
  if (!before.own || !now.own) return;
  if (memory_before != memory_now) return;
  if (!before.span.known() || !now.span.known()) return;
  if (!is_new(before, now, inserted_)) return;
  std::string name = memory_now.str();
  bool later = std::tie(before.span.line, before.span.col) >= std::tie(now.span.line, now.span.col);
  diagnostics_.report(Diag::barrier_inserted, now.span, did(before), name, is_done(now))
      .mark(does(now) + (" " + name) + (later ? " in the next iteration" : ""))
      .label(before.span, does(before) + (" " + name))
      .help(
          "write T.sync_threads() between the two, where all threads reach it: end an `if` of "
          "some threads before it, and start it again after it");
}

void BarrierReports::impossible(const MemoryAccess& before, const MemoryAccess& now,
                                Symbol memory_before, Symbol memory_now, ThreadRange threads) {
  if (!is_new(before, now, refused_)) return;
  Diagnostic& message = diagnostics_.report(Diag::barrier_in_thread_range, now.span,
                                            "this statement", threads.lo, threads.hi - 1);
  message.mark(does(now) + (" " + memory_now.str()));
  if (before.span.known() && before.span != now.span)
    message.label(before.span, "other threads " + (did(before) + (" " + memory_before.str())));
  message.help(
      "let whole warps reach it, as in `if tx < 64:`, or end the `if` between the two and start "
      "it again, so that the whole block synchronizes there");
}

void BarrierReports::concurrent(const MemoryAccess& before, const MemoryAccess& now,
                                Symbol memory_before, Symbol memory_now, Span branches) {
  if (!is_new(before, now, refused_)) return;
  diagnostics_.report(Diag::ranges_race, now.span, memory_now)
      .mark(does(now) + (" " + memory_now.str()))
      .label(before.span, does(before) + (" " + memory_before.str()))
      .label(branches, "each branch is for different threads")
      .help("write two `if`s in sequence, so that the block synchronizes between them");
}

}  // namespace tilelab
