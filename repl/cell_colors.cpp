// SPDX-License-Identifier: Apache-2.0
#include "repl/cell_colors.h"

#include <algorithm>
#include <cctype>

#include "core/syntax/lexer.h"

namespace tilelab {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0;
}
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Painter {
 public:
  explicit Painter(std::string_view text) : text_(text), inks_(text.size(), Ink::plain) {}

  std::vector<Ink> paint() {
    while (at_ < text_.size()) step();
    return std::move(inks_);
  }

 private:
  void step() {
    char c = text_[at_];
    if (c == '#') return take(std::min(text_.find('\n', at_), text_.size()), Ink::comment);
    if (c == '"' || c == '\'') return take(string_end(at_), Ink::string);
    bool number = is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]));
    if (number) return take(number_end(), Ink::number);
    if (is_word(c)) return word();
    bool command = (c == '%' || c == '@' || c == ':') && begins_line();
    if (command && at_ + 1 < text_.size() && (is_word(text_[at_ + 1]) || text_[at_ + 1] == '%'))
      return take(command_end(), Ink::name);
    ++at_;
  }

  void take(size_t end, Ink ink) {
    std::fill(inks_.begin() + long(at_), inks_.begin() + long(end), ink);
    at_ = end;
  }

  bool begins_line() const {
    for (size_t i = at_; i-- > 0 && text_[i] != '\n';)
      if (text_[i] != ' ' && text_[i] != '\t') return false;
    return true;
  }

  /// A single-line string ends at the end of its line; a backslash escapes the next character.
  size_t string_end(size_t quote) const {
    std::string_view marks = text_.substr(quote, 3);
    bool triple = marks.size() == 3 && marks[1] == marks[0] && marks[2] == marks[0];
    for (size_t i = quote + (triple ? 3 : 1); i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (triple ? text_.substr(i, 3) == marks : text_[i] == text_[quote]) {
        return i + (triple ? 3 : 1);
      } else if (!triple && text_[i] == '\n') {
        return i;
      }
    }
    return text_.size();
  }

  size_t number_end() const {
    size_t end = at_ + 1;
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.')) ++end;
    return end;
  }

  size_t command_end() const {
    size_t end = at_ + 1;
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '%' || text_[end] == '.'))
      ++end;
    return end;
  }

  void word() {
    size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    std::string_view name = text_.substr(at_, end - at_);
    bool quoted = end < text_.size() && (text_[end] == '"' || text_[end] == '\'');
    if (quoted && name.size() <= 2 && name.find_first_not_of("rRbBuUfF") == std::string_view::npos)
      return take(string_end(end), Ink::string);
    take(end, syntax::is_keyword(name) ? Ink::keyword : defines_ ? Ink::name : Ink::plain);
    defines_ = name == "def" || name == "class";
  }

  std::string_view text_;
  std::vector<Ink> inks_;
  size_t at_ = 0;
  bool defines_ = false;  // the last word was `def` or `class`
};

constexpr std::string_view openers = "([{", closers = ")]}";

std::optional<size_t> partner(std::string_view text, const std::vector<Ink>& inks, size_t at) {
  bool opens = openers.find(text[at]) != std::string_view::npos;
  int depth = 0;
  for (size_t i = at; i < text.size(); opens ? ++i : --i) {  // --i wraps around below 0
    if (inks[i] != Ink::plain) continue;
    size_t opener = openers.find(text[i]), closer = closers.find(text[i]);
    depth += opener != std::string_view::npos ? 1 : closer != std::string_view::npos ? -1 : 0;
    if (depth != 0) continue;
    size_t first = std::min(at, i), last = std::max(at, i);
    bool match = openers.find(text[first]) == closers.find(text[last]);
    return match ? std::optional<size_t>(i) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Ink> inks_of(std::string_view text) { return Painter(text).paint(); }

std::optional<std::pair<size_t, size_t>> bracket_pair(std::string_view text,
                                                      const std::vector<Ink>& inks, size_t cursor) {
  for (size_t at : {cursor, cursor - 1}) {  // 0 - 1 is beyond every text
    if (at >= text.size() || inks[at] != Ink::plain) continue;
    if ((openers.find(text[at]) == std::string_view::npos) &&
        (closers.find(text[at]) == std::string_view::npos))
      continue;
    if (std::optional<size_t> other = partner(text, inks, at)) return std::pair(at, *other);
  }
  return std::nullopt;
}

}  // namespace tilelab
