// SPDX-License-Identifier: Apache-2.0
// Commands: `%name`, `%%name`, in the terminal also `:name`. To add one, put a row into
// commands.def and write its handler, a function from CommandCall to CommandOutput. Parsing,
// --help, --json, completion and the documentation are derived from the row.
//
//   CommandOutput command_passes(CommandCall& call) {
//     auto table = ...;                      // the model, made by views/
//     return {.text = table.text(call.width), .html = table.html(), .json = table.json()};
//   }
//
// A handler may also be Python: the row says in_python, and a module of tilelab._commands has a
// function command_NAME that takes (shell, call) and returns a View.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "session/session.h"

namespace tilelab {

/// One invocation, parsed and checked against the command's row.
struct CommandCall {
  std::string name, line;         // "ir", "matmul --after simplify"
  std::vector<std::string> args;  // positional; for a command that takes code: the code
  std::vector<std::pair<std::string, std::string>> options;  // "--after" -> "simplify"
  std::optional<std::string> cell;                           // the rest of the cell, with %%name
  int lines_above = 0;                                       // lines of the cell above `cell`
  Session* session = nullptr;
  Frontend* frontend = nullptr;
  int width = 100;
  bool color = false;

  bool has(std::string_view option) const;
  std::string option(std::string_view name, std::string fallback = "") const;
  std::string arg(size_t index, const std::string& fallback = "") const {
    return index < args.size() ? args[index] : fallback;
  }
};

/// The output of a command. `text` is complete; `html` and `json` may be empty. `error` is one line
/// (a diagnostic may have more) and makes the cell fail.
struct CommandOutput {
  std::string text, html, json, error;
  bool page = false;  // long text for a pager

  static CommandOutput failed(std::string why) {
    CommandOutput output;
    output.error = std::move(why);
    return output;
  }
};

using CommandHandler = CommandOutput (*)(CommandCall& call);
inline constexpr CommandHandler in_python = nullptr;

enum CommandKind : unsigned {
  line_command = 1,        // %name args
  cell_command = 2,        // %%name args + the rest of the cell
  takes_code = 4,          // Python code follows the options, passed verbatim
  gives_data = 8,          // has --json
  takes_expressions = 16,  // arguments are Python: blanks in brackets and quotes do not split
  passes_options = 32,     // unknown options are passed to the program that it runs
};

/// A row of commands.def.
struct Command {
  const char* name;
  unsigned kinds;
  const char* usage;      // "[-n N] [-r N] CODE"
  const char* doc;        // one line
  const char* options;    // "-n N: loops in a run\n--after PASS: ..."; "" = none
  const char* completes;  // kinds of the positional arguments, "kernel pass"; the last repeats
  CommandHandler handler;
};

struct CommandOption {
  std::string name, metavar, doc;  // "--after", "PASS", "..."; metavar "" = a switch
};

const std::vector<Command>& commands();
const Command* find_command(std::string_view name);
/// The options of a row, with --help and, if it has data, --json.
std::vector<CommandOption> command_options(const Command& command);
/// Usage, summary and options.
std::string command_help(const Command& command);
/// The text of `%name --help`: the same, and the section of docs/commands.
std::string command_page(const Command& command);

/// Splits the line, checks options and number of arguments. "" or an error message.
std::string parse_command(const Command& command, std::string_view line, CommandCall& call);
/// Splits words like a shell: blanks separate, quotes and backslashes escape.
std::vector<std::string> split_words(std::string_view line);
/// Splits words that may be Python expressions: `k.A_shared`, `T.Fragment((8, 8))`, `d["a b"]`.
std::vector<std::string> split_expressions(std::string_view line);
/// "unknown command %foo; did you mean %fo?"
std::string unknown_command(std::string_view name);

/// The completion at the end of a partial command line.
struct CommandCompletion {
  bool is_command = false;  // it is a command; otherwise complete it as Python
  std::string kind;         // "file", "name", "code": the caller completes `word` itself
  std::string word;         // the replaced text
  std::vector<Completion> matches;
};
/// `line` ends at the cursor.
CommandCompletion complete_command(std::string_view line);

}  // namespace tilelab
