// SPDX-License-Identifier: Apache-2.0
// Syntax highlighting, and line breaks where the language allows them.
#pragma once

#include "views/shown.h"

namespace tilelab {

enum class Language : uint8_t { python, c };

/// Styles keywords, types, strings, numbers and comments, line by line; a block comment of C may
/// span lines.
StyledText highlight(std::string_view code, Language language);

/// Breaks lines wider than `columns` without changing their meaning: inside brackets (Python) or
/// also outside them (C), after a comma rather than within a sum, and inside an index only as a
/// last resort. Lines without a break position are unchanged.
std::string wrap_code(std::string_view code, Language language, size_t columns = page_columns());

/// A part of a broken line: its characters, and its indentation.
struct WrappedPart {
  size_t begin, end;
  std::string margin;
};
std::vector<WrappedPart> wrap_line(std::string_view line, Language language, size_t columns);

/// The end of the string or comment that begins at `i`; `i` itself if none does.
size_t string_end(std::string_view code, size_t i);
size_t comment_end(std::string_view code, size_t i, Language language);

}  // namespace tilelab
