// SPDX-License-Identifier: Apache-2.0
// Breaks long lines of code at readable positions.
#include <algorithm>
#include <limits>
#include <optional>

#include "core/support/text.h"
#include "core/support/width.h"
#include "views/highlight.h"

namespace tilelab {
namespace {

/// A break position: the line ends before `end`, the next one begins at `next`.
struct BreakPlace {
  size_t end, next;
  int cost;
};

constexpr int kDepth = 10;      // per open bracket
constexpr int kOpening = 4;     // after an opening bracket
constexpr int kOperator = 7;    // before + and similar
constexpr int kOther = 12;      // between two words
constexpr int kProduct = 30;    // around a factor
constexpr int kBound = 60;      // between the bounds of a slice
constexpr int kIndex = 100;     // within a sum that is an index
constexpr double kUnused = 40;  // for an empty remainder of a line

bool factor(char c) { return c == '*' || c == '/' || c == '%'; }

/// The cost of a break at the blank at `i`.
int cost_of_blank(std::string_view line, size_t i, const std::string& open) {
  const int depth = kDepth * int(open.size());
  const char before = line[i - 1], after = i + 1 < line.size() ? line[i + 1] : ' ';
  if (before == ',' || before == ';') return depth;
  if (before == '=' && open.empty()) return kOperator;
  const int place = open.ends_with('[') ? kIndex : 0;
  if (factor(before) || factor(after)) return depth + place + kProduct;
  const bool sum = std::string_view("+-<>=!&|?:").find(after) != std::string_view::npos;
  return depth + place + (sum ? kOperator : kOther);
}

/// All break positions of a line, in order. A comment ends them.
std::vector<BreakPlace> breaks_of(std::string_view line, Language language, size_t indent) {
  std::vector<BreakPlace> out;
  std::string open;  // brackets
  for (size_t i = indent; i < line.size();) {
    const char c = line[i];
    if (comment_end(line, i, language) != i) break;
    if (c == '"' || c == '\'') {
      i = string_end(line, i);
      continue;
    }
    const bool allowed = language == Language::c || !open.empty();
    if (c == '(' || c == '[' || c == '{') {
      open += c;
      const bool empty = i + 1 < line.size() &&
                         std::string_view(")]}").find(line[i + 1]) != std::string_view::npos;
      if (!empty) out.push_back({i + 1, i + 1, kDepth * int(open.size()) + kOpening});
    } else if (c == ')' || c == ']' || c == '}') {
      if (!open.empty()) open.pop_back();
    } else if (c == ' ' && allowed && i > indent && line.substr(i) != " {") {
      out.push_back({i, i + 1, cost_of_blank(line, i, open)});
    } else if (c == ':' && open.ends_with('[') && i + 1 < line.size() && line[i + 1] != ' ') {
      out.push_back({i + 1, i + 1, kDepth * int(open.size()) + kBound});
    }
    ++i;
  }
  return out;
}

size_t width_of(std::string_view text) { return size_t(display_width(std::string(text))); }

/// The cheapest break that leaves [begin, end) within `room` columns; early breaks waste the line.
/// If there is none within `room`, the first one.
std::optional<BreakPlace> best_break(std::string_view line, const std::vector<BreakPlace>& all,
                                     size_t begin, size_t room) {
  std::optional<BreakPlace> best;
  double least = std::numeric_limits<double>::max();
  for (const BreakPlace& place : all) {
    if (place.end <= begin) continue;
    const size_t used = width_of(line.substr(begin, place.end - begin));
    if (used > room) return best ? best : place;
    const double cost = place.cost + kUnused * double(room - used) / double(room);
    if (cost > least) continue;
    least = cost;
    best = place;
  }
  return best;
}

/// Moves a comment after a statement that is too long to a line above it, and wraps it.
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

/// A comment line continues as comment lines.
void wrap_comment(const std::string& line, const std::string& mark, size_t columns,
                  std::string& out) {
  size_t indent = line.find(mark);
  std::string begin = std::string(indent, ' ') + mark, shown = begin;
  for (const std::string& word : split(line.substr(indent + mark.size()), ' ')) {
    if (word.empty()) continue;
    if (width_of(shown) + 1 + width_of(word) > columns && shown.size() > begin.size()) {
      out += shown + "\n";
      shown = begin + "  ";
    }
    shown += " " + word;
  }
  out += shown + "\n";
}

}  // namespace

std::vector<WrappedPart> wrap_line(std::string_view line, Language language, size_t columns) {
  const bool directive = language == Language::c && line.starts_with('#');
  if (directive || width_of(line) <= columns) return {{0, line.size(), ""}};
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string hang(std::min<size_t>(indent + (columns < 80 ? 4 : 8), columns / 2), ' ');
  const std::vector<BreakPlace> all = breaks_of(line, language, indent);
  std::vector<WrappedPart> out;
  for (size_t begin = 0;;) {
    std::string margin = begin ? hang : "";
    const size_t room = columns - margin.size();
    std::optional<BreakPlace> place;
    if (width_of(line.substr(begin)) > room)
      place = best_break(line, all, begin ? begin : indent, room - (begin ? 0 : indent));
    out.push_back({begin, place ? place->end : line.size(), std::move(margin)});
    if (!place) return out;
    begin = place->next;
  }
}

std::string wrap_code(std::string_view code, Language language, size_t columns) {
  std::string out;
  if (!code.empty() && code.back() == '\n') code.remove_suffix(1);
  for (std::string& line : split(code, '\n')) {
    if (width_of(line) > columns) split_comment(line, language, columns, out);
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::string mark = language == Language::c ? "//" : "#";
    if (width_of(line) > columns && line.compare(indent, mark.size(), mark) == 0) {
      wrap_comment(line, mark, columns, out);
      continue;
    }
    for (const WrappedPart& part : wrap_line(line, language, columns))
      out += part.margin + line.substr(part.begin, part.end - part.begin) + "\n";
  }
  return out;
}

}  // namespace tilelab
