// SPDX-License-Identifier: Apache-2.0
// User interrupts from any source (SIGINT, interrupt_request, shutdown), in any state: idle, a
// running cell, a cell that waits for input().
#pragma once

#include <signal.h>

#include <cstdint>
#include <mutex>
#include <string>

#include "session/session.h"

namespace tilelab::jupyter {

/// Who sent a request, and when by the sender's clock (in ISO 8601).
struct RequestIdentity {
  std::string session, date;
};

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Interrupts the running request; no effect when idle. Any thread; does not wait.
  void request();
  /// The same for a message. It may overtake a cell that was sent before, on another socket: then
  /// it interrupts this cell; one that the next cell overtakes interrupts nothing. Returns whether
  /// code ran, perhaps with programs.
  bool request(const RequestIdentity& sender);
  /// The sender of the next Cell.
  void announce(const RequestIdentity& sender);
  /// Becomes readable when request() interrupts a cell that waits for input.
  int wake_fd() const { return wake_fd_; }

  /// Its lifetime is that of a request to the session, on the calling thread. Its end interrupts
  /// the question of another thread, whose client no longer shows it.
  class Cell {
   public:
    Cell(Interrupts& interrupts, Session& session);
    ~Cell();
    /// Whether the interrupt came before the request.
    bool interrupted_early() const { return early_; }

   private:
    Interrupts& interrupts_;
    bool early_ = false;
  };

  /// Its lifetime is that of a wait for input. It blocks SIGINT, so that a poll is never cut short
  /// and every interrupt goes through request(). An interrupt that arrived just before, unseen by
  /// Python, makes wake_fd readable at once, and so does the end of the request.
  class Input {
   public:
    explicit Input(Interrupts& interrupts);
    ~Input();
    /// Readable when this thread receives SIGINT: threads started by a cell do not block the
    /// signal, and their handler forwards it to the main thread, where no other thread sees it.
    int signal_fd() const { return signal_fd_; }
    /// Consumes such a signal; false if another thread was faster and will make wake_fd readable.
    bool take_signal();

   private:
    Interrupts& interrupts_;
    sigset_t mask_;
    int signal_fd_;
  };

 private:
  bool overtook(const RequestIdentity& cell) const;
  bool overtaken_by_cell(const RequestIdentity& interrupt) const;

  std::mutex mutex_;
  Session* running_ = nullptr;
  RequestIdentity announced_;  // of the cell that will run
  RequestIdentity cell_;       // of the cell that runs, or ran last
  int64_t cell_came_ms_ = 0;
  RequestIdentity early_;  // of an interrupt that nothing was running for
  int64_t early_came_ms_ = 0;
  bool in_input_ = false;
  int wake_fd_;
};

}  // namespace tilelab::jupyter
