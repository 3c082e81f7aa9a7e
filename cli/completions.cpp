// SPDX-License-Identifier: Apache-2.0
// `tilelab completions SHELL`: completions for bash, zsh and fish, from the tables of options and
// commands. The options of a command and their values are parsed from its usage.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "cli/subcommand.h"
#include "core/passes/pass.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "views/explain_view.h"

namespace tilelab {
namespace {

struct Option {
  std::string name;   // "--emit", "-o"
  std::string value;  // as in its usage: "ir|c", "DIRECTORY"; "" for a switch
  std::string doc;
  bool joined = false;  // to its value, by =
};

bool is_name(char c) { return std::islower(static_cast<unsigned char>(c)) || c == '-'; }
bool is_value(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '|';
}

/// The possible values of an option; empty: anything.
std::vector<std::string> choices(const Option& option) {
  if (option.name == "--target") return names_of(all_targets());
  if (option.value == "PASS") return names_of(all_passes());
  if (option.value == "WHEN") return {"auto", "always", "never"};
  const bool words =
      !option.value.empty() && std::islower(static_cast<unsigned char>(option.value[0]));
  return words ? split(option.value, '|') : std::vector<std::string>();
}

bool takes_directory(const Option& option) {
  return option.value == "DIRECTORY" || option.value == "P";
}
bool takes_file(const Option& option) {
  return option.value == "FILE" || option.value == "CONNECTION_FILE";
}

/// The arguments of a command: its options, and other words of its usage.
struct Grammar {
  std::vector<Option> options;
  std::string rest;

  bool takes_files() const { return rest.find("FILE") != std::string::npos; }
};

/// "[--all] FILE", "[--emit ir|c] [-o DIRECTORY]", "[--user|--prefix P]".
Grammar grammar_of(std::string_view usage) {
  Grammar grammar;
  for (size_t at = 0; at < usage.size();) {
    bool begins = usage[at] == '-' && (at == 0 || !is_name(usage[at - 1]));
    size_t end = at;
    while (begins && end < usage.size() && is_name(usage[end])) ++end;
    if (end - at < 2) {
      grammar.rest += usage[at++];
      continue;
    }
    size_t value = std::min(end + 1, usage.size());
    size_t stop = value;
    while (usage[end] == ' ' && stop < usage.size() && is_value(usage[stop])) ++stop;
    grammar.options.push_back({std::string(usage.substr(at, end - at)),
                               std::string(usage.substr(value, stop - value)), ""});
    at = stop > value ? stop : end;
  }
  grammar.options.push_back({"--help", "", "shows this help"});
  return grammar;
}

/// The options of the option table: "-q, --quiet", "--color=WHEN", "-c CODE, -e CODE".
std::vector<Option> own_options() {
  std::vector<Option> options;
  for (const OptionRow& row : option_rows())
    for (const std::string& spelling : split(row.spelling, ',')) {
      std::string_view text = strip(spelling);
      size_t end = std::min(text.find_first_of(" ="), text.size());
      if (end < 2 || text == "--") continue;
      std::string value(text.substr(std::min(end + 1, text.size())));
      options.push_back({std::string(text.substr(0, end)), value, row.doc,
                         end < text.size() && text[end] == '='});
    }
  return options;
}

/// The completions of options: those joined to a value with each of their values.
std::string words_of(const std::vector<Option>& options) {
  std::vector<std::string> words;
  for (const Option& option : options) {
    if (!option.joined) words.push_back(option.name);
    for (const std::string& value : option.joined ? choices(option) : std::vector<std::string>())
      words.push_back(option.name + "=" + value);
  }
  return join(words, " ");
}

std::vector<std::string> command_names() { return names_of(subcommands()); }

/// Arguments from a list of words: "bash|zsh|fish", or the words of `explain`.
std::string words_of(const Subcommand& command) {
  std::string_view usage = command.usage;
  if (usage == "WORD") return join(explained_words(), " ");
  bool is_list = usage.find('|') != std::string_view::npos &&
                 usage.find_first_of("[ ") == std::string_view::npos;
  return is_list ? join(split(usage, '|'), " ") : "";
}

std::string bash_case(const Subcommand& command) {
  Grammar grammar = grammar_of(command.usage);
  std::string out = "    " + std::string(command.name) + ")\n      case $prev in\n";
  for (const Option& option : grammar.options) {
    std::string values = join(choices(option), " ");
    const char* files = takes_directory(option) ? "-d" : takes_file(option) ? "-f" : "";
    if (!option.value.empty())
      out += "        " + option.name + ") words='" + values + "' files=" + files + " ;;\n";
  }
  return out + "        *) words='" + words_of(grammar.options) + " " + words_of(command) +
         "' files=" + (grammar.takes_files() ? "-f" : "") + " ;;\n      esac ;;\n";
}

/// For global options: the values of joined ones, and no file names after those with other values.
std::string bash_values() {
  std::string out;
  for (const Option& option : own_options())
    if (!option.value.empty())
      out += "        " + option.name + ") words='" + join(choices(option), " ") + "' files= ;;\n";
  return out;
}

std::string bash_cases() {
  std::string out;
  for (const Subcommand& command : subcommands()) out += bash_case(command);
  return out;
}

std::string bash() {
  // Bash treats = as a separate word.
  return "# bash completion of tilelab; made by: tilelab completions bash\n"
         "_tilelab() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} IFS=$'\\n'\n"
         "  if [[ $cur == = ]]; then\n"
         "    cur=\n"
         "  elif [[ $prev == = ]]; then\n"
         "    prev=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi\n"
         "  local words='" +
         words_of(own_options()) + " " + join(command_names(), " ") +
         "' files=-f command= i\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    case ${COMP_WORDS[i]} in\n"
         "      " +
         join(command_names(), "|") +
         ") command=${COMP_WORDS[i]}; break ;;\n"
         "      -c|-e|-m) command=program; ((i + 1 < COMP_CWORD)) || command=; break ;;\n"
         "      --color) ((i += 2)) ;;\n"
         "      -*) ;;\n"
         "      *) command=program; break ;;\n"
         "    esac\n"
         "  done\n"
         "  case $command in\n"
         "    program) words= ;;\n"
         "    '')\n      case $prev in\n" +
         bash_values() + "      esac ;;\n" + bash_cases() +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"${words// /$IFS}\" -- \"$cur\"))\n"
         "  [ -z \"$files\" ] || COMPREPLY+=($(compgen $files -- \"$cur\"))\n"
         "}\n"
         "complete -o filenames -F _tilelab tilelab\n";
}

/// Text in single quotes.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

/// '-o[doc]:value:action'
std::string zsh_option(const Option& option) {
  std::string text = option.name + (option.joined ? "=-" : "");
  if (!option.doc.empty()) text += "[" + option.doc + "]";
  std::vector<std::string> values = choices(option);
  if (!option.value.empty())
    text += ":" + option.value + ":" +
            (!values.empty()           ? "(" + join(values, " ") + ")"
             : takes_directory(option) ? "_files -/"
             : takes_file(option)      ? "_files"
                                       : " ");
  return " " + quoted(text);
}

std::string zsh_case(const Subcommand& command) {
  Grammar grammar = grammar_of(command.usage);
  std::string out = "        " + std::string(command.name) + ") _arguments",
              words = words_of(command);
  for (const Option& option : grammar.options) out += zsh_option(option);
  if (!words.empty()) out += " '1:word:(" + words + ")'";
  if (grammar.takes_files()) out += " '*:file:_files'";
  return out + " ;;\n";
}

std::string zsh() {
  std::string out =
      "#compdef tilelab\n# made by: tilelab completions zsh\n"
      "_tilelab() {\n"
      "  local curcontext=$curcontext state line\n"
      "  local -A opt_args\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const Subcommand& command : subcommands())
    out += std::string("    ") + quoted(std::string(command.name) + ":" + command.doc) + "\n";
  out += "  )\n  _arguments -C";
  for (const Option& option : own_options()) out += zsh_option(option);
  // After the first word, words are counted from it.
  out +=
      " '1: :->first' '*:: :->rest'\n"
      "  case $state in\n"
      "    first) _describe -t commands command commands; _files ;;\n"
      "    rest)\n"
      "      case $words[1] in\n";
  for (const Subcommand& command : subcommands()) out += zsh_case(command);
  return out +
         "        *) _files ;;\n      esac ;;\n  esac\n}\n"
         "_tilelab \"$@\"\n";
}

std::string fish_option(const Option& option) {
  bool is_long = option.name.rfind("--", 0) == 0;
  std::string out = is_long ? " -l " + option.name.substr(2) : " -s " + option.name.substr(1);
  std::vector<std::string> values = choices(option);
  if (!values.empty())
    out += " -x -a " + quoted(join(values, " "));
  else if (takes_directory(option))
    out += " -x -a '(__fish_complete_directories)'";
  else if (!option.value.empty())
    out += takes_file(option) ? " -r -F" : " -x";
  return out + (option.doc.empty() ? "" : " -d " + quoted(option.doc));
}

std::string fish() {
  std::string out = "# made by: tilelab completions fish\n";
  for (const Option& option : own_options())
    out += "complete -c tilelab -n __fish_use_subcommand" + fish_option(option) + "\n";
  for (const Subcommand& command : subcommands()) {
    Grammar grammar = grammar_of(command.usage);
    out += "complete -c tilelab -n __fish_use_subcommand -a " + std::string(command.name) + " -d " +
           quoted(command.doc) + "\n";
    std::string begin =
        "complete -c tilelab -n '__fish_seen_subcommand_from " + std::string(command.name) + "'";
    if (!grammar.takes_files()) out += begin + " -f\n";
    for (const Option& option : grammar.options) out += begin + fish_option(option) + "\n";
    if (std::string words = words_of(command); !words.empty())
      out += begin + " -a '" + words + "'\n";
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
