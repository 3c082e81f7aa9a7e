// SPDX-License-Identifier: Apache-2.0
// `tilelab puzzle`: at a terminal the shell with a puzzle; otherwise the program tilelab.puzzles.
#include <unistd.h>

#include <memory>

#include "cli/subcommand.h"
#include "core/support/text.h"
#include "repl/shell.h"
#include "session/history.h"
#include "session/program.h"
#include "session/session.h"

namespace tilelab {
namespace {

/// The shell, with the command as its first cell.
int solve(const std::string& number) {
  TerminalFrontend frontend(ColorMode::automatic, true);
  SessionOptions options;
  options.interactive = true;
  options.history_file = default_history_file();
  ShellInterrupts interrupts;
  std::unique_ptr<Session> session = make_session(options);
  ShellOptions shell;
  shell.quiet = true;
  shell.first = "%puzzle" + (number.empty() ? "" : " " + number);
  return run_shell(*session, frontend, shell, interrupts);
}

}  // namespace

int puzzle(const std::vector<std::string>& arguments) {
  const bool at_terminal = isatty(0) && isatty(1);
  const bool one = arguments.size() == 1 && is_digits(arguments[0]);
  if (at_terminal && (arguments.empty() || one)) return solve(one ? arguments[0] : "");
  SessionOptions options;
  options.interactive = false;
  options.replace_streams = false;
  options.argv = arguments;
  options.argv.insert(options.argv.begin(), "tilelab puzzle");
  std::unique_ptr<Session> session = make_session(options);
  return run_program(*session, {Program::module, "tilelab.puzzles", options.argv});
}

}  // namespace tilelab
