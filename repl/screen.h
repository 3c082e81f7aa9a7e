// SPDX-License-Identifier: Apache-2.0
// The part of a terminal used by a prompt, as rows of glyphs. Updates rewrite each row from the
// first glyph that differs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

/// The kind of a glyph, which determines its color.
enum class Ink : uint8_t {
  plain,
  prompt,
  keyword,
  name,  // names defined by `def` and `class`, decorators, commands
  string,
  number,
  comment,
  suggestion,
  bracket  // one of the pair at the cursor
};

struct Glyph {
  std::string text;  // a character with its combining ones
  int width = 1;
  Ink ink = Ink::plain;
  bool operator==(const Glyph&) const = default;
};

using Row = std::vector<Glyph>;
int width_of(const Row& row, size_t glyphs);

struct Frame {
  std::vector<Row> rows;
  size_t cursor_row = 0;
  int cursor_column = 0;
};

/// Every function returns the output for the terminal. Row movements are relative, so the contents
/// above the prompt need not be known; a frame is at most as high as the terminal.
class Screen {
 public:
  std::string draw(const Frame& frame);
  /// Writes `mark` and moves below the frame, which stays on the screen and is forgotten.
  std::string leave(std::string_view mark);
  /// Erases the frame; the cursor returns to its start.
  std::string clear();
  /// The cursor is in the first column of a new line.
  void forget() { *this = Screen(); }
  /// The same after the terminal's width has changed and it has rewrapped the rows.
  std::string clear_resized(int columns);

 private:
  std::string move_to(size_t row, int column);

  std::vector<Row> rows_;
  size_t row_ = 0;   // of the cursor
  int column_ = -1;  // of the cursor; -1: unknown
};

}  // namespace tilelab
