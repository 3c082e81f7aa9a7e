// SPDX-License-Identifier: Apache-2.0
// Signals of a shell. Handlers write a byte into a pipe that the keyboard loop polls, because
// neither readline nor Python may run in a handler; SIGINT also sets interrupt_flag.
#pragma once

#include <signal.h>

#include <cstddef>

namespace tilelab {

/// Handles SIGINT during the life of a shell, so that Ctrl-C is never lost and never ends it:
/// before listen() the signal is pending; then it interrupts a read, a question or a cell, and
/// otherwise the next of them.
class ShellInterrupts {
 public:
  ShellInterrupts();
  ~ShellInterrupts();
  ShellInterrupts(const ShellInterrupts&) = delete;
  void listen();

 private:
  sigset_t mask_;
  struct sigaction saved_;
  bool listening_ = false;
};

class PromptSignals {
 public:
  /// Catches SIGTERM, SIGHUP, SIGTSTP and SIGWINCH during its lifetime, and on the main thread
  /// SIGINT: elsewhere the cell that runs keeps it, and ShellInterrupts has it between cells.
  PromptSignals();
  ~PromptSignals();
  PromptSignals(const PromptSignals&) = delete;

  /// Waits for the keyboard or next(); returns poll's result for the keyboard (0: nothing).
  /// Elsewhere SIGTERM and SIGHUP end the process at once, so that no code that is stuck with a
  /// key, or with a closed terminal, survives them.
  static int wait();
  /// Whether a key is available at once, or within `milliseconds`.
  static bool key_waits(int milliseconds = 0);
  /// How many are available at once, or within `milliseconds`.
  static int keys_waiting(int milliseconds = 0);
  /// Ends the reads of all threads, now and later.
  static void end_reads();
  static bool reads_ended();
  /// The next signal, `output_waits`, or 0.
  static int next();
  /// Wakes the loop because another thread has text to show. Any thread.
  static void wake();
  static constexpr int output_waits = -1;

 private:
  static constexpr int caught[] = {SIGTERM, SIGHUP, SIGTSTP, SIGWINCH, SIGINT};
  size_t count_;  // of them
  struct sigaction saved_[5];
};

/// Returns an unhandled Ctrl-C of the user, once.
bool take_typed_interrupt();
/// Stops the process as Ctrl-Z does; returns when it is resumed.
void stop_self();
/// Ends the process by the default action of `signal`, so that its parent sees the reason.
[[noreturn]] void end_by_signal(int signal);

}  // namespace tilelab
