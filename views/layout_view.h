// SPDX-License-Identifier: Apache-2.0
// The model of %layout: which thread, register or address holds each element, and the inverse. Text
// (at most 100 columns), HTML and JSON are written from it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/enums.h"
#include "core/layout/banks.h"
#include "core/layout/forward.h"
#include "core/layout/recognize.h"

namespace tilelab {

/// A layout with the context that gives its numbers a meaning. Fragments: `lanes` of a warp; shared
/// buffers: `at` bytes into the arena, swizzle, banks.
struct LayoutSubject {
  std::string name;
  DType dtype = DType::f32;
  Pairs pairs = Pairs::none;  // what an element, a byte, holds two of
  AnyLayout layout;
  int64_t lanes = 32;
  int64_t at = 0;
  BankModel banks;
  int64_t replicas = 1;  // of a table, which holds the first one
};
/// The subject of a digit layout.
LayoutSubject layout_subject(std::string name, DType dtype, Layout layout, Swizzle swizzle = {});
/// The subject of any map, with or without digits. `problem` if an element is not mapped.
std::optional<LayoutSubject> layout_subject(std::string name, DType dtype, const ForwardMap& map,
                                            std::string* problem);

/// A query in addition to the picture; at most one of element, thread and address.
struct LayoutQuery {
  std::optional<Index> element;
  std::optional<int64_t> thread;
  std::optional<int64_t> address;  // bytes in the arena
  bool banks = false;
  /// [lo, hi) of each dimension: the visible part of the picture; hi -1: to the end. Empty: the
  /// first rows and columns.
  std::vector<std::pair<int64_t, int64_t>> window = {};
  bool offsets = false;  // the picture of a shared buffer shows offsets in elements, not banks
};

struct LayoutView {
  struct DigitRow {
    size_t dim;
    std::string index;  // "i0 // 16 % 8"
    Digit digit;
    std::string moves;  // "register + 8 each"
  };
  struct Cell {
    int64_t number = 0;  // thread, bank or offset
    int64_t reg = -1;    // register; -1 in memory
    std::string place;   // "thread 8, register 13", "byte 96, bank 24"
    int64_t byte = -1;   // -1 in registers
  };
  struct Grid {
    std::string what;  // "thread:register", "bank", "offset"
    int64_t first_row = 0, first_col = 0, rows = 0, cols = 0, all_rows = 0, all_cols = 0;
    std::vector<Cell> cells;  // rows x cols, the window shown
    Index lead, all_lead;     // indices of the dimensions before the last two, and their extents
    /// One-dimensional: lines of `cols` elements from `first_col` on, the last one shorter;
    /// `all_cols` is its extent.
    bool vector = false;
    bool has(int64_t row, int64_t col) const { return row * cols + col < int64_t(cells.size()); }
    /// The end of the visible elements of a vector.
    int64_t end() const { return first_col + int64_t(cells.size()); }
  };
  /// A requested element, or an element at a requested location; -1 where not applicable.
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
  std::vector<Held> held;  // the data of the answers, complete
  Grid grid;
  std::vector<Grid> more;  // at further indices of the leading dimensions
  bool whole = false;      // a window was requested: write all of it
  std::vector<BankLine> banks;
};

/// `problem` instead of a view if the query is out of range.
std::optional<LayoutView> view_layout(const LayoutSubject& subject, const LayoutQuery& query,
                                      std::string* problem = nullptr);
/// The difference of two layouts: the first differing element, in row-major order, with both
/// locations, and their number. `problem` if the shapes differ.
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

/// The picture as a stand-alone figure: every grid of the view, one below the other.
std::string layout_svg(const LayoutView& view);

/// With `ansi` the grid is colored (256 colors).
std::string layout_text(const LayoutView& view, bool ansi = false);
/// Inline styles only; readable on light and dark backgrounds; no script.
std::string layout_html(const LayoutView& view);
/// The picture for paper.
std::string layout_latex(const LayoutView& view);

/// Shared by the pictures: "RRGGBB" of a thread or bank, the text of a cell ("8:13" is register 13
/// of thread 8), and the caption of a grid.
std::string layout_cell_text(const LayoutView::Cell& cell);
std::string layout_color(int64_t number);
std::string layout_cycles_words(const BankReport& report);
std::string layout_grid_words(const LayoutView::Grid& grid);
/// The label of a line: its row, or the index of the first element of a vector's line.
std::string layout_row_number(const LayoutView::Grid& grid, int64_t row);

/// A vector in at most `most_rows` lines of `cols` elements.
LayoutView::Grid layout_cut(const LayoutView::Grid& grid, int64_t cols, int64_t most_rows);

}  // namespace tilelab
