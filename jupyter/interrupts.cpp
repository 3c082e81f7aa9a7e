// SPDX-License-Identifier: Apache-2.0
#include "jupyter/interrupts.h"

#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "core/support/check.h"
#include "core/support/interrupt.h"
#include "jupyter/dates.h"

namespace tilelab::jupyter {

namespace {

int64_t now_ms() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::milliseconds(1);
}

}  // namespace

Interrupts::Interrupts() : wake_fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  CHECK(wake_fd_ >= 0);
}

Interrupts::~Interrupts() { close(wake_fd_); }

void Interrupts::request() {
  // Held during Session::interrupt, which does not wait, so that no interrupt affects the next
  // cell.
  std::lock_guard<std::mutex> lock(mutex_);
  if (in_input_) {
    eventfd_write(wake_fd_, 1);
  } else if (running_) {
    running_->interrupt();
  }
}

bool Interrupts::request(const RequestIdentity& sender) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (running_ && overtaken_by_cell(sender)) return false;
  const bool programs_may_run = running_ && !in_input_;
  if (!running_) {
    early_ = sender;
    early_came_ms_ = now_ms();
  }
  lock.unlock();
  request();
  return programs_may_run;
}

void Interrupts::announce(const RequestIdentity& sender) {
  std::lock_guard<std::mutex> lock(mutex_);
  announced_ = sender;
}

Interrupts::Cell::Cell(Interrupts& interrupts, Session& session) : interrupts_(interrupts) {
  std::lock_guard<std::mutex> lock(interrupts_.mutex_);
  interrupts_.running_ = &session;
  session.expect_interrupts();
  interrupts_.cell_ = std::exchange(interrupts_.announced_, {});
  interrupts_.cell_came_ms_ = now_ms();
  early_ = interrupts_.overtook(interrupts_.cell_);
  interrupts_.early_ = {};
}

/// Whether two messages on separate sockets came so soon after one another that they may have
/// changed their order. A server sends interrupts in another session, and its clock may differ from
/// that of the cell's client: then dates count only if no user can have sent both in this time.
static bool is_soon(const RequestIdentity& a, const RequestIdentity& b, int64_t ms) {
  constexpr int64_t longest_way_ms = 1000, longest_way_by_server_ms = 100;
  return ms < (a.session == b.session ? longest_way_ms : longest_way_by_server_ms);
}

static bool is_later(const RequestIdentity& a, const RequestIdentity& b) {
  return microseconds_of(a.date).value_or(0) > microseconds_of(b.date).value_or(0);
}

/// Whether the early interrupt was sent after this cell. A cell that was sent long before has
/// ended, and another one has been sent since.
bool Interrupts::overtook(const RequestIdentity& cell) const {
  if (cell.session.empty() || early_.session.empty() || is_later(cell, early_)) return false;
  return is_soon(cell, early_, now_ms() - early_came_ms_);
}

/// Whether the interrupt was sent before the running cell.
bool Interrupts::overtaken_by_cell(const RequestIdentity& interrupt) const {
  if (cell_.session.empty() || interrupt.session.empty() || !is_later(cell_, interrupt))
    return false;
  return is_soon(cell_, interrupt, now_ms() - cell_came_ms_);
}

Interrupts::Cell::~Cell() {
  std::lock_guard<std::mutex> lock(interrupts_.mutex_);
  interrupts_.running_ = nullptr;
  if (interrupts_.in_input_) eventfd_write(interrupts_.wake_fd_, 1);
}

Interrupts::Input::Input(Interrupts& interrupts) : interrupts_(interrupts) {
  sigset_t interrupt_only;
  sigemptyset(&interrupt_only);
  sigaddset(&interrupt_only, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupt_only, &mask_);
  signal_fd_ = signalfd(-1, &interrupt_only, SFD_NONBLOCK | SFD_CLOEXEC);
  CHECK(signal_fd_ >= 0);
  std::lock_guard<std::mutex> lock(interrupts_.mutex_);
  eventfd_t stale;
  eventfd_read(interrupts_.wake_fd_, &stale);
  interrupts_.in_input_ = true;
  if (interrupted() || !interrupts_.running_) eventfd_write(interrupts_.wake_fd_, 1);
}

bool Interrupts::Input::take_signal() {
  signalfd_siginfo info;
  return read(signal_fd_, &info, sizeof info) > 0;
}

Interrupts::Input::~Input() {
  close(signal_fd_);
  {
    std::lock_guard<std::mutex> lock(interrupts_.mutex_);
    interrupts_.in_input_ = false;
  }
  pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

}  // namespace tilelab::jupyter
