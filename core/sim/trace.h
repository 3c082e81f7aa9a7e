// SPDX-License-Identifier: Apache-2.0
// What one block did, as numbered events, and what the machine held behind one of them.
//
//   Trace trace;
//   trace.block = {3, 0, 0};
//   options.trace = &trace;     // that block alone runs; without one nothing of this costs
//   anything sim::run(func, arguments, options);
//
// Runs are deterministic: the same arguments give the same numbers. A cursor therefore needs no
// copy of the machine for each event: `stop` ends the run behind an event and takes its state.
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

/// A part of a buffer that an event touches: the smallest box around it.
struct TraceTouch {
  Symbol buffer;
  int32_t memory = 0;  // its number in the block: names may repeat
  bool write = false, atomic = false;
  bool of_threads = false;          // the first dimension counts them
  bool late = false;                // takes place when the event lands
  std::vector<int64_t> lo, extent;  // of the box
  int64_t elements = 0;             // of it that are touched
  int64_t accesses = 0, most = 0;   // of all, of one element
  /// How often each element of the box, row-major; empty where all are touched once, or where the
  /// box is too large to keep that.
  std::vector<uint16_t> counts;
  /// Behind the event: the smallest and largest value of the box, NaN left out.
  double low = 0, high = 0;
  int64_t nan = 0;
  bool cut = false;  // too large: not all accesses are counted, or not all values looked at
  /// ... and those of its first corner: at most 6 rows of 8 of the last two dimensions.
  std::vector<double> corner;
  int64_t corner_width = 0;
};

enum class TraceKind : uint8_t {
  statement,
  lands,    // a copy or a product that an earlier event has issued takes effect
  goes_on,  // an agent that waited
};

/// What an event does to a ring or a barrier.
struct TraceSync {
  std::string object;  // "ring ab", "full[1]"; empty: nothing
  std::string verb;    // "acquires", "commits", "waits for", "releases", "arrives at", "meets at"
  int64_t slot = -1;   // of a ring
  int64_t phase = 0;   // how often the object went round before
  bool waits = false;  // and has to wait
};

struct TraceEvent {
  int64_t number = 0;
  TraceKind kind = TraceKind::statement;
  int64_t of = -1;    // lands, goes_on: the event that issued it, or began to wait
  bool late = false;  // what it does takes effect later
  int64_t agent = 0;  // index into Trace::agents
  Span span;
  std::string text;  // of the statement, as IR
  TraceSync sync;
  std::array<uint64_t, 2> lanes{};  // that run it, of its agent
  std::vector<TraceValue> names;    // in scope when it begins; behind them what it binds
  std::vector<TraceTouch> touched;
};

/// The role of a block, or a warp of it.
struct TraceAgent {
  std::string name;  // "the block", "role c", "warp 3"
  int64_t first_thread = 0, threads = 0;
  Span span;  // where it stands
  bool ended = false;
  std::string waits;              // for what, if it does
  std::vector<TraceValue> names;  // in scope there
};

/// A buffer's elements, row-major. What threads have for themselves has a leading dimension.
struct TraceBuffer {
  Symbol name;
  Scope scope = Scope::shared;
  DType dtype = DType::f32;
  bool of_threads = false;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> written;  // for each element; empty: not known
};

/// Of what a run keeps of its first finding.
inline constexpr int64_t most_kept = int64_t{64} << 20;

struct TraceState {
  int64_t event = -1;  // behind it; -1: where the machine was found
  std::array<int64_t, 3> block{};
  int64_t agent = -1;  // whose finding it is; -1: nobody's alone
  std::vector<TraceBuffer> buffers;
  std::vector<TraceAgent> agents;
};

/// Where an event stands: of all events, kept or not.
struct TraceStep {
  int32_t agent = 0;
  uint32_t line = 0, end_line = 0;
};

struct Trace {
  // ---- asked
  int64_t launch = 0;  // of the function's kernels; those before it run as a whole, none behind it
  std::array<int64_t, 3> block{};
  int64_t first = 0, last = INT64_MAX;  // events that are kept
  /// The run ends behind this event and takes the state; -1: before the first one.
  std::optional<int64_t> stop;
  bool steps_wanted = false;
  int64_t max_bytes = int64_t{64} << 20;  // of events; what is beyond is counted
  // ---- found
  int64_t launches = 0;
  std::array<int64_t, 3> grid{};  // without the block: nothing runs
  std::vector<TraceEvent> events;
  std::vector<TraceAgent> agents;
  std::vector<Symbol> indices;      // names of the block's coordinates
  int64_t count = 0;                // of all events
  std::vector<TraceStep> steps;     // by number, the first 2^24
  int64_t lost = 0;                 // of those that were asked for, beyond max_bytes
  std::optional<TraceState> state;  // behind `stop`, or at the end
};

}  // namespace tilelab::sim
