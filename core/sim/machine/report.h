// SPDX-License-Identifier: Apache-2.0
// The results of a simulated run: findings (errors), notes (worth knowing), records (what the
// kernel printed). Every level of the simulator uses them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/func.h"
#include "core/support/span.h"

namespace tilelab::sim {

// FINDING(enumerator, stable name, what it means, what to do)
enum class FindingKind : uint8_t {
#define FINDING(id, name, meaning, help) id,
#include "core/sim/machine/findings.def"
#undef FINDING
  count_
};
const char* finding_name(FindingKind kind);
const char* finding_meaning(FindingKind kind);
const char* finding_help(FindingKind kind);
/// The kernel may still compute what it should: the watcher reports wasted or suspicious work.
bool is_advice(FindingKind kind);
/// The finding of a record that stops its block.
inline FindingKind failure_of(RecordKind what) {
  return what == RecordKind::opaque ? FindingKind::opaque : FindingKind::assertion;
}

/// "thread 37 (warp 1, lane 5)".
std::string thread_name(int64_t thread, int warp);

/// One side of a finding: the actor, its action and the source location.
struct FindingSide {
  Span span;
  std::string actor;  // "thread 37 (warp 1, lane 5)", "the TMA load issued by thread 256"
  std::string verb;   // "writes", "reads", "waits for full[0], parity 1"
};

/// "s is declared here, 4 x 64 elements"; negative extents are unknown.
FindingSide declaration(const Span& span, const std::string& buffer,
                        const std::vector<int64_t>& shape);

/// Findings with the same kind and the same pair of program locations are merged and counted.
struct Finding {
  FindingKind kind{};
  std::array<int64_t, 3> block{};  // of the first occurrence; x, y, z
  std::string buffer;              // "" if no memory is involved
  bool fragment = false;           // the buffer is one
  std::string element;             // "[4, 7]", or "byte 1024" if no element has the address
  std::vector<FindingSide> where;  // races: the earlier access first
  /// Further locations: the declaration of the buffer, writers of a part of it, the condition that
  /// keeps threads from a barrier.
  std::vector<FindingSide> related;
  std::string detail;   // numbers: "index 1040 of 1024", "2 arrivals of 1"
  bool update = false;  // a race: both sides read the element, compute and store it
  int64_t count = 1;
};

/// Not an error: a guarded element access that was out of bounds (guard(p) was false).
struct Note {
  Span span;
  std::array<int64_t, 3> block{};
  int64_t thread = 0;  // of the first occurrence
  int64_t count = 1;
};

/// One T.print or T.device_assert that fired. `values` hold the bits of `dtypes`, zero-extended.
struct Recorded {
  int64_t site = 0;
  bool is_assert = false;
  std::array<int64_t, 3> block{};
  int64_t thread = 0;
  Span span;
  std::vector<uint8_t> dtypes;  // DType
  std::vector<uint64_t> values;
  int index_count = 0;  // how many of the last values are the index of the first one in its buffer
};

/// The index of such a Record statement among those of the function: it identifies the event's
/// source, even if passes have transformed the statement.
int64_t record_number(const Func& func, RecordKind what, const std::string& message,
                      const std::string& buffer, const Span& span);

}  // namespace tilelab::sim
