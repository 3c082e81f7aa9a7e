// SPDX-License-Identifier: Apache-2.0
#include "repl/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace tilelab {
namespace {

int pipe_ends[2] = {-1, -1};

void write_byte(signed char byte) {
  int saved = errno;
  [[maybe_unused]] ssize_t n = write(pipe_ends[1], &byte, 1);  // a full pipe has woken the loop
  errno = saved;
}

void on_signal(int signal) { write_byte(static_cast<signed char>(signal)); }

void make_pipe() {
  if (pipe_ends[0] < 0 && pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
}

}  // namespace

PromptSignals::PromptSignals() {
  make_pipe();
  while (next() != 0) continue;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < 5; ++i) sigaction(caught[i], &action, &saved_[i]);
}

PromptSignals::~PromptSignals() {
  for (size_t i = 0; i < 5; ++i) sigaction(caught[i], &saved_[i], nullptr);
}

int PromptSignals::descriptor() { return pipe_ends[0]; }

int PromptSignals::next() {
  signed char byte = 0;
  return read(pipe_ends[0], &byte, 1) == 1 ? byte : 0;
}

void PromptSignals::wake() { write_byte(output_waits); }

void stop_self() {
  struct sigaction action = {}, saved;
  action.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &action, &saved);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &saved, nullptr);
}

void die_of(int signal) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  _exit(128 + signal);
}

}  // namespace tilelab
