// SPDX-License-Identifier: Apache-2.0
// Text formatting without streams.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string join(const std::vector<int64_t>& numbers, std::string_view separator);
/// The texts that `f` gives for the items.
template <class Items, class F>
std::string join(const Items& items, std::string_view separator, F&& f) {
  std::vector<std::string> parts;
  for (const auto& item : items) parts.emplace_back(f(item));
  return join(parts, separator);
}
/// The names of a table's rows.
template <class Rows> std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}
std::vector<std::string> split(std::string_view text, char separator);
std::string_view strip(std::string_view text);
/// Whether the text is an unsigned number: one or more decimal digits, nothing else.
bool is_digits(std::string_view text);
/// "3 rows", "1 row", "2 accesses".
std::string plural(int64_t n, std::string_view noun);
/// Shortest decimal text that reads back as the same double: "0.1", "1e-30", "2.0", "inf", "nan".
std::string shortest(double value);
std::string shortest(float value);
/// The candidate with the smallest edit distance to `word`, or "" if none is similar ("did you
/// mean").
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tilelab
