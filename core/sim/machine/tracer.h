// SPDX-License-Identifier: Apache-2.0
// Records what a block does (core/sim/trace.h). The machines report statements and accesses; the
// tracer numbers them, joins accesses to boxes, and decides when the run ends.
#pragma once

#include <vector>

#include "core/sim/trace.h"

namespace tilelab::sim {

/// A memory from the user's view: elements by index, wherever they are stored.
struct TraceMemory {
  Symbol name;
  Scope scope = Scope::shared;
  DType dtype = DType::f32;
  bool of_threads = false;              // a leading dimension is the thread
  std::vector<int64_t> shape, strides;  // bytes
  std::vector<int64_t> place;           // byte of each element, in place of strides
  const uint8_t* base = nullptr;
  const uint8_t* written = nullptr;  // an initialization mark per byte; null: unknown

  int64_t elements() const;
  /// The byte offset of element `linear`, row-major.
  int64_t byte_of(int64_t linear) const;
  /// Whether its elements are contiguous.
  bool dense() const;
  TraceBuffer copy() const;
};

/// Copies of the buffers, without tensors that are null; omits the last ones if the total exceeds
/// `most_bytes`.
std::vector<TraceBuffer> copies_of(const std::vector<TraceMemory>& memories, int64_t most_bytes);

class Tracer {
 public:
  explicit Tracer(Trace& trace) : trace_(trace) {}
  /// A block begins, with these agents and memories.
  void begin_block(std::vector<TraceAgent> agents, std::vector<TraceMemory> memories);

  /// The event to fill in when it begins; null if it is not recorded.
  using Begun = TraceEvent*;
  /// Begins an event of `agent`. `*stops`: the run ends before it.
  Begun begin(int64_t agent, const Span& span, const std::string& text, bool* stops);
  /// The delayed effect of event `of` takes place, until `completed`, within the open event.
  void completes(int64_t of, const Span& span);
  void completed();
  /// The open event has to wait; the agent's next `resumes` is a separate event. If that returns
  /// false, the run ends before it.
  void waits(int64_t agent, TraceSync sync);
  bool resumes(int64_t agent, TraceSync sync);
  /// The open event's statement has assigned a name.
  void bound(int64_t agent, TraceValue value);
  /// The index of the latest event.
  int64_t latest() const { return trace_.count - 1; }
  /// The open event; null if it is not recorded.
  TraceEvent* open() { return open_; }
  bool stopped() const { return stopped_; }
  /// Whether the run ends before the next event.
  bool ends_here() const { return trace_.stop && trace_.count > *trace_.stop; }
  TraceAgent& agent(int64_t index) { return trace_.agents[size_t(index)]; }
  Trace& trace() { return trace_; }
  const TraceMemory& memory(int32_t number) const { return memories_[size_t(number)]; }

  /// The open event accesses a box of a memory, clipped to it.
  void touch_box(int32_t memory, const std::vector<int64_t>& lo, const std::vector<int64_t>& extent,
                 bool write, bool atomic, bool late = false);
  /// ... or elements by their row-major index, in order.
  void touch(int32_t memory, const std::vector<int64_t>& elements, bool write, bool atomic);
  /// Ends the open event: reads values.
  void close();
  /// The state of all memories.
  TraceState state() const;
  /// The block has ended.
  void end();

 private:
  struct Pending {
    int32_t memory;
    bool write, atomic;
    std::vector<int64_t> elements;
    bool cut = false;
  };
  struct Outer {
    TraceEvent event;
    bool open;
    std::vector<Pending> pending;
  };
  void begin_event(int64_t agent, const Span& span, const std::string& text);
  void join(const Pending& pending);
  void read_values(TraceTouch& touch, const TraceMemory& memory) const;
  double value(const TraceTouch& touch, const TraceMemory& memory, int64_t inside) const;

  Trace& trace_;
  std::vector<TraceMemory> memories_;
  std::vector<Pending> pending_;
  std::vector<Outer> outer_;
  std::vector<int64_t> waiting_;  // by agent: the event in which it waits; -1: it does not
  TraceEvent current_;
  TraceEvent* open_ = nullptr;
  int64_t agent_ = 0, bytes_ = 0;
  bool stopped_ = false;
};

}  // namespace tilelab::sim
