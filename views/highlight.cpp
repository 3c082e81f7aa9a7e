// SPDX-License-Identifier: Apache-2.0
#include "views/highlight.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "core/support/text.h"
#include "core/support/width.h"

namespace tilelab {
namespace {

constexpr std::string_view kPythonWords[] = {
    "and", "as",   "assert", "break",  "class", "continue", "def",    "elif", "else",
    "for", "from", "if",     "import", "in",    "is",       "lambda", "None", "not",
    "or",  "pass", "return", "True",   "False", "try",      "while",  "with", "yield"};
constexpr std::string_view kCWords[] = {"alignas",
                                        "auto",
                                        "break",
                                        "case",
                                        "const",
                                        "constexpr",
                                        "continue",
                                        "default",
                                        "do",
                                        "else",
                                        "enum",
                                        "extern",
                                        "false",
                                        "for",
                                        "goto",
                                        "if",
                                        "inline",
                                        "return",
                                        "sizeof",
                                        "static",
                                        "struct",
                                        "switch",
                                        "template",
                                        "true",
                                        "typedef",
                                        "union",
                                        "using",
                                        "volatile",
                                        "while",
                                        "__global__",
                                        "__device__",
                                        "__shared__",
                                        "__restrict__",
                                        "__launch_bounds__",
                                        "__host__",
                                        "__forceinline__",
                                        "reinterpret_cast",
                                        "static_cast"};
constexpr std::string_view kTypes[] = {
    "f16",     "f32",      "f64",      "bf16",     "i8",       "i16",    "i32",    "i64",
    "u8",      "u16",      "u32",      "u64",      "f8e4m3",   "f8e5m2", "bool",   "tensor",
    "shared",  "fragment", "local",    "barrier",  "ring",     "void",   "int",    "unsigned",
    "char",    "short",    "long",     "float",    "double",   "half",   "size_t", "int64_t",
    "int32_t", "uint8_t",  "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t"};

template <size_t N> bool among(const std::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

Tone tone_of(std::string_view word, Language language) {
  if (language == Language::python ? among(kPythonWords, word) : among(kCWords, word))
    return Tone::keyword;
  return among(kTypes, word) ? Tone::type : Tone::plain;
}

/// The end of the string that starts at `i`; a backslash protects what follows it.
size_t string_end(std::string_view code, size_t i) {
  char quote = code[i++];
  while (i < code.size() && code[i] != quote && code[i] != '\n') i += code[i] == '\\' ? 2 : 1;
  return std::min(i + 1, code.size());
}

size_t line_end(std::string_view code, size_t i) {
  return std::min(code.find('\n', i), code.size());
}

/// The end of the comment that starts at `i`, or `i`.
size_t comment_end(std::string_view code, size_t i, Language language) {
  if (language == Language::python) return code[i] == '#' ? line_end(code, i) : i;
  if (code.substr(i, 2) == "//") return line_end(code, i);
  if (code.substr(i, 2) != "/*") return i;
  size_t end = code.find("*/", i + 2);
  return end == std::string_view::npos ? code.size() : end + 2;
}

}  // namespace

Toned highlight(std::string_view code, Language language) {
  Toned out;
  bool line_start = true;
  for (size_t i = 0; i < code.size();) {
    char c = code[i];
    size_t end = comment_end(code, i, language);
    Tone tone = Tone::dim;
    if (end == i) {
      if (language == Language::c && c == '#' && line_start) {
        end = line_end(code, i);
        tone = Tone::keyword;
      } else if (c == '"' || c == '\'') {
        end = string_end(code, i);
        tone = Tone::string;
      } else if (std::isdigit(static_cast<unsigned char>(c))) {
        end = i + 1;
        while (end < code.size() && (word_char(code[end]) || code[end] == '.')) ++end;
        tone = Tone::number;
      } else if (word_char(c)) {
        end = i + 1;
        while (end < code.size() && word_char(code[end])) ++end;
        tone = tone_of(code.substr(i, end - i), language);
      } else {
        end = i + 1;
        tone = Tone::plain;
      }
    }
    if (c == '\n')
      line_start = true;
    else if (c != ' ')
      line_start = false;
    out.add(code.substr(i, end - i), tone);
    i = end;
  }
  return out;
}

namespace {

/// Where a line may be broken.
struct Break {
  size_t at = std::string_view::npos;  // the first line ends before
  bool blank = false;                  // a blank stands there, which goes
};

/// At or before `columns` the last blank in the fewest brackets, if the first half of the line does
/// not end before it; where there is none, behind the last comma or opening bracket. `depth`: of
/// the brackets that are open where the line begins.
Break break_place(std::string_view line, Language language, size_t columns, size_t first,
                  int depth) {
  Break best, tight;
  int best_depth = 0;
  for (size_t i = 0; i < line.size() && i <= columns;) {
    char c = line[i];
    if (comment_end(line, i, language) != i) break;
    if (c == '"' || c == '\'') {
      i = string_end(line, i);
      continue;
    }
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    bool free = i > first && (language == Language::c || depth > 0);
    if (c == ' ' && free &&
        (best.at == std::string_view::npos || best.at < columns / 2 || depth <= best_depth)) {
      best = {i, true};
      best_depth = depth;
    }
    bool opens = c == ',' || c == '(' || c == '[';
    if (opens && free && i < columns) tight = {i + 1, false};
    ++i;
  }
  return best.at != std::string_view::npos ? best : tight;
}

/// A comment behind a statement that is too long moves to a line above it; there it is cut.
void split_comment(std::string& line, Language language, size_t columns, std::string& out) {
  for (size_t i = 0; i < line.size();) {
    if (line[i] == '"' || line[i] == '\'') {
      i = string_end(line, i);
    } else if (comment_end(line, i, language) != i) {
      size_t indent = line.find_first_not_of(' ');
      if (i == indent) return;
      out += (std::string(indent, ' ') + line.substr(i)).substr(0, columns) + "\n";
      line.erase(line.find_last_not_of(' ', i - 1) + 1);
      return;
    } else {
      ++i;
    }
  }
}

/// A line that is a comment goes on in comments.
void wrap_comment(const std::string& line, const std::string& mark, size_t columns,
                  std::string& out) {
  size_t indent = line.find(mark);
  std::string begin = std::string(indent, ' ') + mark, shown = begin;
  for (const std::string& word : split(line.substr(indent + mark.size()), ' ')) {
    if (word.empty()) continue;
    bool full = static_cast<size_t>(display_width(shown) + 1 + display_width(word)) > columns;
    if (full && shown.size() > begin.size()) {
      out += shown + "\n";
      shown = begin + "  ";
    }
    shown += " " + word;
  }
  out += shown + "\n";
}

void wrap_line(std::string line, Language language, size_t columns, std::string& out) {
  if (static_cast<size_t>(display_width(line)) > columns)
    split_comment(line, language, columns, out);
  bool directive = language == Language::c && line.rfind('#', 0) == 0;
  size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::string hang(std::min<size_t>(indent + 8, columns / 2), ' ');
  const std::string mark = language == Language::c ? "//" : "#";
  if (static_cast<size_t>(display_width(line)) > columns &&
      line.compare(indent, mark.size(), mark) == 0)
    return wrap_comment(line, mark, columns, out);
  // Brackets opened before a break stay open behind it: the rest is scanned as if in brackets.
  bool continued = false;
  while (!directive && static_cast<size_t>(display_width(line)) > columns) {
    Break at = break_place(line, language, columns, continued ? hang.size() : indent,
                           continued ? 1000 : 0);  // more than the rest of the line closes
    if (at.at == std::string_view::npos || at.at <= hang.size()) break;
    out += line.substr(0, at.at) + "\n";
    line = hang + line.substr(at.at + at.blank);
    continued = true;
  }
  out += line + "\n";
}

}  // namespace

std::string wrap_code(std::string_view code, Language language, size_t columns) {
  std::string out;
  if (!code.empty() && code.back() == '\n') code.remove_suffix(1);
  for (const std::string& line : split(code, '\n')) wrap_line(line, language, columns, out);
  return out;
}

}  // namespace tilelab
