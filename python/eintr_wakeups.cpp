// SPDX-License-Identifier: Apache-2.0
#include "python/eintr_wakeups.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

namespace tilelab::python {

namespace {

constexpr long kFirstNs = 10'000'000;
constexpr int kMostDoublings = 20;  // some hours

timer_t timer;
bool allowed = false;
volatile sig_atomic_t waking = 0, doublings = 0;

void set_timer(long long ns) {
  itimerspec when{};
  when.it_value.tv_sec = time_t(ns / 1'000'000'000);
  when.it_value.tv_nsec = long(ns % 1'000'000'000);
  timer_settime(timer, 0, &when, nullptr);  // a forked child has no timer: no effect
}

void on_wakeup(int) {
  const int error = errno;
  if (waking && doublings < kMostDoublings) {  // otherwise it is a socket's urgent data
    doublings = doublings + 1;
    set_timer((long long){kFirstNs} << doublings);
  }
  errno = error;
}

}  // namespace

void enable_wakeups() {
  struct sigaction known;
  sigaction(SIGURG, nullptr, &known);
  if (allowed || known.sa_handler != SIG_DFL) return;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGURG;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) return;
  struct sigaction action {};
  action.sa_handler = on_wakeup;  // without SA_RESTART: a blocking call must end
  sigemptyset(&action.sa_mask);
  sigaction(SIGURG, &action, nullptr);
  allowed = true;
}

void start_wakeups() {
  const int error = errno;
  struct sigaction now;
  if (allowed && sigaction(SIGURG, nullptr, &now) == 0 && now.sa_handler == on_wakeup) {
    doublings = 0;
    waking = 1;
    set_timer(kFirstNs);
  }
  errno = error;
}

void stop_wakeups() {
  waking = 0;
  if (allowed) set_timer(0);
}

}  // namespace tilelab::python
