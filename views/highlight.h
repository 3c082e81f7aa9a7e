// SPDX-License-Identifier: Apache-2.0
// Code with colours, and long lines broken where the language allows it.
#pragma once

#include "views/shown.h"

namespace tilelab {

enum class Language : uint8_t { python, c };

/// The text with tones for keywords, types, strings, numbers and comments. Line by line; a block
/// comment of C may span lines.
Toned highlight(std::string_view code, Language language);

/// Lines wider than `columns` are broken so that the result means the same: inside brackets
/// (Python) or also outside of them (C), behind a comma rather than within a sum, and inside an
/// index only where there is no other place. Lines that offer no place stay as they are.
std::string wrap_code(std::string_view code, Language language, size_t columns = page_columns());

/// A line broken so: which characters stand in each line of the result, and what in front of them.
struct WrappedPart {
  size_t begin, end;
  std::string margin;
};
std::vector<WrappedPart> wrap_line(std::string_view line, Language language, size_t columns);

/// Where the string begins at `i` ends, and the comment; `i` itself where none begins.
size_t string_end(std::string_view code, size_t i);
size_t comment_end(std::string_view code, size_t i, Language language);

}  // namespace tilelab
