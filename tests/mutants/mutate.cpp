// SPDX-License-Identifier: Apache-2.0
#include "tests/mutants/mutate.h"

#include <algorithm>
#include <cctype>

#include "core/support/text.h"

namespace tilelab::test {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool is_number(const std::string& token) {
  return !token.empty() && std::isdigit(static_cast<unsigned char>(token[0]));
}

std::string other_number(const std::string& token, Generator& random) {
  static const char* const kEdges[] = {"0",  "1",  "2",   "3",          "-1",          "7",
                                       "31", "33", "128", "2147483647", "-2147483648", "4294967296",
                                       "64", "16", "5",   "1000000"};
  const long long value = std::atoll(token.c_str());
  switch (below(random, 5)) {
    case 0: return std::to_string(value + 1);
    case 1: return std::to_string(value - 1);
    case 2: return std::to_string(value * 2);
    case 3: return std::to_string(value / 2);
    default: return kEdges[below(random, std::size(kEdges))];
  }
}

/// The positions of non-blank tokens.
std::vector<size_t> solid(const std::vector<std::string>& tokens) {
  std::vector<size_t> places;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (!std::isspace(static_cast<unsigned char>(tokens[i][0]))) places.push_back(i);
  return places;
}

std::string with_number_changed(const std::string& text, Generator& random) {
  std::vector<std::string> tokens = tokens_of(text);
  std::vector<size_t> numbers;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (is_number(tokens[i])) numbers.push_back(i);
  if (numbers.empty()) return text;
  std::string& number = tokens[numbers[below(random, numbers.size())]];
  number = other_number(number, random);
  return join(tokens, "");
}

std::string with_token_changed(const std::string& text, const std::string& other,
                               Generator& random) {
  std::vector<std::string> tokens = tokens_of(text);
  const std::vector<size_t> places = solid(tokens);
  if (places.empty()) return text;
  std::string& token = tokens[places[below(random, places.size())]];
  switch (below(random, 3)) {
    case 0: std::swap(token, tokens[places[below(random, places.size())]]); break;
    case 1: token.clear(); break;
    default: {
      const std::vector<std::string> foreign = tokens_of(other);
      const std::vector<size_t> theirs = solid(foreign);
      if (!theirs.empty()) token = foreign[theirs[below(random, theirs.size())]];
    }
  }
  return join(tokens, "");
}

/// The line of `place`.
std::string indented_as(const std::string& place, const std::string& line) {
  const size_t depth = place.find_first_not_of(' '), own = line.find_first_not_of(' ');
  if (own == std::string::npos) return line;
  return std::string(depth == std::string::npos ? 8 : depth, ' ') + line.substr(own);
}

std::string with_line_changed(const std::string& text, const std::string& other,
                              Generator& random) {
  std::vector<std::string> lines = split(text, '\n');
  const size_t at = below(random, lines.size());
  const auto place = lines.begin() + std::ptrdiff_t(at);
  switch (below(random, 5)) {
    case 0: lines.erase(place); break;
    case 1: lines.insert(place, lines[at]); break;
    case 2: std::swap(lines[at], lines[below(random, lines.size())]); break;
    case 3: {  // moved to another line's position
      const std::string line = lines[at];
      lines.erase(place);
      if (lines.empty()) break;
      const size_t next = below(random, lines.size());
      lines.insert(lines.begin() + std::ptrdiff_t(next), indented_as(lines[next], line));
      break;
    }
    default: {
      const std::vector<std::string> foreign = split(other, '\n');
      lines.insert(place, indented_as(lines[at], foreign[below(random, foreign.size())]));
    }
  }
  return join(lines, "\n");
}

bool is_name(const std::string& token) { return is_word(token[0]) && !is_number(token); }

/// One name for another of the text: once or everywhere; or a new name.
std::string with_name_changed(const std::string& text, Generator& random) {
  std::vector<std::string> tokens = tokens_of(text);
  std::vector<size_t> names;
  for (size_t i = 0; i < tokens.size(); ++i)
    if (is_name(tokens[i])) names.push_back(i);
  if (names.empty()) return text;
  const size_t at = names[below(random, names.size())];
  const std::string old = tokens[at], other = tokens[names[below(random, names.size())]];
  switch (below(random, 3)) {
    case 0: tokens[at] = other; break;
    case 1: std::replace(tokens.begin(), tokens.end(), old, old + "_2"); break;
    default: std::replace(tokens.begin(), tokens.end(), old, other);
  }
  return join(tokens, "");
}

/// Edits of a text: a number, a line, a name.
std::string edited(const std::string& text, const std::string& other, Generator& random) {
  switch (below(random, 5)) {
    case 0:
    case 1: return with_number_changed(text, random);
    case 2:
    case 3: return with_line_changed(text, other, random);
    default: return with_name_changed(text, random);
  }
}

}  // namespace

std::vector<std::string> tokens_of(std::string_view text) {
  std::vector<std::string> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (is_word(text[i]))
      while (end < text.size() && is_word(text[end])) ++end;
    else if (text[i] == ' ')
      while (end < text.size() && text[end] == ' ') ++end;
    tokens.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return tokens;
}

std::string mutated(const std::string& text, const std::string& other, Generator& random) {
  std::string out = text;
  const bool by_person = below(random, 4) != 0;
  for (size_t changes = 1 + below(random, 3); changes > 0; --changes)
    out = by_person ? edited(out, other, random) : with_token_changed(out, other, random);
  return out;
}

}  // namespace tilelab::test
