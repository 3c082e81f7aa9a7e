// SPDX-License-Identifier: Apache-2.0
#include "core/support/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilelab {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) out += separator;
    out += parts[i];
  }
  return out;
}

std::string join(const std::vector<int64_t>& numbers, std::string_view separator) {
  return join(numbers, separator, [](int64_t number) { return std::to_string(number); });
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (;;) {
    size_t at = text.find(separator);
    out.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::string_view strip(std::string_view text) {
  const char* blank = " \t\r\n";
  size_t begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string plural(int64_t n, std::string_view noun) {
  bool hissing = !noun.empty() && noun.back() == 's';
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : hissing ? "es" : "s");
}

namespace {

template <class T> std::string shortest_of(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> above, row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::vector<size_t> two_above = std::move(above);
    above = row;
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = above[j - 1] + (a[i - 1] != b[j - 1]);
      row[j] = std::min({change, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], two_above[j - 2] + 1);
    }
  }
  return row.back();
}

bool differ_by_case(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::string shortest(double value) { return shortest_of(value); }
std::string shortest(float value) { return shortest_of(value); }

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates)
    if (candidate != word && differ_by_case(word, candidate)) return candidate;
  std::string best;
  // A one-letter word has no similar candidates.
  size_t best_distance = std::min(std::max<size_t>(1, word.size() / 3) + 1, word.size());
  for (const std::string& candidate : candidates) {
    size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) best_distance = distance, best = candidate;
  }
  return best;
}

}  // namespace tilelab
