// SPDX-License-Identifier: Apache-2.0
// Escapes of string literals.
#include "core/syntax/lexer.h"

namespace tilelab::syntax {
namespace {

void append_utf8(char32_t c, std::string& out) {
  auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6), put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
  }
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// Reads up to `most` digits of `base` at `at`; returns their number.
int read_digits(std::string_view body, size_t& at, int base, int most, char32_t& value) {
  int n = 0;
  value = 0;
  while (n < most && at < body.size() && digit(body[at]) < base) {
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit(body[at++]));
    ++n;
  }
  return n;
}

/// The value of a one-letter escape, or 0.
char simple_escape(char c) {
  constexpr std::string_view from = "\\'\"abfnrtv", to = "\\'\"\a\b\f\n\r\t\v";
  size_t i = from.find(c);
  return i == std::string_view::npos ? '\0' : to[i];
}

}  // namespace

bool unescape(const Source& source, size_t offset, std::string_view body, Diagnostics& sink,
              std::string& out) {
  for (size_t at = 0; at < body.size();) {
    char c = body[at++];
    if (c != '\\' || at == body.size()) {
      out += c;
      continue;
    }
    size_t begin = at - 1;
    c = body[at++];
    if (c == '\n') continue;
    if (char plain = simple_escape(c)) {
      out += plain;
      continue;
    }
    int want = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    char32_t value = 0;
    bool good = true;
    if (want) {
      good = read_digits(body, at, 16, want, value) == want;
    } else if (c >= '0' && c <= '7') {
      --at;
      read_digits(body, at, 8, 3, value);
    } else if (c == 'N') {
      good = false;
    } else {  // as in Python, an unknown escape is kept
      out += '\\';
      out += c;
      continue;
    }
    if (!good || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
      sink.report(Diag::syntax_string, source.span(offset + begin, offset + at),
                  "this escape is not a valid character");
      return false;
    }
    append_utf8(value, out);
  }
  return true;
}

}  // namespace tilelab::syntax
