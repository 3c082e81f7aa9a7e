// SPDX-License-Identifier: Apache-2.0
// The part of a terminal that a prompt uses, as rows of glyphs. What is shown becomes what is
// wanted by rewriting the glyphs that differ, from the first to the end of the row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

/// What a glyph is; its colour follows from it.
enum class Ink : uint8_t {
  plain,
  prompt,
  keyword,
  name,  // what `def` and `class` define, decorators, commands
  string,
  number,
  comment,
  suggestion,
  bracket  // one of the pair at the cursor
};

struct Glyph {
  std::string text;  // a character with what combines with it
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

/// Every function gives what to write to the terminal. Rows are moved between by relative steps,
/// so what is above the prompt need not be known; a frame is at most as high as the terminal.
class Screen {
 public:
  std::string draw(const Frame& frame);
  /// Writes `mark` and goes to the line below the frame, which stays there and is forgotten.
  std::string leave(std::string_view mark);
  /// The frame is taken away; the cursor is where it began.
  std::string clear();
  /// The cursor is in the first column of a new line, whatever there was.
  void forget() { *this = Screen(); }
  /// The same for a terminal that has another width now, and has broken the rows again.
  std::string clear_resized(int columns);

 private:
  std::string move_to(size_t row, int column);

  std::vector<Row> rows_;
  size_t row_ = 0;   // of the cursor
  int column_ = -1;  // of the cursor; -1: unknown
};

}  // namespace tilelab
