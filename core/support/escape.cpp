// SPDX-License-Identifier: Apache-2.0
#include "core/support/escape.h"

#include <algorithm>
#include <cstdio>

#include "core/support/width.h"

namespace tilelab {
namespace {

/// The length of the sequence for colors at the start of the text, CSI ... m, or 0.
size_t color_sequence(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

/// Controls of C0 and C1, and Unicode's explicit directions.
bool acts_on_terminals(char32_t c) {
  if (c == '\n' || c == '\t') return false;
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

bool is_plain(char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t'; }

std::string escaped(char32_t c) {
  char text[16];
  std::snprintf(text, sizeof text, c < 0x100 ? "\\x%02x" : "\\u%04x", unsigned(c));
  return text;
}

}  // namespace

std::string terminal_text(std::string_view text, TerminalColors colors) {
  if (std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    if (const size_t size = color_sequence(text.substr(at));
        size > 0 && colors == TerminalColors::kept) {
      at += size;
      out += text.substr(begin, size);
      continue;
    }
    const char32_t c = next_char(text, at);
    const bool invalid = c == 0xfffd && at == begin + 1;
    if (text.substr(begin, 2) == "\r\n") continue;
    if (invalid || acts_on_terminals(c))
      out += escaped(invalid ? static_cast<unsigned char>(text[begin]) : c);
    else
      out += text.substr(begin, at - begin);
  }
  return out;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '$': out += "<span>$</span>"; break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace tilelab
