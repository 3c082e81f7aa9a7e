// SPDX-License-Identifier: Apache-2.0
// One thread that notices what comes from outside the protocol: SIGINT, SIGTERM, a dead parent.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <thread>

namespace tilelab::jupyter {

/// What the watcher calls, from its own thread.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual void interrupt() = 0;
  /// Ends the kernel soon: interrupts what runs, then lets the main loop return.
  virtual void stop() = 0;
};

/// Blocks SIGINT in the calling thread, hence in every thread made later: no poll is cut short,
/// no idle kernel killed. Call it before the first thread is made. Session makes the main thread
/// take the signal while user code runs; at all other times the watcher does. Undoes that a server
/// in the background of a script was started with SIGINT ignored: Python would then ignore it too.
void take_over_interrupt_signal();

/// Watches until destroyed. When stop() has been called for SIGTERM or for a parent that died and
/// the process still lives seconds later (user code that cannot be interrupted), it ends it.
/// The parent is watched where JPY_PARENT_PID is set; 1 never dies and is not.
class Watcher {
 public:
  explicit Watcher(Watched& watched);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  void run();
  bool parent_died() const;
  /// Asks for an orderly end and allows `seconds` for it.
  void stop_within(int seconds, int exit_status);

  Watched& watched_;
  pid_t parent_ = 0;
  int end_fd_, interrupt_fd_;
  struct sigaction old_terminate_ {};
  std::thread thread_;
};

}  // namespace tilelab::jupyter
