// SPDX-License-Identifier: Apache-2.0
// The table of commands, help and suggestions derived from it, and parsing of a command line.
#include <algorithm>

#include "core/support/text.h"
#include "session/command.h"

namespace tilelab {

// The handlers in C++; one line per name in the last column of the table.
CommandOutput command_help_page(CommandCall& call);
CommandOutput command_device(CommandCall& call);
CommandOutput command_target(CommandCall& call);
CommandOutput command_history(CommandCall& call);

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
#define COMMAND(name, kinds, usage, doc, options, completes, handler) \
  {#name, kinds, usage, doc, options, completes, handler},
#include "session/commands.def"
#undef COMMAND
  };
  return table;
}

namespace {

struct IPythonName {
  std::string_view name, command, instead;
};
constexpr IPythonName ipython_names[] = {
#define SAME(name, command) {#name, #command, ""},
#define INSTEAD(name, instead) {#name, "", instead},
#define OPTION(command, option, instead) {#command " " option, "", instead},
#include "session/ipython_names.def"
#undef SAME
#undef INSTEAD
#undef OPTION
};

const IPythonName* ipython_name(std::string_view name) {
  for (const IPythonName& row : ipython_names)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

const Command* find_command(std::string_view name) {
  if (const IPythonName* other = ipython_name(name); other && !other->command.empty())
    name = other->command;
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

std::vector<CommandOption> command_options(const Command& command) {
  std::vector<CommandOption> options;
  for (const std::string& row : split(command.options, '\n')) {
    if (row.empty()) continue;
    size_t colon = row.find(": ");
    std::string head = row.substr(0, colon), doc = row.substr(colon + 2), metavar;
    if (size_t blank = head.find(' '); blank != std::string::npos) {
      metavar = head.substr(blank + 1);
      head.resize(blank);
    }
    options.push_back({head, metavar, doc});
  }
  if (command.kinds & gives_data) options.push_back({"--json", "", "prints the data as JSON"});
  options.push_back({"--help", "", "shows this text"});
  return options;
}

std::string command_help(const Command& command) {
  std::string name = command.name, text;
  if (command.kinds & line_command) text += "%" + name + " " + command.usage + "\n";
  if (command.kinds & cell_command) text += "%%" + name + "   with the rest of the cell\n";
  text += "  " + std::string(command.doc) + "\n\n";
  std::vector<CommandOption> options = command_options(command);
  auto head_of = [](const CommandOption& option) {
    return option.name + (option.metavar.empty() ? "" : " " + option.metavar);
  };
  size_t width = 14;
  for (const CommandOption& option : options) width = std::max(width, head_of(option).size());
  for (const CommandOption& option : options) {
    std::string head = head_of(option);
    text += "  " + head + std::string(width + 2 - head.size(), ' ') + option.doc + "\n";
  }
  return text;
}

std::string unknown_command(std::string_view name) {
  std::string text = "unknown command %" + std::string(name),
              near = nearest(name, names_of(commands()));
  if (const IPythonName* other = ipython_name(name))
    return text + "; " + std::string(other->instead);
  return text + (near.empty() ? "; %help lists them" : "; did you mean %" + near + "?");
}

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  bool open = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
    } else if (quote ? c == quote : (c == '"' || c == '\'')) {
      quote = quote ? 0 : c;
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::vector<std::string> split_expressions(std::string_view line) {
  std::vector<std::string> words;
  int depth = 0;
  char quote = 0;
  bool open = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (!quote && depth == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    words.back() += c;
    if (quote) {
      if (c == '\\' && i + 1 < line.size()) words.back() += line[++i];
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return words;
}

bool CommandCall::has(std::string_view name) const {
  for (const auto& [key, value] : options)
    if (key == name) return true;
  return false;
}

std::string CommandCall::option(std::string_view name, std::string fallback) const {
  for (const auto& [key, value] : options)
    if (key == name) return value;
  return fallback;
}

namespace {

const CommandOption* find_option(const std::vector<CommandOption>& options, std::string_view name) {
  for (const CommandOption& option : options)
    if (option.name == name) return &option;
  return nullptr;
}

/// Views with a useful picture write it; the others are text (docs/adr/0020).
std::string no_picture(const Command& command) {
  std::vector<std::string> drawn;
  for (const Command& other : commands())
    if (find_option(command_options(other), "--svg"))
      drawn.push_back("%" + std::string(other.name));
  return "%" + std::string(command.name) + " has no picture; --svg is an option of " +
         join(drawn, ", ");
}

std::string unknown_option(const Command& command, const std::vector<CommandOption>& options,
                           const std::string& word) {
  if (word == "--svg" && (command.kinds & gives_data)) return no_picture(command);
  const std::string name(command.name), refused = "%" + name + " has no option " + word;
  if (const IPythonName* other = ipython_name(name + " " + word))
    return refused + "; " + std::string(other->instead);
  std::string near = nearest(word, names_of(options));
  return refused + (near.empty() ? "; see %" + name + " --help" : "; did you mean " + near + "?");
}

/// Parses one option at `words[i]`: "-n 5", "-n5", "--after simplify", "--after=simplify", or
/// several: "-on5". Returns an error message, or "".
std::string take_option(const Command& command, const std::vector<CommandOption>& options,
                        const std::vector<std::string>& words, size_t& i, CommandCall& call) {
  std::string word = words[i], value;
  bool has_value = false;
  const CommandOption* option = find_option(options, word);
  size_t equals = word.find('=');
  if (!option && word.rfind("--", 0) == 0 && equals != std::string::npos) {
    value = word.substr(equals + 1);
    has_value = true;
    option = find_option(options, word.substr(0, equals));
  } else if (!option && word.size() > 2 && word[1] != '-') {
    option = find_option(options, word.substr(0, 2));
    if (option && option->metavar.empty()) {  // "-no": several switches
      call.options.emplace_back(option->name, "");
      std::vector<std::string> rest = words;
      rest[i] = "-" + word.substr(2);
      if (!find_option(options, rest[i].substr(0, 2)))
        return unknown_option(command, options, word);
      return take_option(command, options, rest, i, call);
    }
    value = word.substr(2);
    has_value = true;
  }
  if (!option) return unknown_option(command, options, word);
  if (option->metavar.empty() && has_value) return option->name + " takes no value";
  if (!option->metavar.empty() && !has_value) {
    if (i + 1 >= words.size()) return option->name + " needs a value: " + option->metavar;
    value = words[++i];
  }
  call.options.emplace_back(option->name, value);
  return "";
}

bool has_option_form(const std::string& word) {
  // A negative number and a lone dash (%cd -) are arguments.
  return word.size() > 1 && word[0] == '-' && !(word[1] >= '0' && word[1] <= '9') && word != "--";
}

/// Options of a command that takes code end at the first other word; the remainder is verbatim.
std::string parse_before_code(const Command& command, std::string_view line, CommandCall& call) {
  std::vector<CommandOption> options = command_options(command);
  std::string_view rest = strip(line);
  while (!rest.empty() && rest[0] == '-') {
    std::vector<std::string> words = split_words(rest.substr(0, rest.find('\n')));
    bool is_known = find_option(options, words[0].substr(0, words[0].find('=')));
    if (!has_option_form(words[0]) || ((command.kinds & passes_options) && !is_known)) break;
    size_t used = 0;
    if (std::string error = take_option(command, options, words, used, call); !error.empty())
      return error;
    for (size_t i = 0; i <= used; ++i) {
      size_t blank = rest.find_first_of(" \t");
      rest = blank == std::string_view::npos ? std::string_view() : strip(rest.substr(blank));
    }
  }
  if (!rest.empty()) call.args.emplace_back(rest);
  return "";
}

}  // namespace

std::string parse_command(const Command& command, std::string_view line, CommandCall& call) {
  call.name = command.name;
  call.line = std::string(line);
  if (command.kinds & takes_code) return parse_before_code(command, line, call);
  std::vector<CommandOption> options = command_options(command);
  std::vector<std::string> words =
      command.kinds & takes_expressions ? split_expressions(line) : split_words(line);
  bool only_arguments = false;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--" && !only_arguments) {
      only_arguments = true;
    } else if (!only_arguments && has_option_form(words[i])) {
      if (std::string error = take_option(command, options, words, i, call); !error.empty())
        return error;
    } else {
      call.args.push_back(words[i]);
      // Arguments after the name of a program belong to the program.
      if (std::string_view(command.name) == "run") only_arguments = true;
    }
  }
  return "";
}

}  // namespace tilelab
