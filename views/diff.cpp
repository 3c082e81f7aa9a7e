// SPDX-License-Identifier: Apache-2.0
#include "views/diff.h"

#include <algorithm>

#include "core/support/escape.h"
#include "core/support/text.h"
#include "core/support/width.h"
#include "views/highlight.h"
#include "views/json.h"

namespace tilelab {
namespace {

using Lines = std::vector<std::string>;
using What = LineDiff::What;

Lines lines_of(std::string_view text) {
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text.empty() ? Lines{} : split(text, '\n');
}

/// Frontiers of the greedy search: furthest x on each diagonal after 0, 1, ... edits.
std::vector<std::vector<int>> search(const Lines& a, const Lines& b) {
  int n = int(a.size()), m = int(b.size()), most = n + m;
  std::vector<int> far(size_t(2 * most + 2), 0);
  std::vector<std::vector<int>> trace;
  auto at = [&](int k) -> int& { return far[size_t(k + most)]; };
  for (int d = 0; d <= most; ++d) {
    trace.push_back(far);
    for (int k = -d; k <= d; k += 2) {
      int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      int y = x - k;
      while (x < n && y < m && a[size_t(x)] == b[size_t(y)]) ++x, ++y;
      at(k) = x;
      if (x >= n && y >= m) return trace;
    }
  }
  return trace;
}

/// The edit script, traced back from the end, last line first.
std::vector<LineDiff::Line> backtrack(const Lines& a, const Lines& b,
                                      const std::vector<std::vector<int>>& trace) {
  std::vector<LineDiff::Line> out;
  int x = int(a.size()), y = int(b.size()), most = x + y;
  for (int d = int(trace.size()) - 1; d >= 0; --d) {
    auto at = [&](int k) { return trace[size_t(d)][size_t(k + most)]; };
    int k = x - y;
    int from = k == -d || (k != d && at(k - 1) < at(k + 1)) ? k + 1 : k - 1;
    int to_x = d ? at(from) : 0, to_y = d ? to_x - from : 0;
    while (x > to_x && y > to_y) out.push_back({What::same, a[size_t(--x)], {}}), --y;
    if (d && x == to_x && y > to_y)
      out.push_back({What::added, b[size_t(--y)], {}});
    else if (d && x > to_x)
      out.push_back({What::removed, a[size_t(--x)], {}});
  }
  return out;
}

/// The trace of a search holds d x (n + m) numbers; very different texts are shown as replaced.
constexpr size_t kLargest = 2500;

}  // namespace

std::string LineDiff::count() const {
  if (empty()) return "=";
  if (added == removed) return "~" + std::to_string(added);
  std::string out = added ? "+" + std::to_string(added) : "";
  if (removed) out += (added ? " -" : "-") + std::to_string(removed);
  return out;
}

LineDiff diff_lines(std::string_view before, std::string_view after) {
  Lines a = lines_of(before), b = lines_of(after), head, tail;
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    tail.push_back(a.back());
    a.pop_back(), b.pop_back();
  }
  size_t same = 0;
  while (same < std::min(a.size(), b.size()) && a[same] == b[same]) ++same;
  head.assign(a.begin(), a.begin() + long(same));
  a.erase(a.begin(), a.begin() + long(same));
  b.erase(b.begin(), b.begin() + long(same));
  LineDiff out;
  for (std::string& line : head) out.lines.push_back({What::same, std::move(line), {}});
  if (a.size() + b.size() > kLargest) {
    for (std::string& line : a) out.lines.push_back({What::removed, std::move(line), {}});
    for (std::string& line : b) out.lines.push_back({What::added, std::move(line), {}});
  } else if (!a.empty() || !b.empty()) {
    std::vector<LineDiff::Line> script = backtrack(a, b, search(a, b));
    out.lines.insert(out.lines.end(), script.rbegin(), script.rend());
  }
  for (size_t i = tail.size(); i-- > 0;) out.lines.push_back({What::same, std::move(tail[i]), {}});
  for (const LineDiff::Line& line : out.lines) {
    out.added += line.what == What::added;
    out.removed += line.what == What::removed;
  }
  return out;
}

namespace {

/// Marks the lines to show: changes and their context.
std::vector<bool> visible_lines(const LineDiff& diff, int context) {
  std::vector<bool> shown(diff.lines.size(), false);
  for (size_t i = 0; i < diff.lines.size(); ++i) {
    if (diff.lines[i].what == What::same) continue;
    size_t lo = i >= size_t(context) ? i - size_t(context) : 0;
    size_t hi = std::min(diff.lines.size(), i + size_t(context) + 1);
    std::fill(shown.begin() + long(lo), shown.begin() + long(hi), true);
  }
  return shown;
}

struct LineRoles {
  const char* mark;
  Style line, word;
};

LineRoles roles_of(What what) {
  if (what == What::added) return {"+ ", Style::added, Style::added_word};
  if (what == What::removed) return {"- ", Style::removed, Style::removed_word};
  return {"  ", Style::plain, Style::plain};
}

/// One line of a diff, wrapped if too long. Changed words are colored, and underlined with ^
/// without colors.
void write_line(const LineDiff::Line& line, StyledText& out) {
  const LineRoles roles = roles_of(line.what);
  auto changed = [&](size_t i) {
    return std::any_of(line.changed.begin(), line.changed.end(),
                       [&](const auto& range) { return range.first <= i && i < range.second; });
  };
  for (const WrappedPart& part : wrap_line(line.text, Language::python, page_columns() - 2)) {
    std::string below = "  " + part.margin;
    out.add(roles.mark + part.margin, roles.line);
    for (size_t i = part.begin; i < part.end;) {
      const bool is = changed(i);
      size_t end = i;
      while (end < part.end && changed(end) == is) ++end;
      const std::string piece = line.text.substr(i, end - i);
      out.add(piece, is ? roles.word : roles.line);
      below += std::string(size_t(display_width(piece)), is ? '^' : ' ');
      i = end;
    }
    out.add("\n");
    below.erase(below.find_last_not_of(' ') + 1);
    if (!below.empty()) out.add_in_plain(below + "\n");
  }
}

StyledText body_of(const LineDiff& diff, int context) {
  StyledText out;
  std::vector<bool> shown = visible_lines(diff, context);
  for (size_t i = 0; i < diff.lines.size();) {
    if (shown[i]) {
      write_line(diff.lines[i++], out);
      continue;
    }
    size_t end = i;
    while (end < shown.size() && !shown[end]) ++end;
    if (end - i == 1)
      write_line(diff.lines[i], out);
    else
      out.add("  ... " + plural(int64_t(end - i), "line") + " unchanged\n", Style::dim);
    i = end;
  }
  return out;
}

}  // namespace

Shown show_diff(const std::string& title, std::vector<DiffPart> parts, int context) {
  for (DiffPart& part : parts) mark_words(part.diff);
  StyledText whole = StyledText().add(title + "\n", Style::strong).hanging();
  std::string html = "<div><b>" + html_text(title) + "</b>";
  std::vector<std::string> same(parts.empty() ? 1 : 0);  // a pass compared with itself
  auto flush = [&] {
    if (same.empty()) return;
    std::string line = "no change" + (join(same, "").empty() ? "" : ": " + join(same, ", "));
    for (const std::string& part :
         lines_of(wrap_code("(" + line, Language::python, page_columns())))
      whole.add(part.rfind('(', 0) == 0 ? part.substr(1) + "\n" : part + "\n", Style::dim);
    html += "<div style=\"color:#808080\">" + html_text(line) + "</div>";
    same.clear();
  };
  constexpr int kUnfolded = 40;  // changed lines; a longer diff has collapsible parts
  int changes = 0;
  for (const DiffPart& part : parts) changes += part.diff.added + part.diff.removed;
  const char* open = changes <= kUnfolded || parts.size() == 1 ? "<details open>" : "<details>";
  for (const DiffPart& part : parts) {
    if (part.diff.empty()) {
      same.push_back(part.title);
      continue;
    }
    flush();
    StyledText body = body_of(part.diff, context);
    whole.add("\n" + part.title, Style::strong).add("  " + part.diff.count() + "\n", Style::dim);
    whole.append(body);
    html +=
        open + ("<summary><b>" + html_text(part.title) + "</b> " + html_text(part.diff.count()) +
                "</summary>" + html_pre(body.html()) + "</details>");
  }
  flush();
  return {whole.plain(), whole.ansi(), html + "</div>", json_of(title, parts)};
}

}  // namespace tilelab
