// SPDX-License-Identifier: Apache-2.0
// What %layout shows: who holds what, both ways. One model; text (at most 100 columns), HTML and
// JSON are written from it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/dtype.h"
#include "core/layout/banks.h"
#include "core/layout/forward.h"
#include "core/layout/recognize.h"

namespace tilelab {

/// A layout with what gives its numbers a meaning. Fragments: `lanes` of a warp; shared buffers:
/// `at` bytes into the arena, swizzle, banks.
struct LayoutSubject {
  std::string name;
  DType dtype = DType::f32;
  AnyLayout layout;
  int64_t lanes = 32;
  int64_t at = 0;
  BankModel banks;
  int64_t replicas = 1;  // of a table, which has the first one's places
};
/// The subject of a digit layout.
LayoutSubject layout_subject(std::string name, DType dtype, Layout layout, Swizzle swizzle = {});
/// The subject of any map, with digits or without. `problem` where an element has no place.
std::optional<LayoutSubject> layout_subject(std::string name, DType dtype, const ForwardMap& map,
                                            std::string* problem);

/// What is asked besides the picture; at most one of element, thread and address.
struct LayoutQuery {
  std::optional<Index> element;
  std::optional<int64_t> thread;
  std::optional<int64_t> address;  // bytes in the arena
  bool banks = false;
  /// [lo, hi) of each dimension, what of the picture is shown; hi -1: to the end. Empty: its first
  /// rows and columns.
  std::vector<std::pair<int64_t, int64_t>> window = {};
};

struct LayoutView {
  struct DigitRow {
    size_t dim;
    std::string index;  // "i0 // 16 % 8"
    Digit digit;
    std::string moves;  // "register + 8 each"
  };
  struct Cell {
    int64_t number = 0;  // thread, or bank
    int64_t reg = -1;    // register; -1 in memory
    std::string place;   // "thread 8, register 13", "byte 96, bank 24"
    int64_t byte = -1;   // -1 in registers
  };
  struct Grid {
    std::string what;  // "thread", "bank"
    int64_t first_row = 0, first_col = 0, rows = 0, cols = 0, all_rows = 0, all_cols = 0;
    std::vector<Cell> cells;  // rows x cols, the window shown
    Index lead, all_lead;     // indices of the dimensions before the last two, and their extents
    /// Of one dimension: lines of `cols` elements from `first_col` on, the last one shorter;
    /// `all_cols` is its extent.
    bool vector = false;
    bool has(int64_t row, int64_t col) const { return row * cols + col < int64_t(cells.size()); }
    /// Behind the last element of a vector that is shown.
    int64_t end() const { return first_col + int64_t(cells.size()); }
  };
  /// An element that was asked for, or that is where was asked for; -1 where it has no such place.
  struct Held {
    Index element;
    int64_t thread = -1, reg = -1, byte = -1, bank = -1;
  };
  struct BankLine {
    std::string access;
    BankReport report;
  };

  std::string title, summary, digits_text;
  std::vector<DigitRow> digits;
  std::vector<std::string> notes, answers;
  std::vector<Held> held;  // what the answers say, all of it
  Grid grid;
  std::vector<Grid> more;  // at further indices of the dimensions before the last two
  bool whole = false;      // a window was asked for: all of it is written
  std::vector<BankLine> banks;
};

/// `problem` instead of a view if the query is out of range.
std::optional<LayoutView> view_layout(const LayoutSubject& subject, const LayoutQuery& query,
                                      std::string* problem = nullptr);
/// Where two layouts differ: the first element, in row-major order, with both its places, and how
/// many there are. `problem` where their shapes do.
struct LayoutDifference {
  std::string a, b;  // names
  bool equal = false;
  Index first;
  std::string in_a, in_b;  // places
  int64_t count = 0, elements = 0;
};
std::optional<LayoutDifference> compare_layouts(const LayoutSubject& a, const LayoutSubject& b,
                                                std::string* problem);
std::string difference_text(const LayoutDifference& difference);

/// The picture as a figure on its own: every grid of the view, one below the other.
std::string layout_svg(const LayoutView& view);

/// With `ansi` the grid is coloured (256 colours).
std::string layout_text(const LayoutView& view, bool ansi = false);
/// Inline styles only; readable on light and dark ground; no script.
std::string layout_html(const LayoutView& view);
/// The picture for a page of paper.
std::string layout_latex(const LayoutView& view);

/// What the pictures share: "RRGGBB" of a thread or bank, the text of a cell ("8:13" is register 13
/// of thread 8), and what a grid shows of what.
std::string layout_cell_text(const LayoutView::Cell& cell);
std::string layout_color(int64_t number);
std::string layout_cycles_words(const BankReport& report);
std::string layout_grid_words(const LayoutView::Grid& grid);
/// What stands in front of a line: its row, or the first element of a vector's line.
std::string layout_row_number(const LayoutView::Grid& grid, int64_t row);

/// A vector in lines of `cols` elements, at most so many of them.
LayoutView::Grid layout_cut(const LayoutView::Grid& grid, int64_t cols, int64_t most_rows);

}  // namespace tilelab
