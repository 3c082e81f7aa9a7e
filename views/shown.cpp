// SPDX-License-Identifier: Apache-2.0
#include "views/shown.h"

#include <algorithm>

#include "core/support/escape.h"
#include "core/support/text.h"
#include "core/support/width.h"

namespace tilelab {

namespace {

size_t width_of(const std::string& text) { return static_cast<size_t>(display_width(text)); }

std::string padded(const std::string& text, size_t width, bool right) {
  size_t have = width_of(text);
  if (have >= width) return text;
  std::string blanks(width - have, ' ');
  return right ? blanks + text : text + blanks;
}

/// Wraps `text` at blanks to lines of at most `width` columns.
std::vector<std::string> folded(const std::string& text, size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split(text, ' ')) {
    if (!lines.back().empty() && width_of(lines.back()) + 1 + width_of(word) > width)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

}  // namespace

std::string hanging(std::string_view text) {
  std::string plain, out;
  std::vector<size_t> from;  // maps bytes of `plain` to `text`
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = std::min(text.find('m', i), text.size() - 1);
      continue;
    }
    plain += text[i], from.push_back(i);
  }
  const std::string broken = StyledText().add(plain).hanging().plain();
  size_t done = 0;  // of `text`
  for (size_t at = 0, b = 0; at < plain.size(); ++at, ++b) {
    if (plain[at] == ' ' && broken[b] == '\n') {  // a break: newline and indent replace the blank
      out += text.substr(done, from[at] - done);
      const size_t blanks = plain.find_first_not_of(' ', at) - at - 1;  // where the line continues
      const size_t next = std::min(broken.find_first_not_of(' ', b + 1), broken.size()) - blanks;
      out += broken.substr(b, next - b);
      done = from[at] + 1, b = next - 1;
    }
  }
  return out + std::string(text.substr(done));
}

std::string html_pre(const std::string& inner) {
  return "<pre "
         "style=\"font-family:monospace;margin:0;line-height:1.35;white-space:pre;overflow-x:auto;"
         "background:transparent\">" +
         inner + "</pre>";
}

namespace {

std::string head_text(const std::string& head) { return head.substr(head.rfind('>', 0) == 0); }
bool to_right(const std::string& head) { return head.rfind('>', 0) == 0; }

}  // namespace

std::string ViewTable::text() const {
  std::vector<size_t> widths;
  size_t before = 2;  // columns before the last one
  for (size_t c = 0; c < heads.size(); ++c) {
    size_t width = width_of(head_text(heads[c]));
    for (const auto& row : rows) width = std::max(width, width_of(row[c]));
    widths.push_back(width);
    if (c + 1 < heads.size()) before += width + 2;
  }
  constexpr size_t room = 20;  // for the last column
  if (page_columns() < before + std::min(room, widths.back())) return flowing_text();
  size_t last = page_columns() - before;
  std::string out;
  auto write = [&](const std::vector<std::string>& cells) {
    std::string line = "  ";
    for (size_t c = 0; c + 1 < cells.size(); ++c)
      line += padded(cells[c], widths[c], to_right(heads[c])) + "  ";
    std::vector<std::string> parts = folded(cells.back(), last);
    for (size_t i = 0; i < parts.size(); ++i) {
      std::string whole =
          (i ? std::string(before, ' ') : line) +
          (to_right(heads.back()) ? padded(parts[i], widths.back(), true) : parts[i]);
      whole.erase(whole.find_last_not_of(' ') + 1);
      out += whole + "\n";
    }
  };
  std::vector<std::string> names;
  for (const std::string& head : heads) names.push_back(head_text(head));
  write(names);
  for (const auto& row : rows) write(row);
  return out;
}

std::string ViewTable::flowing_text() const {
  // On a narrow page the head precedes its cells, except for row labels.
  const bool numbered = !heads.empty() && to_right(heads[0]) && head_text(heads[0]).size() <= 1;
  const size_t naming = numbered ? 2 : 1;
  std::string out;
  for (const auto& row : rows) {
    std::string line = " ";
    for (size_t c = 0; c < row.size(); ++c) {
      if (row[c].empty()) continue;
      const std::string head = c < naming ? "" : head_text(heads[c]);
      bool begun = line.size() > 1;
      for (const std::string& part :
           folded(head.empty() ? row[c] : head + " " + row[c], page_columns() - 6)) {
        if (width_of(line) + 2 + width_of(part) > page_columns() && begun) {
          out += line + "\n";
          line = "     ";
        }
        line += (line.back() == ' ' ? " " : "  ") + part;
        begun = true;
      }
    }
    out += line + "\n";
  }
  return out;
}

std::string ViewTable::html() const {
  std::string out = "<table style=\"border-collapse:collapse;font-size:90%\"><tr>";
  auto cell = [&](const char* tag, size_t c, const std::string& text) {
    out += std::string("<") + tag +
           " style=\"text-align:" + (to_right(heads[c]) ? "right" : "left") +
           ";padding:1px 8px\">" + html_text(text) + "</" + tag + ">";
  };
  for (size_t c = 0; c < heads.size(); ++c) cell("th", c, head_text(heads[c]));
  out += "</tr>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (size_t c = 0; c < heads.size(); ++c) cell("td", c, row[c]);
    out += "</tr>\n";
  }
  return out + "</table>";
}

}  // namespace tilelab
