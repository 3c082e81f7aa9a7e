// SPDX-License-Identifier: Apache-2.0
// A thread that handles events outside the protocol: SIGINT, SIGTERM, SIGHUP, a dead parent.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <thread>

namespace tilelab::jupyter {

/// Callbacks, called from the watcher's thread.
class Watched {
 public:
  virtual ~Watched() = default;
  virtual void interrupt() = 0;
  /// Ends the kernel soon: interrupts the running cell, then the main loop returns.
  virtual void stop() = 0;
};

/// Blocks SIGINT in the calling thread and thus in all threads created later: no poll is cut short,
/// no idle kernel killed. Call it before the first thread is created. Session unblocks it in the
/// main thread while user code runs; at all other times the watcher handles it. Also undoes an
/// ignored SIGINT of servers started in the background of a script: Python would then ignore it
/// too.
void take_over_interrupt_signal();

/// Watches until destroyed. If the process survives stop() by some seconds after SIGTERM, SIGHUP or
/// the parent's death (uninterruptible user code), it ends the process. The parent is watched if
/// JPY_PARENT_PID is set; PID 1 never dies and is not watched.
class Watcher {
 public:
  explicit Watcher(Watched& watched);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  void run();
  bool parent_died() const;
  /// Requests an orderly end within `seconds`.
  void stop_within(int seconds, int exit_status);

  Watched& watched_;
  pid_t parent_ = 0;
  int end_fd_, interrupt_fd_;
  struct sigaction old_terminate_ {
  }, old_hangup_{};
  std::thread thread_;
};

// The programs that cells have started.

/// Ends the members of this process's session, if it leads one, as front ends start kernels;
/// otherwise its descendants in that session. A program that left the session (setsid) stays. First
/// by SIGTERM, then by SIGKILL.
void end_started_processes();

/// Sends SIGINT to the other members of this process's group, if it leads one: clients that
/// interrupt by a message do not signal the group, as a terminal does.
void interrupt_started_processes();

// Guarantees that a kernel ends on request, whatever its user's code does.

/// Ends the process `seconds` from now with `exit_status`, unless it ends earlier: for cells,
/// threads and exit handlers that never finish. Only the first call has an effect.
void end_process_within(int seconds, int exit_status);

}  // namespace tilelab::jupyter
