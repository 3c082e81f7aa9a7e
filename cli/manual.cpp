// SPDX-License-Identifier: Apache-2.0
// `tilelab manual`: the man(1) page, from the tables of options and commands.
#include <cstdio>
#include <string>
#include <string_view>

#include "cli/options.h"
#include "cli/subcommand.h"
#include "core/support/text.h"
#include "session/command.h"

namespace tilelab {
namespace {

/// Escapes text for roff: backslashes, minus signs, lines that begin with a control character.
std::string roff(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool line_begins = i == 0 || text[i - 1] == '\n';
    if (line_begins && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    if (text[i] == '\\')
      out += "\\e";
    else if (text[i] == '-')
      out += "\\-";
    else
      out += text[i];
  }
  return out;
}

/// Joins a usage that is broken into lines for a terminal.
std::string one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool blank = c == ' ' || c == '\n';
    if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : c;
  }
  return out;
}

/// Wraps to the line length that checkers of manual pages accept.
std::string wrapped(std::string_view text) {
  constexpr size_t width = 70;
  std::string out;
  size_t column = 0;
  for (const std::string& word : split(text, ' ')) {
    bool breaks = column > 0 && column + 1 + word.size() > width;
    if (column > 0) out += breaks ? '\n' : ' ';
    column = (breaks || column == 0 ? 0 : column + 1) + word.size();
    out += word;
  }
  return out;
}

std::string section(const char* name) { return std::string(".SH ") + name + "\n"; }

std::string item(const std::string& head, std::string_view doc) {
  return ".TP\n.B " + roff(strip(head)) + "\n" + roff(wrapped(doc)) + "\n";
}

std::string rows_of(const std::vector<OptionRow>& rows) {
  std::string out;
  for (const OptionRow& row : rows) out += item(row.spelling, row.doc);
  return out;
}

std::string shell_commands() {
  std::string out;
  for (const Command& command : commands()) {
    std::string head = command.kinds & line_command ? "%" : "%%";
    out += item(head + command.name + " " + one_line(command.usage), command.doc);
  }
  return out;
}

std::string manual_page() {
  std::string out = ".TH TILELAB 1 2026-11-22 \"tilelab " TILELAB_VERSION "\"\n" + section("NAME") +
                    "tilelab \\- interactive shell and compiler for tile kernels\n" +
                    section("SYNOPSIS");
  const char* line_break = "";
  for (const OptionRow& row : usage_rows()) {
    out += std::string(line_break) + ".B tilelab\n" + roff(row.spelling) + "\n";
    line_break = ".br\n";
  }
  out += section("DESCRIPTION") +
         wrapped(
             "A Python shell for TileLang kernels. It compiles them, shows the IR after each pass, "
             "simulates and checks them, and generates MUSA C and CUDA C. No GPU is needed.") +
         "\n" + section("OPTIONS") + rows_of(option_rows()) + section("COMMANDS");
  for (const Subcommand& command : subcommands())
    out += item(std::string(command.name) + " " + one_line(command.usage), command.doc);
  out += section("COMMANDS OF THE SHELL") +
         "Use them in a cell; in the terminal :name is the same as %name. Each has \\-\\-help.\n" +
         shell_commands() + section("KEYS") + rows_of(key_rows()) + section("EXIT STATUS") +
         rows_of(exit_rows()) + section("ENVIRONMENT") + rows_of(environment_rows()) +
         section("FILES") + rows_of(file_rows()) + section("EXAMPLES") + rows_of(example_rows());
  return out;
}

}  // namespace

int manual(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    std::fputs("usage: tilelab manual\n", stderr);
    return 2;
  }
  std::fputs(manual_page().c_str(), stdout);
  return 0;
}

}  // namespace tilelab
