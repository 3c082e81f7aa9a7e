// SPDX-License-Identifier: Apache-2.0
#include "views/shown.h"

#include <algorithm>

#include "core/diagnostics/styled.h"
#include "core/support/escape.h"
#include "core/support/text.h"
#include "core/support/width.h"

namespace tilelab {

namespace {

struct RoleStyle {
  const char *ansi, *css;
};

/// Colors of medium lightness, readable on white and on nearly black.
const RoleStyle& row_of(TextRole role) {
  static const RoleStyle rows[] = {
      {"", ""},                                                             // plain
      {"90", "color:#808080"},                                              // dim
      {"1", "font-weight:bold"},                                            // strong
      {"35", "color:#a05fc0"},                                              // keyword
      {"36", "color:#1e8a9e"},                                              // type
      {"33", "color:#b8760b"},                                              // string
      {"34", "color:#4a7fd0"},                                              // number
      {"32", "color:#2f9a44;background-color:rgba(47,154,68,0.12)"},        // added
      {"31", "color:#d9453d;background-color:rgba(217,69,61,0.12)"},        // removed
      {"1;4;32", "background-color:rgba(47,154,68,0.3);font-weight:bold"},  // green on white
      {"1;4;31",
       "background-color:rgba(217,69,61,0.3);font-weight:bold"},  // has too little contrast here
      {"1;31", "color:#d9453d;font-weight:bold"},                 // bad
  };
  return rows[static_cast<size_t>(role)];
}

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

RichText& RichText::add(std::string_view text, TextRole role) {
  if (text.empty()) return *this;
  if (!pieces_.empty() && pieces_.back().role == role && !pieces_.back().only_plain)
    pieces_.back().text += terminal_text(text);
  else
    pieces_.push_back({role, terminal_text(text)});
  return *this;
}

RichText& RichText::add_in_plain(std::string_view text) {
  pieces_.push_back({TextRole::plain, std::string(text), true});
  return *this;
}

RichText& RichText::append(const RichText& other) {
  for (const Piece& piece : other.pieces_)
    piece.only_plain ? add_in_plain(piece.text) : add(piece.text, piece.role);
  return *this;
}

std::string RichText::plain() const {
  std::string out;
  for (const Piece& piece : pieces_) out += piece.text;
  return out;
}

std::string RichText::ansi() const {
  std::string out;
  for (const Piece& piece : pieces_) {
    if (piece.only_plain) continue;
    const char* code = row_of(piece.role).ansi;
    // Colors end at line ends: pagers show every line separately.
    bool first = true;
    for (const std::string& line : split(piece.text, '\n')) {
      if (!first) out += '\n';
      first = false;
      out += *code && !line.empty() ? "\x1b[" + std::string(code) + "m" + line + "\x1b[0m" : line;
    }
  }
  return out;
}

std::string RichText::html() const {
  std::string out;
  for (const Piece& piece : pieces_) {
    if (piece.only_plain) continue;
    const char* css = row_of(piece.role).css;
    std::string text = html_text(piece.text);
    out += *css ? "<span style=\"" + std::string(css) + "\">" + text + "</span>" : text;
  }
  return out;
}

namespace {

/// The second column of a line, or one indentation step after its first.
size_t hang_of(std::string_view line) {
  size_t first = std::min(line.find_first_not_of(' '), line.size()), hang = first + 4;
  for (size_t at = first; (at = line.find("  ", at)) != std::string_view::npos;) {
    at = line.find_first_not_of(' ', at);
    if (at == std::string_view::npos || at > page_columns() / 2) break;
    hang = at;
  }
  return std::min(hang, page_columns() / 2);
}

/// Offsets of the blanks of a line that become line breaks.
std::vector<size_t> breaks_of(const std::string& line) {
  std::vector<size_t> out;
  if (width_of(line) <= page_columns()) return out;
  const size_t hang = hang_of(line);
  size_t used = 0, blank = 0;  // blank: the last possible break
  size_t since = 0;            // columns since then
  for (size_t i = 0; i < line.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(line[i]) & 0xC0) != 0x80;
    used += begins, since += begins;
    if (line[i] == ' ' && i >= hang && used > hang) blank = i, since = 0;
    if (used > page_columns() && blank > 0) {
      out.push_back(blank);
      used = hang + since;
      blank = 0;
    }
  }
  return out;
}

}  // namespace

RichText RichText::hanging() const {
  std::vector<size_t> breaks, hangs;  // offsets in the concatenated pieces
  size_t offset = 0;
  std::string all;
  for (const Piece& piece : pieces_) all += piece.text;
  for (const std::string& line : split(all, '\n')) {
    for (size_t at : breaks_of(line)) {
      const size_t word = width_of(line.substr(at + 1, line.find(' ', at + 1) - at - 1));
      breaks.push_back(offset + at);
      hangs.push_back(std::min(hang_of(line), page_columns() - std::min(page_columns(), word)));
    }
    offset += line.size() + 1;
  }
  RichText out;
  size_t begin = 0, next = 0;
  for (const Piece& piece : pieces_) {
    size_t done = 0;
    auto put = [&](std::string_view text) {
      piece.only_plain ? out.add_in_plain(text) : out.add(text, piece.role);
    };
    for (; next < breaks.size() && breaks[next] < begin + piece.text.size(); ++next) {
      put(std::string_view(piece.text).substr(done, breaks[next] - begin - done));
      out.add("\n" + std::string(hangs[next], ' '));
      done = breaks[next] - begin + 1;
    }
    put(std::string_view(piece.text).substr(done));
    begin += piece.text.size();
  }
  return out;
}

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
  const std::string broken = RichText().add(plain).hanging().plain();
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
