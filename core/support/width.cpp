// SPDX-License-Identifier: Apache-2.0
#include "core/support/width.h"

#include <algorithm>
#include <atomic>

namespace tilelab {
namespace {

struct CodePoints {
  char32_t first, last;
};

/// Ranges of combining marks and invisible characters (Unicode categories Mn, Me, Cf in the scripts
/// that occur in source comments).
constexpr CodePoints zero_width[] = {{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},
                                     {0x0610, 0x061a}, {0x064b, 0x065f}, {0x1ab0, 0x1aff},
                                     {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff},
                                     {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}};
/// Ranges with East_Asian_Width W or F, and emoji.
constexpr CodePoints double_width[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xa960, 0xa97c},   {0xac00, 0xd7a3},
    {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

template <size_t n> bool in(char32_t c, const CodePoints (&ranges)[n]) {
  for (const CodePoints& range : ranges)
    if (c >= range.first && c <= range.last) return true;
  return false;
}

/// The character at `at` and its length in bytes; length 0 if the bytes are not UTF-8.
int decode(std::string_view text, size_t at, char32_t& c) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(at);
  if (lead < 0x80) return c = lead, 1;
  int length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + length > text.size()) return 0;
  c = lead & (0xff >> (length + 1));
  for (int i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
    c = c << 6 | (byte(at + i) & 0x3f);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = c >= 0xd800 && c <= 0xdfff;
  return c < least[length] || surrogate || c > 0x10ffff ? 0 : length;
}

std::atomic<size_t> columns_of_page = 100;

}  // namespace

size_t page_columns() { return columns_of_page; }
void set_page_columns(size_t columns) { columns_of_page = std::clamp<size_t>(columns, 32, 200); }

char32_t next_char(std::string_view text, size_t& at) {
  char32_t c = 0;
  int length = decode(text, at, c);
  at += length ? length : 1;
  return length ? c : 0xfffd;
}

int char_width(char32_t c) {
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) return 0;
  if (c < 0x300) return 1;
  if (in(c, zero_width)) return 0;
  return in(c, double_width) ? 2 : 1;
}

int display_width(std::string_view text) {
  int width = 0;
  for (size_t at = 0; at < text.size();) width += char_width(next_char(text, at));
  return width;
}

bool valid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    char32_t c;
    int length = decode(text, at, c);
    if (!length) return false;
    at += length;
  }
  return true;
}

}  // namespace tilelab
