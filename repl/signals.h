// SPDX-License-Identifier: Apache-2.0
// Signals of a shell. Handlers write a byte into a pipe that the loop around the keyboard watches,
// because nothing of readline or Python may run in a handler; SIGINT sets interrupt_flag as well.
#pragma once

#include <signal.h>

namespace tilelab {

/// Takes SIGINT over for the life of a shell, so that Ctrl-C is never lost and never ends it:
/// before listen() the signal waits; then it ends what reads, asks or runs, and between two of
/// them it is kept for the next.
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
  /// Catches SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGWINCH while it lives.
  PromptSignals();
  ~PromptSignals();
  PromptSignals(const PromptSignals&) = delete;

  /// Waits until the keyboard or next() has something; gives what poll says of the keyboard (0:
  /// nothing). Where the thread is anywhere else, SIGTERM and SIGHUP end the process at once: no
  /// code that is stuck with a key, or with a terminal that is gone, outlives them.
  static int wait();
  /// A key can be read at once, or within `milliseconds`.
  static bool key_waits(int milliseconds = 0);
  /// How many wait at once, or within `milliseconds`.
  static int keys_waiting(int milliseconds = 0);
  /// The next signal, `output_waits`, or 0.
  static int next();
  /// Wakes the loop because another thread has text to show. Any thread.
  static void wake();
  static constexpr int output_waits = -1;

 private:
  static constexpr int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};
  struct sigaction saved_[5];
};

/// The user's Ctrl-C that nobody has answered yet, once.
bool take_typed_interrupt();
/// Stops the process as Ctrl-Z does; returns when it goes on.
void stop_self();
/// Ends the process as `signal` does by default, so that its parent sees why.
[[noreturn]] void die_of(int signal);

}  // namespace tilelab
