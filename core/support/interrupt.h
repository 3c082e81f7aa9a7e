// SPDX-License-Identifier: Apache-2.0
// User interrupts of long computations. The simulator polls a flag (sim::RunOptions); the compiler
// calls poll_interrupt() in its loops, and unwinds by an exception: the IR is immutable, so no
// object is left inconsistent.
#pragma once

#include <atomic>
#include <cstdint>

namespace tilelab {

/// A pending user interrupt: set by a signal handler, cleared for each cell.
inline std::atomic<bool> interrupt_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free);

inline bool interrupted() { return interrupt_flag.load(std::memory_order_relaxed); }

/// Thrown when the user interrupts the compiler; caught by run_passes and by callers of elaborate
/// with a host that throws it.
struct Cancelled {};

/// During its lifetime, poll_interrupt() in this thread throws Cancelled once `flag` is set. Null:
/// never.
class InterruptScope {
 public:
  explicit InterruptScope(const std::atomic<bool>* flag) : outer_(current_.flag) {
    current_.flag = flag;
  }
  ~InterruptScope() { current_.flag = outer_; }
  InterruptScope(const InterruptScope&) = delete;

  static bool requested() { return current_.requested(); }
  /// The number of polls of this thread. Every potentially long loop polls once per step, so this
  /// counts steps: tests bound the complexity of passes with it.
  static uint64_t polls() { return current_.polls; }

 private:
  friend void poll_interrupt();
  struct Current {
    const std::atomic<bool>* flag;
    uint64_t polls;
    bool requested() const { return flag && flag->load(std::memory_order_relaxed); }
  };
  static inline thread_local Current current_{nullptr, 0};  // accesses the thread's storage once
  const std::atomic<bool>* outer_;
};

inline void poll_interrupt() {
  InterruptScope::Current& current = InterruptScope::current_;
  ++current.polls;
  if (current.requested()) throw Cancelled{};
}

}  // namespace tilelab
