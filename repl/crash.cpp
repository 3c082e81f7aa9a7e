// SPDX-License-Identifier: Apache-2.0
#include "repl/crash.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace tilelab {
namespace {

// A handler may only write, so the text is prepared in advance.
char crash_note[200];
volatile sig_atomic_t crash_note_size = 0;
pid_t shell_process = 0;

/// The signal is raised again on return, with its default action (SA_RESETHAND).
void on_crash(int) {
  if (getpid() != shell_process) return;  // a child forked by the cell
  [[maybe_unused]] ssize_t n = write(2, crash_note, size_t(crash_note_size));
}

}  // namespace

void report_crashes() {
  static char stack[65536];  // the fault may be a stack overflow
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  shell_process = getpid();
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action = {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK | int(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

void set_running_cell(int number) {
  crash_note_size = 0;
  if (number <= 0) return;
  int size =
      std::snprintf(crash_note, sizeof crash_note, "\ncell %d has ended the session", number);
  if (number > 1)
    size +=
        std::snprintf(crash_note + size, sizeof crash_note - size_t(size),
                      "; in a new session %%rerun ~1/1-%d runs the cells before it", number - 1);
  size += std::snprintf(crash_note + size, sizeof crash_note - size_t(size), "\n");
  crash_note_size = size;
}

}  // namespace tilelab
