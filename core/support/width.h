// SPDX-License-Identifier: Apache-2.0
// Display width of text.
#pragma once

#include <cstddef>
#include <string_view>

namespace tilelab {

/// Decodes the UTF-8 character at `at` and advances `at`; an invalid byte counts as one character
/// U+FFFD.
char32_t next_char(std::string_view text, size_t& at);
/// Columns of one character: 0 (combining, control), 1, or 2 (East Asian wide, emoji).
int char_width(char32_t c);
/// Columns of a text without tabs and newlines.
int display_width(std::string_view text);
/// Width of user-facing text: that of the terminal while a cell runs there, otherwise 100.
size_t page_columns();
/// At least 32, at most 200.
void set_page_columns(size_t columns);
bool valid_utf8(std::string_view text);

}  // namespace tilelab
