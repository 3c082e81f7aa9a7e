// SPDX-License-Identifier: Apache-2.0
#include "repl/cell_text.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/support/width.h"

namespace tilelab {
namespace {

/// The statements to which a clause belongs.
struct Clause {
  std::string_view word;
  std::array<std::string_view, 6> openers;
};
constexpr Clause clauses[] = {
    {"else", {"if", "elif", "for", "while", "except", "try"}},
    {"elif", {"if", "elif"}},
    {"except", {"try", "except"}},
    {"finally", {"try", "except", "else"}},
    {"case", {"case"}},
};

std::string_view first_word(std::string_view line) {
  size_t begin = std::min(line.find_first_not_of(' '), line.size()), end = begin;
  while (end < line.size() && std::isalpha(static_cast<unsigned char>(line[end]))) ++end;
  std::string_view word = line.substr(begin, end - begin);
  // `async for`, `async with`
  if (word == "async" && end < line.size()) return first_word(line.substr(end));
  return word;
}

const Clause* clause_of(std::string_view line) {
  std::string_view word = first_word(line);
  for (const Clause& clause : clauses)
    if (clause.word == word) return &clause;
  return nullptr;
}

std::string_view line_at(std::string_view text, size_t at) {
  size_t begin = line_begin(text, at);
  return text.substr(begin, line_end(text, at) - begin);
}

}  // namespace

size_t line_begin(std::string_view text, size_t at) {
  if (at == 0) return 0;
  size_t newline = text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

size_t line_end(std::string_view text, size_t at) {
  return std::min(text.find('\n', at), text.size());
}

int column_of(std::string_view text, size_t at) {
  size_t begin = line_begin(text, at);
  return display_width(text.substr(begin, at - begin));
}

std::optional<size_t> beside(std::string_view text, size_t at, int step, int column) {
  size_t begin = line_begin(text, at), end = line_end(text, at);
  if (step < 0 ? begin == 0 : end == text.size()) return std::nullopt;
  size_t place = step < 0 ? line_begin(text, begin - 1) : end + 1;
  end = line_end(text, place);
  for (int passed = 0; place < end;) {
    size_t next = place;
    passed += char_width(next_char(text, next));
    if (passed > column) break;
    place = next;
  }
  return place;
}

size_t indentation(std::string_view text, size_t at) {
  std::string_view line = line_at(text, at);
  return std::min(line.find_first_not_of(' '), line.size());
}

bool only_blanks(std::string_view text) {
  return text.find_first_not_of(" \t\n") == std::string_view::npos;
}

bool in_indentation(std::string_view text, size_t at) {
  size_t begin = line_begin(text, at);
  return text.substr(begin, at - begin).find_first_not_of(' ') == std::string_view::npos;
}

std::optional<size_t> clause_indentation(std::string_view text, size_t at) {
  const Clause* clause = clause_of(line_at(text, at));
  if (!clause) return std::nullopt;
  size_t own = indentation(text, at), limit = own + 1;
  for (size_t begin = line_begin(text, at); begin > 0;) {
    size_t above = begin - 1;
    begin = line_begin(text, above);
    std::string_view line = line_at(text, begin);
    size_t indent = indentation(text, begin);
    if (only_blanks(line) || indent >= limit) continue;
    limit = indent;  // deeper lines belong to this one
    std::string_view word = first_word(line);
    bool opens = !word.empty() && std::find(clause->openers.begin(), clause->openers.end(), word) !=
                                      clause->openers.end();
    if (opens) return indent == own ? std::nullopt : std::optional<size_t>(indent);
  }
  return std::nullopt;
}

}  // namespace tilelab
