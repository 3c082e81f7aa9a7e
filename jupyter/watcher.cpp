// SPDX-License-Identifier: Apache-2.0
#include "jupyter/watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdlib>

#include "core/support/check.h"

namespace tilelab::jupyter {

namespace {

constexpr int kParentPollMs = 1000;

// Written by on_terminate; a signal handler has no other argument.
int terminate_fd = -1;
volatile sig_atomic_t terminate_signal = SIGTERM;

sigset_t interrupt_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

// SIGTERM has a handler, whereas SIGINT is blocked: programs started by a cell inherit a blocked
// signal, and SIGTERM must still end them.
void on_terminate(int signal) {
  terminate_signal = signal;
  eventfd_t one = 1;
  [[maybe_unused]] ssize_t written = write(terminate_fd, &one, sizeof one);
}

}  // namespace

void take_over_interrupt_signal() {
  signal(SIGINT, SIG_DFL);
  sigset_t set = interrupt_signal();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Watcher::Watcher(Watched& watched) : watched_(watched) {
  // The process that started this one may be a wrapper of the one in JPY_PARENT_PID.
  const char* named = getenv("JPY_PARENT_PID");
  if (named && atoi(named) > 1) parent_ = getppid();
  sigset_t set = interrupt_signal();
  end_fd_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  interrupt_fd_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  terminate_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  CHECK(end_fd_ >= 0 && interrupt_fd_ >= 0 && terminate_fd >= 0);
  struct sigaction terminate {};
  terminate.sa_handler = on_terminate;
  terminate.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &terminate, &old_terminate_);
  sigaction(SIGHUP, nullptr, &old_hangup_);
  if (old_hangup_.sa_handler != SIG_IGN) sigaction(SIGHUP, &terminate, nullptr);  // not under nohup
  thread_ = std::thread([this] { run(); });
}

Watcher::~Watcher() {
  eventfd_write(end_fd_, 1);
  thread_.join();
  sigaction(SIGTERM, &old_terminate_, nullptr);
  sigaction(SIGHUP, &old_hangup_, nullptr);
  for (int fd : {end_fd_, interrupt_fd_, terminate_fd}) close(fd);
}

bool Watcher::parent_died() const { return parent_ > 1 && getppid() != parent_; }

void Watcher::stop_within(int seconds, int exit_status) {
  end_process_within(seconds, exit_status);
  watched_.stop();
}

void Watcher::run() {
  pollfd fds[] = {{end_fd_, POLLIN, 0}, {interrupt_fd_, POLLIN, 0}, {terminate_fd, POLLIN, 0}};
  for (;;) {
    poll(fds, 3, parent_ > 1 ? kParentPollMs : -1);
    if (fds[0].revents) return;
    if (fds[1].revents) {
      signalfd_siginfo info;
      while (read(interrupt_fd_, &info, sizeof info) > 0) watched_.interrupt();
    }
    if (fds[2].revents) return stop_within(2, 128 + terminate_signal);
    if (parent_died()) return stop_within(5, 1);
  }
}

}  // namespace tilelab::jupyter
