// SPDX-License-Identifier: Apache-2.0
#include "repl/transcript.h"

#include <cctype>

#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr std::string_view none = {};

/// The text after `mark`, which a blank or the end of the line follows; null if it is missing.
std::string_view text_after(std::string_view line, std::string_view mark) {
  if (line.substr(0, mark.size()) != mark) return none;
  line.remove_prefix(mark.size());
  if (line.empty()) return line;
  return line[0] == ' ' ? line.substr(1) : none;
}

/// The text after `open`, a number and `close`.
std::string_view text_after_number(std::string_view line, std::string_view open,
                                   std::string_view close) {
  if (line.substr(0, open.size()) != open) return none;
  size_t end = open.size();
  while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end]))) ++end;
  return end > open.size() ? text_after(line.substr(end), close) : none;
}

std::string_view without_blanks(std::string_view line) {
  size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? line.substr(line.size()) : line.substr(first);
}

/// The text after a prompt that begins or continues a cell; data() is null for neither.
std::string_view text_after_prompt(std::string_view line) {
  line = without_blanks(line);
  for (std::string_view text : {text_after_number(line, "tl[", "]>"), text_after(line, ">>>"),
                                text_after_number(line, "In [", "]:")})
    if (text.data()) return text;
  return none;
}

std::string_view text_after_continuation(std::string_view line) {
  line = without_blanks(line);
  std::string_view ipython = text_after(line, "...:");
  return ipython.data() ? ipython : text_after(line, "...");
}

}  // namespace

bool is_transcript(std::string_view text) {
  for (const std::string& line : split(text, '\n'))
    if (!strip(line).empty()) return text_after_prompt(line).data() != nullptr;
  return false;
}

std::string with_plain_line_ends(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' && i > 0 && text[i - 1] == '\r') continue;
    out += text[i] == '\r' ? '\n' : text[i];
  }
  // A terminal that sends a newline as a carriage return doubles a pair: then every second line is
  // empty; otherwise at least one line is not.
  std::vector<std::string> lines = split(out, '\n');
  if (lines.size() < 5) return out;
  for (size_t i = 1; i < lines.size(); i += 2)
    if (!lines[i].empty()) return out;
  std::string once = lines[0];
  for (size_t i = 2; i < lines.size(); i += 2) once += "\n" + lines[i];
  return once;
}

std::vector<std::string> cells_of(std::string_view text) {
  std::vector<std::string> cells;
  bool open = false;  // the line before was part of a cell
  for (const std::string& line : split(text, '\n')) {
    std::string_view first = text_after_prompt(line), more = text_after_continuation(line);
    if (cells.empty() && !first.data()) {
      if (strip(line).empty()) continue;
      return {std::string(text)};
    }
    if (first.data()) {
      cells.emplace_back(first);
    } else if (open && more.data()) {
      cells.back() += "\n" + std::string(more);
    }
    open = first.data() || (open && more.data());
  }
  for (std::string& cell : cells)
    while (!cell.empty() && cell.back() == '\n') cell.pop_back();
  std::erase_if(cells, [](const std::string& cell) { return strip(cell).empty(); });
  return cells;
}

}  // namespace tilelab
