// SPDX-License-Identifier: Apache-2.0
// The shell: reads cells from a terminal or a pipe, and the session runs them.
#pragma once

#include <string>

#include "repl/signals.h"
#include "repl/terminal.h"
#include "session/session.h"

namespace tilelab {

struct ShellOptions {
  bool quiet = false;       // no banner
  bool keep_going = false;  // in a pipe: continue after an error
  bool run_init = true;     // $XDG_CONFIG_HOME/tilelab/init.py
  std::string first;        // a cell that runs before the first prompt of a terminal
};

/// Reads cells until the end of the input or exit(n); returns the exit status. A terminal gets
/// banner, prompt and line editing; a pipe gets none of them and ends at the first error.
/// `interrupts` is created before the session, so that Ctrl-C during its start waits for the
/// prompt.
int run_shell(Session& session, TerminalFrontend& frontend, const ShellOptions& options,
              ShellInterrupts& interrupts);

}  // namespace tilelab
