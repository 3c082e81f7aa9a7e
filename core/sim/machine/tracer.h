// SPDX-License-Identifier: Apache-2.0
// Writes down what a block does (core/sim/trace.h). The machines tell it of statements and
// accesses; it numbers them, joins accesses to boxes, and says when the run has to end.
#pragma once

#include <vector>

#include "core/sim/trace.h"

namespace tilelab::sim {

/// A memory as a user sees it: elements by their index, wherever they lie.
struct TraceMemory {
  Symbol name;
  Scope scope = Scope::shared;
  DType dtype = DType::f32;
  bool of_threads = false;              // a leading dimension counts them
  std::vector<int64_t> shape, strides;  // bytes
  std::vector<int64_t> place;           // byte of each element instead of strides
  const uint8_t* base = nullptr;
  const uint8_t* written = nullptr;  // a byte for each of its bytes; null: not known

  int64_t elements() const;
  /// Where element `linear`, row-major, begins.
  int64_t byte_of(int64_t linear) const;
  /// Whether its elements lie one behind the other.
  bool dense() const;
  TraceBuffer copy() const;
};

/// The buffers as they are, without tensors that nobody has given; the last ones are left out where
/// all together are too large to keep.
std::vector<TraceBuffer> copies_of(const std::vector<TraceMemory>& memories, int64_t most_bytes);

class Tracer {
 public:
  explicit Tracer(Trace& trace) : trace_(trace) {}
  /// A block begins, with these agents and memories.
  void begin_block(std::vector<TraceAgent> agents, std::vector<TraceMemory> memories);

  /// What is told of an event that begins; null where nobody wants to know.
  using Begun = TraceEvent*;
  /// An event of `agent`. `*stops`: the run ends before it.
  Begun begin(int64_t agent, const Span& span, const std::string& text, bool* stops);
  /// The late effect of event `of` takes place, from here to `landed`, within the open event.
  void lands(int64_t of, const Span& span);
  void landed();
  /// The open event has to wait; the agent's next `goes_on` is an event of its own. False from
  /// that: the run ends before it.
  void waits(int64_t agent, TraceSync sync);
  bool goes_on(int64_t agent, TraceSync sync);
  /// The open event's statement has given a name a value.
  void bound(int64_t agent, TraceValue value);
  /// The number of the latest event.
  int64_t latest() const { return trace_.count - 1; }
  /// The open event; null where nobody wants to know.
  TraceEvent* open() { return open_; }
  bool stopped() const { return stopped_; }
  /// Whether the run ends before the next event.
  bool ends_here() const { return trace_.stop && trace_.count > *trace_.stop; }
  TraceAgent& agent(int64_t index) { return trace_.agents[size_t(index)]; }
  Trace& trace() { return trace_; }
  const TraceMemory& memory(int32_t number) const { return memories_[size_t(number)]; }

  /// The open event touches a box of a memory, clipped to it.
  void touch_box(int32_t memory, const std::vector<int64_t>& lo, const std::vector<int64_t>& extent,
                 bool write, bool atomic, bool late = false);
  /// ... or elements by their row-major number, one after the other.
  void touch(int32_t memory, const std::vector<int64_t>& elements, bool write, bool atomic);
  /// Ends the open event: values are looked at.
  void close();
  /// The state of all memories.
  TraceState state() const;
  /// The block is over.
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
  void look(TraceTouch& touch, const TraceMemory& memory) const;
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
