// SPDX-License-Identifier: Apache-2.0
// How a user ends long work. The simulator gets a flag to look at (sim::RunOptions); the compiler
// calls poll_interrupt() where it may spend its time, and unwinds by an exception: the IR is
// immutable, so nothing is left half changed.
#pragma once

#include <atomic>
#include <cstdint>

namespace tilelab {

/// A user's interrupt that nobody has answered yet: set by a signal handler, cleared for each cell.
inline std::atomic<bool> interrupt_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free);

inline bool interrupted() { return interrupt_flag.load(std::memory_order_relaxed); }

/// Thrown when the user ends the compiler's work; caught where that work was asked for
/// (run_passes, and whoever calls elaborate with a host that throws it).
struct Cancelled {};

/// While it lives, poll_interrupt() in this thread throws Cancelled once `flag` is set. Null:
/// never.
class InterruptScope {
 public:
  explicit InterruptScope(const std::atomic<bool>* flag) : outer_(current_.flag) {
    current_.flag = flag;
  }
  ~InterruptScope() { current_.flag = outer_; }
  InterruptScope(const InterruptScope&) = delete;

  static bool asked() { return current_.asked(); }
  /// How often this thread has asked. Whatever may take long asks once for each of its steps, so
  /// this counts steps: tests hold the growth of passes by it.
  static uint64_t polls() { return current_.polls; }

 private:
  friend void poll_interrupt();
  struct Current {
    const std::atomic<bool>* flag;
    uint64_t polls;
    bool asked() const { return flag && flag->load(std::memory_order_relaxed); }
  };
  static inline thread_local Current current_{nullptr, 0};  // one look-up of the thread's memory
  const std::atomic<bool>* outer_;
};

inline void poll_interrupt() {
  InterruptScope::Current& current = InterruptScope::current_;
  ++current.polls;
  if (current.asked()) throw Cancelled{};
}

}  // namespace tilelab
