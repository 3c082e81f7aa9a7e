// SPDX-License-Identifier: Apache-2.0
// Interrupts of the user, wherever they come from (SIGINT, interrupt_request, shutdown), and
// whatever they meet: nothing, a running cell, a cell that waits for input().
#pragma once

#include <signal.h>

#include <mutex>

#include "session/session.h"

namespace tilelab::jupyter {

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Ends what runs; does nothing while nothing runs. From any thread; does not wait.
  void request();
  /// Becomes readable when request() meets a cell that waits for input.
  int wake_fd() const { return wake_fd_; }

  /// Lives while the session works for a request, on the thread that called it.
  class Cell {
   public:
    Cell(Interrupts& interrupts, Session& session);
    ~Cell();

   private:
    Interrupts& interrupts_;
  };

  /// Lives while a cell waits for input. SIGINT is blocked meanwhile, so that a poll is never cut
  /// short and each interrupt goes through request(). One that came on the way here, unseen by
  /// Python, makes wake_fd readable at once.
  class Input {
   public:
    explicit Input(Interrupts& interrupts);
    ~Input();
    /// Readable when SIGINT reaches this thread itself: threads that a cell has started do not
    /// block the signal, and their handler passes it on to the main thread, where no other thread
    /// sees it.
    int signal_fd() const { return signal_fd_; }
    /// Takes such a signal; false if another thread was faster and will make wake_fd readable.
    bool take_signal();

   private:
    Interrupts& interrupts_;
    sigset_t mask_;
    int signal_fd_;
  };

 private:
  std::mutex mutex_;
  Session* running_ = nullptr;
  bool in_input_ = false;
  int wake_fd_;
};

}  // namespace tilelab::jupyter
