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
};
/// The subject of a digit layout.
LayoutSubject layout_subject(std::string name, DType dtype, Layout layout, Swizzle swizzle = {});

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
  };
  struct Grid {
    std::string what;  // "thread", "bank"
    int64_t first_row = 0, first_col = 0, rows = 0, cols = 0, all_rows = 0, all_cols = 0;
    std::vector<Cell> cells;  // rows x cols, the window shown
    Index lead;               // indices of the dimensions before the last two
  };
  struct BankLine {
    std::string access;
    BankReport report;
  };

  std::string title, summary, digits_text;
  std::vector<DigitRow> digits;
  std::vector<std::string> notes, answers;
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

/// The picture as a figure on its own.
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
std::string layout_grid_words(const LayoutView::Grid& grid);

}  // namespace tilelab
