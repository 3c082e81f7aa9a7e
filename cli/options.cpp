// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include "cli/subcommand.h"
#include "core/support/text.h"

namespace tilelab {

const std::vector<OptionRow>& option_rows() {
  static const std::vector<OptionRow> rows = {
      {"-c CODE, -e CODE", "runs CODE; may be repeated"},
      {"-m MODULE", "runs a module as a program"},
      {"-", "runs the program on standard input"},
      {"-i", "stays in the shell after the program"},
      {"-q, --quiet", "shows no banner"},
      {"-n, --no-init", "does not read init.py"},
      {"--color=WHEN", "sets color: auto, always or never"},
      {"--no-pager", "does not page long text"},
      {"--keep-going", "continues after an error in cells from a pipe"},
      {"-h, --help", "shows this text"},
      {"-V, --version", "shows the version"},
      {"--", "ends the options"}};
  return rows;
}

const std::vector<OptionRow>& usage_rows() {
  static const std::vector<OptionRow> rows = {
      {"[OPTIONS]", "starts the shell"},
      {"[OPTIONS] FILE [ARGUMENTS]", "runs a Python program with tile kernels"},
      {"COMMAND [ARGUMENTS]", ""}};
  return rows;
}

const std::vector<OptionRow>& key_rows() {
  static const std::vector<OptionRow> rows = {
      {"Enter", "runs a complete cell, or else starts a new line; an empty line ends a block"},
      {"Alt-Enter", "does the opposite: starts a new line or runs the cell"},
      {"Up, Down",
       "moves to another line; at the edge, recalls a history entry with the same prefix"},
      {"Right, End",
       "at the end of the text, accepts the suggestion; Alt-F accepts one word of it"},
      {"Tab", "completes; indents at the start of a line"},
      {"Ctrl-R", "searches the history with each key"},
      {"Ctrl-X Ctrl-E", "opens the cell in an editor"},
      {"Ctrl-O", "runs the cell and recalls the next entry"},
      {"Ctrl-C, Ctrl-D", "discards the cell or interrupts what runs; exits at an empty prompt"}};
  return rows;
}

const std::vector<OptionRow>& exit_rows() {
  static const std::vector<OptionRow> rows = {
      {"0", "success"},
      {"1", "an error in your code, or a failed comparison"},
      {"2", "wrong usage, or an unreadable file"},
      {"3", "a device or a toolchain is missing"},
      {"130", "interrupted"}};
  return rows;
}

const std::vector<OptionRow>& environment_rows() {
  static const std::vector<OptionRow> rows = {
      {"VIRTUAL_ENV, PYTHONPATH", "set the available Python packages"},
      {"VISUAL, EDITOR", "set the editor"},
      {"TILELAB_PAGER, PAGER", "set the pager (less -FRX)"},
      {"NO_COLOR, FORCE_COLOR", "disable color; force color in pipes"},
      {"INPUTRC",
       "sets the keys, as in every program with readline; $if tilelab is for tilelab only"}};
  return rows;
}

const std::vector<OptionRow>& file_rows() {
  static const std::vector<OptionRow> rows = {
      {"$XDG_CONFIG_HOME/tilelab/init.py", "runs when the shell starts (~/.config)"},
      {"$XDG_STATE_HOME/tilelab/history", "stores the input history (~/.local/state)"}};
  return rows;
}

const std::vector<OptionRow>& example_rows() {
  static const std::vector<OptionRow> rows = {
      {"tilelab script.py", "runs an unchanged TileLang script without a GPU"},
      {"tilelab compile kernel.py --target sm_90a --emit c", "prints the CUDA C of its kernels"},
      {"tilelab check script.py",
       "finds data races, accesses out of bounds and uninitialized reads"},
      {"tilelab install-kernel --user", "installs the notebook kernel"},
      {"tilelab puzzle", "opens the shell with the first unsolved puzzle"}};
  return rows;
}

std::string help_text() {
  std::string text;
  auto row = [&](const std::string& head, const std::string& doc, size_t width) {
    text += head;
    if (!doc.empty() && head.size() >= width) text += "\n" + std::string(width, ' ');
    if (!doc.empty() && head.size() < width) text += std::string(width - head.size(), ' ');
    text += doc + "\n";
  };
  auto section = [&](const char* name, const std::vector<OptionRow>& rows) {
    text += std::string("\n") + name + "\n";
    for (const OptionRow& each : rows) row(std::string("  ") + each.spelling, each.doc, 22);
  };
  const char* before = "usage: tilelab ";
  for (const OptionRow& usage : usage_rows()) {
    row(std::string(before) + usage.spelling, usage.doc, 46);
    before = "       tilelab ";
  }
  section("options", option_rows());
  text += "\ncommands\n";
  for (const Subcommand& command : subcommands())
    row(std::string("  ") + command.name,
        command.doc + std::string(command.handler ? "" : " (not in this build)"), 22);
  section("keys", key_rows());
  section("exit status", exit_rows());
  section("environment", environment_rows());
  section("files", file_rows());
  return text;
}

namespace {

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& words) : words_(words) {}

  CommandLine parse() {
    bool options_end = false;
    for (at_ = 0; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (!options_end && word == "--") {
        options_end = true;
      } else if (!options_end && word.size() > 1 && word[0] == '-') {
        if (take_option(word)) return line_;
      } else {
        return take_program(options_end);
      }
    }
    if (has_code_) finish(Program::code, code_, words_.size());
    return line_;
  }

 private:
  CommandLine& wrong(std::string message) {
    line_.action = CommandLine::wrong;
    line_.message = std::move(message);
    return line_;
  }

  CommandLine& finish(Program::Kind kind, const std::string& text, size_t rest) {
    line_.action = CommandLine::program;
    line_.what.kind = kind;
    line_.what.text = text;
    line_.what.argv.push_back(kind == Program::code ? "-c" : text);
    for (size_t i = rest; i < words_.size(); ++i) line_.what.argv.push_back(words_[i]);
    return line_;
  }

  CommandLine take_program(bool options_end) {
    const std::string& word = words_[at_];
    if (has_code_) return finish(Program::code, code_, at_);
    if (!options_end && find_subcommand(word)) {
      line_.action = CommandLine::subcommand;
      line_.name = word;
      line_.arguments.assign(words_.begin() + long(at_) + 1, words_.end());
      return line_;
    }
    return finish(Program::file, word, at_ + 1);
  }

  /// True: the rest of the command line is not parsed.
  bool take_option(const std::string& word) {
    if (word == "-h" || word == "--help") return line_.action = CommandLine::help, true;
    if (word == "-V" || word == "--version") return line_.action = CommandLine::version, true;
    if (word == "-i") return line_.interactive_after = true, false;
    if (word == "-q" || word == "--quiet") return line_.shell_options.quiet = true, false;
    if (word == "-n" || word == "--no-init" || word == "--norc")
      return line_.shell_options.run_init = false, false;
    if (word == "--keep-going") return line_.shell_options.keep_going = true, false;
    if (word == "--no-pager") return line_.pager = false, false;
    if (word.rfind("--color", 0) == 0) return take_color(word);
    if (word.rfind("-c", 0) == 0 || word.rfind("-e", 0) == 0) return take_code(word);
    if (word.rfind("-m", 0) == 0) return take_module(word);
    std::vector<std::string> known = {"--help",  "--version",    "--quiet",   "--no-init",
                                      "--color", "--keep-going", "--no-pager"};
    std::string near = nearest(word, known);
    wrong("unknown option " + word + (near.empty() ? "" : "; did you mean " + near + "?"));
    return true;
  }

  bool take_color(const std::string& word) {
    std::string when = word.size() > 8 && word[7] == '=' ? word.substr(8)
                       : word == "--color"               ? "always"
                                                         : "?";
    if (when == "auto")
      line_.color = ColorMode::automatic;
    else if (when == "always")
      line_.color = ColorMode::always;
    else if (when == "never")
      line_.color = ColorMode::never;
    else
      return wrong("--color takes auto, always or never"), true;
    return false;
  }

  /// "-cCODE" or "-c CODE".
  bool value_of(const std::string& word, std::string& value) {
    if (word.size() > 2) return value = word.substr(2), true;
    if (at_ + 1 >= words_.size()) return wrong(word + " needs a value"), false;
    value = words_[++at_];
    return true;
  }

  bool take_code(const std::string& word) {
    std::string code;
    if (!value_of(word, code)) return true;
    code_ += (has_code_ ? "\n" : "") + code;
    has_code_ = true;
    return false;
  }

  bool take_module(const std::string& word) {
    std::string module;
    if (value_of(word, module)) finish(Program::module, module, at_ + 1);
    return true;
  }

  const std::vector<std::string>& words_;
  size_t at_ = 0;
  CommandLine line_;
  std::string code_;
  bool has_code_ = false;
};

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  return Parser(arguments).parse();
}

}  // namespace tilelab
