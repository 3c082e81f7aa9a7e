// SPDX-License-Identifier: Apache-2.0
#include "repl/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "core/support/interrupt.h"

namespace tilelab {
namespace {

int pipe_ends[2] = {-1, -1};
// For a handler that must end the process itself.
volatile sig_atomic_t loop_waits = 0;
std::atomic<bool> all_reads_end{false};
termios terminal_before;
bool terminal_known = false;

void write_byte(signed char byte) {
  int saved = errno;
  [[maybe_unused]] ssize_t n =
      write(pipe_ends[1], &byte, 1);  // a full pipe has already woken the loop
  errno = saved;
}

/// Async-signal-safe: restores the terminal and the signal's default, which applies when the
/// handler returns.
void end_from_handler(int signal) {
  if (terminal_known) tcsetattr(0, TCSANOW, &terminal_before);
  constexpr char no_paste_marks[] = "\033[?2004l\r\n";
  if (terminal_known && signal != SIGHUP) {
    [[maybe_unused]] ssize_t n = write(1, no_paste_marks, sizeof no_paste_marks - 1);
  }
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  raise(signal);
}

void on_signal(int signal) {
  if (signal == SIGINT) interrupt_flag.store(true, std::memory_order_relaxed);
  if ((signal == SIGTERM || signal == SIGHUP) && !loop_waits) return end_from_handler(signal);
  if (signal == SIGTERM || signal == SIGHUP) loop_waits = 0;  // a second one means that it is stuck
  write_byte(static_cast<signed char>(signal));
}

void make_pipe() {
  if (pipe_ends[0] < 0 && pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
}

struct sigaction our_action() {
  struct sigaction action = {};
  action.sa_handler = on_signal;  // without SA_RESTART: a read must return
  sigemptyset(&action.sa_mask);
  return action;
}

}  // namespace

ShellInterrupts::ShellInterrupts() {
  make_pipe();
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_BLOCK, &interrupt, &mask_);
  // Enable Ctrl-C on a terminal even if a script started us with the signal ignored: Python would
  // then ignore it too.
  if (isatty(0)) signal(SIGINT, SIG_DFL);
}

void ShellInterrupts::listen() {
  if (listening_) return;
  listening_ = true;
  struct sigaction action = our_action();
  sigaction(SIGINT, &action, &saved_);
  sigset_t interrupt;
  sigemptyset(&interrupt);
  sigaddset(&interrupt, SIGINT);
  sigprocmask(SIG_UNBLOCK, &interrupt, nullptr);
}

ShellInterrupts::~ShellInterrupts() {
  if (listening_) sigaction(SIGINT, &saved_, nullptr);
  sigprocmask(SIG_SETMASK, &mask_, nullptr);
}

PromptSignals::PromptSignals() : count_(gettid() == getpid() ? 5 : 4) {
  make_pipe();
  terminal_known = tcgetattr(0, &terminal_before) == 0;
  struct sigaction action = our_action();
  for (size_t i = 0; i < count_; ++i) sigaction(caught[i], &action, &saved_[i]);
}

PromptSignals::~PromptSignals() {
  for (size_t i = 0; i < count_; ++i) sigaction(caught[i], &saved_[i], nullptr);
}

int PromptSignals::wait() {
  pollfd sources[2] = {{0, POLLIN, 0}, {pipe_ends[0], POLLIN, 0}};
  loop_waits = 1;
  int ready = poll(sources, 2, interrupted() || all_reads_end ? 0 : -1);
  loop_waits = 0;
  return ready > 0 ? sources[0].revents : 0;
}

bool PromptSignals::key_waits(int milliseconds) {
  pollfd keyboard = {0, POLLIN, 0};
  return poll(&keyboard, 1, milliseconds) > 0 && (keyboard.revents & POLLIN) != 0;
}

int PromptSignals::keys_waiting(int milliseconds) {
  int count = 0;
  return key_waits(milliseconds) && ioctl(0, FIONREAD, &count) == 0 ? count : 0;
}

int PromptSignals::next() {
  signed char byte = 0;
  return read(pipe_ends[0], &byte, 1) == 1 ? byte : 0;
}

void PromptSignals::end_reads() {
  make_pipe();
  all_reads_end = true;
  wake();
}

bool PromptSignals::reads_ended() { return all_reads_end; }

void PromptSignals::wake() { write_byte(output_waits); }

bool take_typed_interrupt() { return interrupt_flag.exchange(false, std::memory_order_relaxed); }

void stop_self() {
  struct sigaction action = {}, saved;
  action.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &action, &saved);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &saved, nullptr);
}

void end_by_signal(int signal) {
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
