// SPDX-License-Identifier: Apache-2.0
// Source locations. A file is a cell, a script, or an IR text; all share one table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tilelab {

using FileId = uint32_t;  // 0 = unknown

/// A half-open range of source text; lines and columns count from 1, columns in bytes of UTF-8.
struct Span {
  FileId file = 0;
  uint32_t line = 0, col = 0;
  uint32_t end_line = 0, end_col = 0;

  bool known() const { return line != 0; }
  bool contains(const Span& inner) const {
    return file == inner.file && std::pair(line, col) <= std::pair(inner.line, inner.col) &&
           std::pair(inner.end_line, inner.end_col) <= std::pair(end_line, end_col);
  }
  bool operator==(const Span&) const = default;
};

/// From the start of `a` to the end of `b`.
Span join(const Span& a, const Span& b);

/// Registers a source (or replaces the text of an existing one) and returns its id. `name` is
/// displayed to users: "cell 3", "puzzles/06-softmax.py", "<ir>". Thread-safe.
FileId add_source(std::string_view name, std::string_view text);
/// The id of `name`, registered without text if it is new.
FileId source_id(std::string_view name);
std::string source_name(FileId file);
/// Line `line` (from 1) without its newline; empty if there is none.
std::string source_line(FileId file, uint32_t line);

}  // namespace tilelab
