// SPDX-License-Identifier: Apache-2.0
#include "core/diagnostics/styled.h"

#include "core/support/escape.h"

namespace tilelab {
namespace {

const char* ansi_code(Style style) {
  switch (style) {
    case Style::plain: return "";
    case Style::strong: return "1";
    case Style::error: return "1;31";
    case Style::warning: return "1;33";
    case Style::note: return "1;36";
    case Style::help: return "1;32";
    case Style::gutter: return "34";
    case Style::primary: return "31";
    case Style::secondary: return "36";
  }
  return "";
}

/// Medium lightness: contrast >= 3:1 on both white and #111.
const char* css(Style style) {
  switch (style) {
    case Style::plain: return "";
    case Style::strong: return "font-weight:bold";
    case Style::error: return "color:#d9453d;font-weight:bold";
    case Style::warning: return "color:#b8860b;font-weight:bold";
    case Style::note: return "color:#1e8a9e;font-weight:bold";
    case Style::help: return "color:#3a9a3a;font-weight:bold";
    case Style::gutter: return "color:#808080";
    case Style::primary: return "color:#d9453d";
    case Style::secondary: return "color:#1e8a9e";
  }
  return "";
}

}  // namespace

StyledText& StyledText::add(std::string_view text, Style style) {
  if (text.empty()) return *this;
  if (!pieces_.empty() && pieces_.back().style == style)
    pieces_.back().text += terminal_text(text);
  else
    pieces_.push_back({style, terminal_text(text)});
  return *this;
}

StyledText& StyledText::append(const StyledText& other) {
  for (const Piece& piece : other.pieces_) add(piece.text, piece.style);
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
    if (piece.style == Style::plain) {
      out += piece.text;
    } else {
      out += std::string("\033[") + ansi_code(piece.style) + "m" + piece.text + "\033[0m";
    }
  }
  return out;
}

std::string StyledText::html() const {
  std::string out = "<pre style=\"font-family:monospace;margin:0;line-height:1.3\">";
  for (const Piece& piece : pieces_) {
    if (piece.style == Style::plain) {
      out += html_text(piece.text);
    } else {
      out += std::string("<span style=\"") + css(piece.style) + "\">" + html_text(piece.text) +
             "</span>";
    }
  }
  return out + "</pre>";
}

}  // namespace tilelab
