// SPDX-License-Identifier: Apache-2.0
// What a simulated run tells: findings (something is wrong), notes (worth knowing), records (what
// the kernel printed). One vocabulary for every level of the simulator.
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
#define FINDING(id, name, meaning, cure) id,
#include "core/sim/machine/findings.def"
#undef FINDING
  count_
};
const char* finding_name(FindingKind kind);
const char* finding_meaning(FindingKind kind);
const char* finding_cure(FindingKind kind);

/// "thread 37 (warp 1, lane 5)".
std::string thread_name(int64_t thread, int warp);

/// One side of a finding: who did what, where in the source.
struct FindingSide {
  Span span;
  std::string actor;  // "thread 37 (warp 1, lane 5)", "the TMA load issued by thread 256"
  std::string verb;   // "writes", "reads", "waits for full[0], parity 1"
};

/// "s is declared here, 4 x 64 elements"; extents below 0 are not known.
FindingSide declaration(const Span& span, const std::string& buffer,
                        const std::vector<int64_t>& shape);

/// Findings with the same kind and the same pair of program places are one, with a count.
struct Finding {
  FindingKind kind{};
  std::array<int64_t, 3> block{};  // of the first occurrence; x, y, z
  std::string buffer;              // "" where no memory is meant
  bool fragment = false;           // the buffer is one
  std::string element;             // "[4, 7]", or "byte 1024" where no element has the address
  std::vector<FindingSide> where;  // races: the earlier access first
  /// What else to look at: where the buffer is declared, who writes a part of it, the condition
  /// that keeps threads from a barrier.
  std::vector<FindingSide> related;
  std::string detail;   // figures: "index 1040 of 1024", "2 arrivals of 1"
  bool update = false;  // a race: both sides read the element, compute and store it
  int64_t count = 1;
};

/// Not a mistake of the compiler: a guarded element access that was outside (guard(p) was false).
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
  int index_count =
      0;  // how many of the values, the last, are where in its buffer the first stands
};

/// The number of such a Record statement among all of the function, in their order: what an event
/// says of its place, whatever became of the statement on the way.
int64_t record_number(const Func& func, RecordKind what, const std::string& message,
                      const std::string& buffer, const Span& span);

}  // namespace tilelab::sim
