// SPDX-License-Identifier: Apache-2.0
// Signals while a person is at the prompt: handlers only write a byte into a pipe that the loop
// around the keyboard watches, because nothing of readline or Python may run in a handler.
#pragma once

#include <signal.h>

namespace tilelab {

class PromptSignals {
 public:
  /// Catches SIGINT, SIGTERM, SIGHUP, SIGTSTP and SIGWINCH while it lives.
  PromptSignals();
  ~PromptSignals();
  PromptSignals(const PromptSignals&) = delete;

  /// Readable when next() has something.
  static int descriptor();
  /// The next signal, `output_waits`, or 0.
  static int next();
  /// Wakes the loop because another thread has text to show. Any thread.
  static void wake();
  static constexpr int output_waits = -1;

 private:
  static constexpr int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};
  struct sigaction saved_[5];
};

/// Stops the process as Ctrl-Z does; returns when it goes on.
void stop_self();
/// Ends the process as `signal` does by default, so that its parent sees why.
[[noreturn]] void die_of(int signal);

}  // namespace tilelab
