// SPDX-License-Identifier: Apache-2.0
// Completion inside a command line: names of commands, options, values of options, arguments.
#include "core/passes/pass.h"
#include "core/support/text.h"
#include "python/interpreter.h"
#include "session/command.h"
#include "session/devices.h"

extern char** environ;

namespace tilelab {
namespace {

std::vector<std::string> command_names() { return names_of(commands()); }

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry; ++entry) {
    std::string text = *entry;
    names.push_back(text.substr(0, text.find('=')));
  }
  return names;
}

/// Names from tilelab._commands.names; empty on failure.
std::vector<std::string> compiler_names(const char* function) {
  std::vector<std::string> names;
  python::CallResult made = python::call("tilelab._commands.names", function, {});
  if (made.ok)
    for (const python::Value& name : made.value.list()) names.push_back(name.text());
  return names;
}

std::vector<std::string> pass_names() { return names_of(all_passes()); }

std::vector<std::string> dtype_names() {
  return {
#define DTYPE(enumerator, ir_name, name, kind, bits) name,
#include "core/ir/dtypes.def"
#undef DTYPE
  };
}

/// Candidates for one kind of argument, regardless of the prefix.
struct ArgumentKind {
  std::string name;
  std::vector<std::string> (*candidates)();
};

const std::vector<ArgumentKind>& kinds() {
  static const std::vector<ArgumentKind> table = {
      {"command", command_names},
      {"device", device_names},
      {"target", target_names},
      {"environment", environment_names},
      {"kernel", [] { return compiler_names("kernel_names"); }},
      {"buffer", [] { return compiler_names("buffer_names"); }},
      {"pass", pass_names},
      {"dtype", dtype_names},
      {"puzzle", [] { return compiler_names("puzzle_numbers"); }},
      {"tutorial", [] { return compiler_names("tutorial_names"); }},
      {"warning", [] { return compiler_names("warning_names"); }},
      {"explained", [] { return compiler_names("explained_names"); }},
      {"inline", [] { return std::vector<std::string>{"inline"}; }},
      {"type", [] {
         return std::vector<std::string>{"int",   "float",    "str",    "list",    "dict",
                                         "tuple", "function", "module", "ndarray", "Tensor"};
       }}};
  return table;
}

void add_match(CommandCompletion& completion, const std::string& text, const char* type,
               const std::string& signature = "") {
  if (text.rfind(completion.word, 0) == 0) completion.matches.push_back({text, type, signature});
}

/// Candidates of one kind; "a|b|c" lists them, and PASS means the kind "pass".
void complete_kind(CommandCompletion& completion, std::string kind) {
  if (kind.find('|') != std::string::npos) {
    for (const std::string& choice : split(kind, '|')) add_match(completion, choice, "value");
    return;
  }
  for (char& c : kind) c = char(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const ArgumentKind& entry : kinds()) {
    if (entry.name != kind) continue;
    for (const std::string& text : entry.candidates()) add_match(completion, text, kind.c_str());
    return;
  }
  completion.kind = kind;
}

/// The kind of positional argument `index`; the last one of the row repeats.
std::string positional_kind(const Command& command, size_t index) {
  std::vector<std::string> row = split_words(command.completes);
  return row.empty() ? "" : row[index < row.size() ? index : row.size() - 1];
}

void complete_argument(const Command& command, std::string_view rest,
                       CommandCompletion& completion) {
  bool open = !rest.empty() && rest.back() != ' ' && rest.back() != '\t';
  std::vector<std::string> words =
      command.kinds & takes_expressions ? split_expressions(rest) : split_words(rest);
  completion.word = open && !words.empty() ? words.back() : "";
  if (open && !words.empty()) words.pop_back();
  std::vector<CommandOption> options = command_options(command);
  if (completion.word.rfind('-', 0) == 0) {
    for (const CommandOption& option : options)
      add_match(completion, option.name, "option", option.metavar);
    return;
  }
  size_t positional = 0;
  const CommandOption* pending = nullptr;
  for (const std::string& word : words) {
    if (pending) {
      pending = nullptr;
      continue;
    }
    bool is_option = false;
    for (const CommandOption& option : options) {
      if (option.name != word) continue;
      is_option = true;
      if (!option.metavar.empty()) pending = &option;
    }
    if (!is_option) ++positional;
  }
  complete_kind(completion, pending ? pending->metavar : positional_kind(command, positional));
  const bool expression = !pending || pending->metavar == "CALL" || pending->metavar == "FUNCTION";
  if (command.kinds & takes_expressions && expression && completion.matches.empty())
    completion.kind = "code";  // k(argu: a Python word
}

}  // namespace

CommandCompletion complete_command(std::string_view line) {
  CommandCompletion completion;
  std::string_view text = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
  size_t marks = text.rfind("%%", 0) == 0 ? 2 : text.rfind('%', 0) == 0 || text.rfind(':', 0) == 0;
  if (marks == 0) return completion;
  completion.is_command = true;
  size_t end = text.find_first_of(" \t");
  if (end == std::string_view::npos) {
    std::string prefix(text.substr(0, marks));
    completion.word = std::string(text);
    for (const Command& command : commands())
      if (command.kinds & (marks == 2 ? cell_command : line_command))
        add_match(completion, prefix + command.name, "command", command.usage);
    return completion;
  }
  const Command* command = find_command(text.substr(marks, end - marks));
  if (command) complete_argument(*command, text.substr(end + 1), completion);
  return completion;
}

}  // namespace tilelab
