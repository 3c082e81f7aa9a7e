// SPDX-License-Identifier: Apache-2.0
// `tilelab completions SHELL`: what bash, zsh and fish complete behind `tilelab`, from the tables
// of options and commands. Options of a command, and what they take, are read from its usage.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "cli/subcommand.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

struct Option {
  std::string name;  // "--emit", "-o"
  bool takes_value = false, takes_directory = false;
  std::vector<std::string> values;  // that it can have; none: anything, or files
};

bool is_name(char c) { return std::islower(static_cast<unsigned char>(c)) || c == '-'; }

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const Target& target : all_targets()) names.emplace_back(target.name);
  return names;
}

/// The value behind an option in a usage: "ir|c", "T", "" for a switch.
Option with_value(std::string name, std::string_view value) {
  Option option{std::move(name), !value.empty(), value == "DIRECTORY", {}};
  bool is_kind = !value.empty() && std::isupper(static_cast<unsigned char>(value[0]));
  if (!value.empty() && !is_kind) option.values = split(value, '|');
  if (option.name == "--target") option.values = target_names();
  return option;
}

/// "[--all] FILE", "[--emit ir|c] [-o DIRECTORY]", "[--user|--prefix P]".
std::vector<Option> options_in(std::string_view usage) {
  std::vector<Option> options;
  for (size_t at = 0; at < usage.size();) {
    bool begins = usage[at] == '-' && (at == 0 || !is_name(usage[at - 1]));
    size_t end = at;
    while (begins && end < usage.size() && is_name(usage[end])) ++end;
    if (end - at < 2) {
      ++at;
      continue;
    }
    std::string name(usage.substr(at, end - at));
    size_t value = end;
    if (value < usage.size() && usage[value] == ' ' && value + 1 < usage.size() &&
        std::isalnum(static_cast<unsigned char>(usage[value + 1]))) {
      size_t from = ++value;
      while (value < usage.size() && (std::isalnum(static_cast<unsigned char>(usage[value])) ||
                                      usage[value] == '_' || usage[value] == '|'))
        ++value;
      options.push_back(with_value(name, usage.substr(from, value - from)));
    } else {
      options.push_back(with_value(name, ""));
    }
    at = std::max(value, end);
  }
  options.push_back(with_value("--help", ""));
  return options;
}

/// The words of the option table: "-q, --quiet", "--color=WHEN", "-c CODE, -e CODE".
std::vector<Option> own_options() {
  std::vector<Option> options;
  for (const OptionRow& row : option_rows())
    for (const std::string& spelling : split(row.spelling, ',')) {
      std::string_view text = strip(spelling);
      size_t end = std::min(text.find_first_of(" ="), text.size());
      if (text.substr(0, end).size() < 2 || text == "--") continue;
      bool value = end < text.size() && text[end] == ' ';
      options.push_back({std::string(text.substr(0, end)), value, false, {}});
      if (text.substr(0, end) == "--color")
        for (const char* when : {"auto", "always", "never"})
          options.push_back({std::string("--color=") + when, false, false, {}});
    }
  return options;
}

std::string names_of(const std::vector<Option>& options) {
  std::vector<std::string> names;
  for (const Option& option : options) names.push_back(option.name);
  return join(names, " ");
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Subcommand& command : subcommands()) names.push_back(command.name);
  return names;
}

/// Arguments that are words of a list: "bash|zsh|fish".
std::string words_of(const Subcommand& command) {
  std::string_view usage = command.usage;
  bool is_list = usage.find('|') != std::string_view::npos &&
                 usage.find_first_of("[ ") == std::string_view::npos;
  return is_list ? join(split(usage, '|'), " ") : "";
}

std::string bash_case(const Subcommand& command) {
  std::vector<Option> options = options_in(command.usage);
  std::string out = "    " + std::string(command.name) + ")\n      case $prev in\n";
  for (const Option& option : options) {
    if (!option.values.empty())
      out += "        " + option.name + ") words='" + join(option.values, " ") + "' files= ;;\n";
    else if (option.takes_directory)
      out += "        " + option.name + ") words= files=-d ;;\n";
  }
  out +=
      "        *) words='" + names_of(options) + " " + words_of(command) + "' ;;\n      esac ;;\n";
  return out;
}

std::string bash() {
  std::string names = join(command_names(), " ");
  std::string out =
      "# bash completion of tilelab; made by: tilelab completions bash\n"
      "_tilelab() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local words='" +
      names_of(own_options()) + " " + names +
      "' files=-f command= i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    case ${COMP_WORDS[i]} in\n"
      "      " +
      join(command_names(), "|") +
      ") command=${COMP_WORDS[i]}; break ;;\n"
      "      -*) ;;\n"
      "      *) command=program; break ;;\n"
      "    esac\n"
      "  done\n"
      "  case $command in\n"
      "    program) words= ;;\n";
  for (const Subcommand& command : subcommands()) out += bash_case(command);
  return out +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  [ -z \"$files\" ] || COMPREPLY+=($(compgen $files -- \"$cur\"))\n"
         "}\n"
         "complete -o filenames -F _tilelab tilelab\n";
}

/// Text in single quotes; a backslash before each of `special`.
std::string quoted(std::string_view text, std::string_view special = "") {
  std::string out = "'";
  for (char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

std::string zsh_option(const Option& option) {
  std::string kind = option.takes_directory   ? ":directory:_files -/"
                     : !option.values.empty() ? ":value:(" + join(option.values, " ") + ")"
                     : option.takes_value     ? ":value:_files"
                                              : "";
  return " '" + option.name + kind + "'";
}

std::string zsh() {
  std::string out =
      "#compdef tilelab\n# made by: tilelab completions zsh\n"
      "_tilelab() {\n  local -a commands\n  commands=(\n";
  for (const Subcommand& command : subcommands())
    out += std::string("    ") + command.name + ":" + quoted(command.doc, ":") + "\n";
  out += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    _arguments";
  for (const Option& option : own_options()) out += zsh_option(option);
  out += " '*:file:_files'\n    return\n  fi\n  case $words[2] in\n";
  for (const Subcommand& command : subcommands()) {
    out += "    " + std::string(command.name) + ") _arguments";
    for (const Option& option : options_in(command.usage)) out += zsh_option(option);
    std::string words = words_of(command);
    out += words.empty() ? " '*:file:_files' ;;\n" : " '*:word:(" + words + ")' ;;\n";
  }
  return out + "    *) _files ;;\n  esac\n}\n_tilelab \"$@\"\n";
}

std::string fish_option(const Option& option) {
  bool is_long = option.name.rfind("--", 0) == 0;
  size_t value = option.name.find('=');
  if (value != std::string::npos) return "";
  std::string out = is_long ? " -l " + option.name.substr(2) : " -s " + option.name.substr(1);
  if (!option.values.empty()) return out + " -x -a '" + join(option.values, " ") + "'";
  return out + (option.takes_value ? " -r" : "");
}

std::string fish() {
  std::string out = "# made by: tilelab completions fish\n";
  for (const Option& option : own_options())
    if (std::string spelled = fish_option(option); !spelled.empty())
      out += "complete -c tilelab -n __fish_use_subcommand" + spelled + "\n";
  for (const Subcommand& command : subcommands()) {
    out += "complete -c tilelab -n __fish_use_subcommand -a " + std::string(command.name) + " -d " +
           quoted(command.doc) + "\n";
    std::string begin =
        "complete -c tilelab -n '__fish_seen_subcommand_from " + std::string(command.name) + "'";
    for (const Option& option : options_in(command.usage))
      out += begin + fish_option(option) + "\n";
    if (std::string words = words_of(command); !words.empty())
      out += begin + " -x -a '" + words + "'\n";
  }
  return out;
}

}  // namespace

int completions(const std::vector<std::string>& arguments) {
  std::string shell = arguments.size() == 1 ? arguments[0] : "", text;
  if (shell == "bash") text = bash();
  if (shell == "zsh") text = zsh();
  if (shell == "fish") text = fish();
  std::fputs(text.empty() ? "usage: tilelab completions bash|zsh|fish\n" : text.c_str(),
             text.empty() ? stderr : stdout);
  return text.empty() ? 2 : 0;
}

}  // namespace tilelab
