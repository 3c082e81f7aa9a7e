// SPDX-License-Identifier: Apache-2.0
#include "repl/screen.h"

#include <algorithm>

namespace tilelab {
namespace {

/// Colors of the views (views/shown.cpp), readable on white and on nearly black.
const char* code_of(Ink ink) {
  switch (ink) {
    case Ink::plain: return "";
    case Ink::prompt: return "1;34";
    case Ink::keyword: return "35";
    case Ink::name: return "36";
    case Ink::string: return "33";
    case Ink::number: return "34";
    case Ink::comment:
    case Ink::suggestion: return "90";
    case Ink::bracket: return "1;4;36";
  }
  return "";
}

/// The glyphs from `first` on, with a color sequence per run of one ink.
std::string text_of(const Row& row, size_t first) {
  std::string out;
  Ink ink = Ink::plain;
  for (size_t i = first; i < row.size(); ++i) {
    if (row[i].ink != ink) {
      if (ink != Ink::plain) out += "\033[0m";
      ink = row[i].ink;
      if (ink != Ink::plain) out += std::string("\033[") + code_of(ink) + "m";
    }
    out += row[i].text;
  }
  return ink == Ink::plain ? out : out + "\033[0m";
}

size_t common(const Row& a, const Row& b) {
  size_t n = 0;
  while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
  return n;
}

std::string steps(int count, char direction) {
  if (count <= 0) return "";
  return "\033[" + (count == 1 ? "" : std::to_string(count)) + direction;
}

}  // namespace

int width_of(const Row& row, size_t glyphs) {
  int width = 0;
  for (size_t i = 0; i < glyphs; ++i) width += row[i].width;
  return width;
}

std::string Screen::move_to(size_t row, int column) {
  int down = int(row) - int(row_);
  if (down == 0 && column == column_) return "";
  row_ = row;
  column_ = column;
  // From the first column: terminals disagree on the cursor position after a full row.
  return steps(-down, 'A') + steps(down, 'B') + "\r" + steps(column, 'C');
}

std::string Screen::draw(const Frame& frame) {
  std::string out;
  size_t shown = rows_.size();
  for (size_t i = 0; i < frame.rows.size(); ++i) {
    const Row& wanted = frame.rows[i];
    if (i >= shown) {
      if (i > 0) out += move_to(i - 1, 0) + "\n";
      row_ = i;
      out += text_of(wanted, 0);
      column_ = width_of(wanted, wanted.size());
      continue;
    }
    size_t kept = common(rows_[i], wanted);
    if (kept == wanted.size() && kept == rows_[i].size()) continue;
    out += move_to(i, width_of(wanted, kept)) + text_of(wanted, kept);
    column_ = width_of(wanted, wanted.size());
    if (width_of(rows_[i], rows_[i].size()) > column_) out += "\033[K";
  }
  if (shown > frame.rows.size()) out += move_to(frame.rows.size(), 0) + "\033[J";
  rows_ = frame.rows;
  return out + move_to(frame.cursor_row, frame.cursor_column);
}

std::string Screen::leave(std::string_view mark) {
  if (rows_.empty()) return "";
  // A row is empty after a full one: the new line has begun.
  bool begun = rows_.back().empty() && mark.empty();
  std::string out = std::string(mark) + move_to(rows_.size() - 1, 0) + (begun ? "" : "\n");
  forget();
  return out;
}

std::string Screen::clear() {
  if (rows_.empty()) return "";
  std::string out = move_to(0, 0) + "\033[J";
  forget();
  return out;
}

std::string Screen::clear_resized(int columns) {
  int above = 0;
  for (size_t i = 0; i < row_ && i < rows_.size(); ++i)
    above += std::max(1, (width_of(rows_[i], rows_[i].size()) + columns - 1) / columns);
  forget();
  return steps(above, 'A') + "\r\033[J";
}

}  // namespace tilelab
