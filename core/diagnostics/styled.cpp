// SPDX-License-Identifier: Apache-2.0
#include "core/diagnostics/styled.h"

#include <algorithm>

#include "core/support/escape.h"
#include "core/support/text.h"
#include "core/support/width.h"

namespace tilelab {
namespace {

struct Look {
  const char *ansi, *css;
};

/// Colors of medium lightness: contrast >= 3:1 on both white and #111.
const Look& look_of(Style style) {
  static const Look rows[] = {
      {"", ""},                                                             // plain
      {"1", "font-weight:bold"},                                            // strong
      {"1;31", "color:#d9453d;font-weight:bold"},                           // error
      {"1;33", "color:#b8860b;font-weight:bold"},                           // warning
      {"1;36", "color:#1e8a9e;font-weight:bold"},                           // note
      {"1;32", "color:#3a9a3a;font-weight:bold"},                           // help
      {"34", "color:#808080"},                                              // gutter
      {"31", "color:#d9453d"},                                              // primary
      {"36", "color:#1e8a9e"},                                              // secondary
      {"90", "color:#808080"},                                              // dim
      {"35", "color:#a05fc0"},                                              // keyword
      {"36", "color:#1e8a9e"},                                              // type
      {"33", "color:#b8760b"},                                              // string
      {"34", "color:#4a7fd0"},                                              // number
      {"32", "color:#2f9a44;background-color:rgba(47,154,68,0.12)"},        // added
      {"31", "color:#d9453d;background-color:rgba(217,69,61,0.12)"},        // removed
      {"1;4;32", "background-color:rgba(47,154,68,0.3);font-weight:bold"},  // green on white
      {"1;4;31",
       "background-color:rgba(217,69,61,0.3);font-weight:bold"},  // has too little contrast here
  };
  return rows[static_cast<size_t>(style)];
}

size_t width_of(const std::string& text) { return static_cast<size_t>(display_width(text)); }

}  // namespace

StyledText& StyledText::add(std::string_view text, Style style) {
  if (text.empty()) return *this;
  if (!pieces_.empty() && pieces_.back().style == style && !pieces_.back().only_plain)
    pieces_.back().text += terminal_text(text);
  else
    pieces_.push_back({style, terminal_text(text)});
  return *this;
}

StyledText& StyledText::add_in_plain(std::string_view text) {
  pieces_.push_back({Style::plain, std::string(text), true});
  return *this;
}

StyledText& StyledText::append(const StyledText& other) {
  for (const Piece& piece : other.pieces_)
    piece.only_plain ? add_in_plain(piece.text) : add(piece.text, piece.style);
  return *this;
}

std::string StyledText::plain() const {
  std::string out;
  for (const Piece& piece : pieces_) out += piece.text;
  return out;
}

std::string StyledText::ansi() const {
  std::string out;
  for (const Piece& piece : pieces_) {
    if (piece.only_plain) continue;
    const char* code = look_of(piece.style).ansi;
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

std::string StyledText::html() const {
  std::string out;
  for (const Piece& piece : pieces_) {
    if (piece.only_plain) continue;
    const char* css = look_of(piece.style).css;
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

StyledText StyledText::hanging() const {
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
  StyledText out;
  size_t begin = 0, next = 0;
  for (const Piece& piece : pieces_) {
    size_t done = 0;
    auto put = [&](std::string_view text) {
      piece.only_plain ? out.add_in_plain(text) : out.add(text, piece.style);
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

}  // namespace tilelab
