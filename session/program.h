// SPDX-License-Identifier: Apache-2.0
// Programs as in `python3 script.py`: run in a session's __main__ before, or instead of, its cells.
#pragma once

#include <string>
#include <vector>

#include "session/session.h"

namespace tilelab {

/// The program of `tilelab script.py`, -c, -m and -.
struct Program {
  enum Kind { file, code, module } kind = file;
  std::string text;               // path, Python code or module name; "-" as path = standard input
  std::vector<std::string> argv;  // sys.argv
};

/// Runs a program as python3 would, errors on stderr; returns the exit status (130 = interrupted).
/// For a session made with replace_streams = false.
int run_program(Session& session, const Program& program);
/// A front end takes over after run_program (-i): it replaces the streams.
void begin_interactive(Session& session);

}  // namespace tilelab
