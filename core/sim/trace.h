// SPDX-License-Identifier: Apache-2.0
// Events of one block, numbered, and the machine state after one of them.
//
//   Trace trace;
//   trace.block = {3, 0, 0};
//   options.trace = &trace;     // only that block runs; no overhead without a trace
//   anything sim::run(func, arguments, options);
//
// Runs are deterministic: the same arguments give the same event numbers. A cursor therefore needs
// no copy of the machine per event: `stop` ends the run after an event and takes its state.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/enums.h"
#include "core/support/span.h"
#include "core/support/symbol.h"

namespace tilelab::sim {

/// A name in scope and its value: one for all lanes, or one for each.
struct TraceValue {
  Symbol name;
  DType dtype = DType::i32;
  std::vector<uint64_t> bits;
};

/// The part of a buffer that an event accesses: its bounding box.
struct TraceTouch {
  Symbol buffer;
  int32_t memory = 0;  // its index in the block: names may repeat
  bool write = false, atomic = false;
  bool of_threads = false;          // the first dimension is the thread
  bool late = false;                // takes effect when the event completes
  std::vector<int64_t> lo, extent;  // of the box
  int64_t elements = 0;             // accessed elements of the box
  int64_t accesses = 0, most = 0;   // in total, and of one element
  /// Accesses of each element of the box, row-major; empty if each is accessed once, or if the box
  /// is too large.
  std::vector<uint16_t> counts;
  /// After the event: the smallest and largest value of the box, ignoring NaN.
  double low = 0, high = 0;
  int64_t nan = 0;
  bool cut = false;  // too large: not all accesses are counted or not all values read
  /// The values of its first corner: at most 6 rows of 8 of the last two dimensions.
  std::vector<double> corner;
  int64_t corner_width = 0;
};

enum class TraceKind : uint8_t {
  statement,
  completes,  // a copy or matmul issued by an earlier event takes effect
  resumes,    // an agent resumes after waiting
};

/// The effect of an event on a ring or a barrier.
struct TraceSync {
  std::string object;  // "ring ab", "full[1]"; empty: nothing
  std::string
      verb;  // "acquires", "commits", "waits for", "releases", "arrives at", "synchronizes at"
  int64_t slot = -1;   // of a ring
  int64_t phase = 0;   // how many times the object has wrapped around
  bool waits = false;  // and blocks
};

struct TraceEvent {
  int64_t number = 0;
  TraceKind kind = TraceKind::statement;
  int64_t of = -1;    // completes, resumes: the event that issued it or began to wait
  bool late = false;  // its effect is delayed
  int64_t agent = 0;  // index into Trace::agents
  Span span;
  std::string text;  // of the statement, as IR
  TraceSync sync;
  std::array<uint64_t, 2> lanes{};  // active lanes of its agent
  std::vector<TraceValue> names;    // in scope before it, followed by those it binds
  std::vector<TraceTouch> touched;
};

/// The role of a block, or a warp of it.
struct TraceAgent {
  std::string name;  // "the block", "role c", "warp 3"
  int64_t first_thread = 0, threads = 0;
  Span span;  // its current location
  bool ended = false;
  std::string waits;              // for what, if it waits
  std::vector<TraceValue> names;  // in scope there
};

/// A buffer's elements, row-major. Per-thread storage has a leading dimension.
struct TraceBuffer {
  Symbol name;
  Scope scope = Scope::shared;
  DType dtype = DType::f32;
  bool of_threads = false;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> written;  // per element; empty: unknown
};

/// Limit on the state that a run keeps of its first finding, in bytes.
inline constexpr int64_t most_kept = int64_t{64} << 20;

struct TraceState {
  int64_t event = -1;  // after it; -1: the initial state
  std::array<int64_t, 3> block{};
  int64_t agent = -1;  // that has the finding; -1: no single one
  std::vector<TraceBuffer> buffers;
  std::vector<TraceAgent> agents;
};

/// The location of an event; recorded for all events, kept or not.
struct TraceStep {
  int32_t agent = 0;
  uint32_t line = 0, end_line = 0;
};

struct Trace {
  // ---- options
  int64_t launch = 0;  // index of the kernel; earlier ones run completely, later ones not at all
  std::array<int64_t, 3> block{};
  int64_t first = 0, last = INT64_MAX;  // events to keep
  /// The run ends after this event and takes the state; -1: before the first one.
  std::optional<int64_t> stop;
  bool steps_wanted = false;
  int64_t max_bytes = int64_t{64} << 20;  // of events; further ones are counted
  // ---- results
  int64_t launches = 0;
  std::array<int64_t, 3> grid{};  // does not contain the block: nothing runs
  std::vector<TraceEvent> events;
  std::vector<TraceAgent> agents;
  std::vector<Symbol> indices;      // names of the block's coordinates
  int64_t count = 0;                // of all events
  std::vector<TraceStep> steps;     // by event, the first 2^24
  int64_t lost = 0;                 // requested events beyond max_bytes
  std::optional<TraceState> state;  // after `stop`, or at the end
};

}  // namespace tilelab::sim
