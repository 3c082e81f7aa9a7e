// SPDX-License-Identifier: Apache-2.0
// The command line of `tilelab`.
#pragma once

#include <string>
#include <vector>

#include "repl/shell.h"
#include "session/program.h"

namespace tilelab {

struct CommandLine {
  enum Action { shell, program, subcommand, help, version, wrong } action = shell;
  std::string message;                 // of `wrong`
  Program what;                        // of `program`
  std::string name;                    // of `subcommand`
  std::vector<std::string> arguments;  // after its name
  bool interactive_after = false;      // -i
  ColorMode color = ColorMode::automatic;
  bool pager = true;
  ShellOptions shell_options;
};

CommandLine parse_command_line(const std::vector<std::string>& arguments);

struct OptionRow {
  const char *spelling, *doc;
};
// The tables of --help, the manual page and shell completions.
const std::vector<OptionRow>& usage_rows();
const std::vector<OptionRow>& option_rows();
const std::vector<OptionRow>& key_rows();
const std::vector<OptionRow>& exit_rows();
const std::vector<OptionRow>& environment_rows();
const std::vector<OptionRow>& file_rows();
const std::vector<OptionRow>& example_rows();
std::string help_text();

}  // namespace tilelab
