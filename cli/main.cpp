// SPDX-License-Identifier: Apache-2.0
// The command line: the shell, programs, subcommands.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>

#include "cli/notebook.h"
#include "cli/options.h"
#include "cli/subcommand.h"
#include "core/support/check.h"
#include "core/support/escape.h"
#include "core/support/text.h"
#include "python/form.h"
#include "repl/shell.h"
#include "session/history.h"
#include "session/program.h"
#include "session/session.h"

namespace tilelab {

const std::vector<Subcommand>& subcommands() {
  static const std::vector<Subcommand> table = {
#define SUBCOMMAND(name, usage, doc, handler, missing) {name, usage, doc, handler, missing},
#include "cli/subcommands.def"
#undef SUBCOMMAND
  };
  return table;
}

const Subcommand* find_subcommand(std::string_view name) {
  for (const Subcommand& command : subcommands())
    if (command.name == name) return &command;
  return nullptr;
}

void complain(const std::string& text) {
  std::fputs(("tilelab" + terminal_text(text) + "\n").c_str(), stderr);
}

namespace {

int run_subcommand(const CommandLine& line) {
  const Subcommand& command = *find_subcommand(line.name);
  bool wants_help =
      !line.arguments.empty() && (line.arguments[0] == "--help" || line.arguments[0] == "-h");
  if (wants_help) {
    std::printf("usage: tilelab %s %s\n  %s\n", command.name, command.usage, command.doc);
    return 0;
  }
  if (command.handler) return command.handler(line.arguments);
  std::fprintf(stderr, "tilelab: %s %s\n", command.name, command.missing);
  return 3;
}

/// "chek" is neither a file nor a subcommand.
bool mistyped(const Program& program) {
  if (program.kind != Program::file || access(program.text.c_str(), F_OK) == 0) return false;
  const std::vector<std::string> names = names_of(subcommands());
  // A word with a file name's characters is a file, any other a mistyped command.
  bool is_word = program.text.find_first_of("./-") == std::string::npos;
  std::string near = nearest(program.text, names);
  if (near.empty() && !is_word) return false;
  std::string hint =
      near.empty() ? "the commands are " + join(names, ", ") : "did you mean tilelab " + near + "?";
  complain(": no file or command " + program.text + "; " + hint);
  return true;
}

int run_python(const CommandLine& line) {
  bool is_program = line.action == CommandLine::program;
  if (is_program && mistyped(line.what)) return 2;
  TerminalFrontend frontend(line.color, line.pager);
  SessionOptions options;
  options.interactive = isatty(0) && (!is_program || line.interactive_after);
  options.replace_streams = !is_program;
  if (options.interactive) options.history_file = default_history_file();
  if (is_program) options.argv = line.what.argv;
  std::optional<ShellInterrupts> interrupts;
  if (!is_program) interrupts.emplace();
  std::unique_ptr<Session> session = make_session(options);
  int status = 0;
  if (is_program) status = run_program(*session, line.what);
  if (is_program && !line.interactive_after) return status;
  if (is_program) interrupts.emplace();
  if (is_program) begin_interactive(*session);
  ShellOptions shell = line.shell_options;
  shell.quiet = shell.quiet || is_program;
  return run_shell(*session, frontend, shell, *interrupts);
}

int run(const CommandLine& line) {
  switch (line.action) {
    case CommandLine::help: std::fputs(help_text().c_str(), stdout); return 0;
    case CommandLine::version: std::puts("tilelab " TILELAB_VERSION); return 0;
    case CommandLine::wrong: complain(": " + line.message + "; see tilelab --help"); return 2;
    case CommandLine::subcommand: return run_subcommand(line);
    case CommandLine::shell:
    case CommandLine::program: return run_python(line);
  }
  UNREACHABLE("an action without code");
}

/// A result that could not be written is an error. A closed pipe needs no message.
int with_output_written(int status) {
  errno = 0;
  // At a terminal Ctrl-C may cut a write short, without harm.
  bool failed = std::ferror(stdout) != 0 && !isatty(1);
  failed |= std::fflush(stdout) != 0;
  if (!failed) return status;
  if (errno != EPIPE)
    std::fprintf(stderr, "tilelab: cannot write the output%s%s\n", errno ? ": " : "",
                 errno ? std::strerror(errno) : "");
  return status ? status : 1;
}

}  // namespace

int run_command_line(const std::vector<std::string>& arguments) {
  try {
    return with_output_written(run(parse_command_line(arguments)));
  } catch (const Interrupted&) {
    return 130;  // Ctrl-C while Python started or ended
  } catch (const InternalError& error) {
    complain(std::string(": a bug in tilelab: ") + error.what());
  } catch (const std::exception& error) {
    complain(std::string(": ") + error.what());
  }
  return 1;
}

}  // namespace tilelab
