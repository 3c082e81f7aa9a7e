// SPDX-License-Identifier: Apache-2.0
// A LayoutView as text, HTML and JSON.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/diagnostics/styled.h"
#include "core/support/escape.h"
#include "core/support/text.h"
#include "views/layout_view.h"
#include "views/shown.h"

namespace tilelab {
namespace {

std::string padded_to(std::string text, size_t width, bool right = false) {
  if (text.size() < width) text.insert(right ? 0 : text.size(), width - text.size(), ' ');
  return text;
}

/// Adjacent numbers get different colors; each number always has the same one.
struct Color {
  int red, green, blue;
};
Color color_of(int64_t number) {
  if (number < 0) return {235, 235, 235};
  // Hue by golden-ratio steps over the lanes, lightness by warp: pale, so that black text is
  // readable.
  int64_t hue = number * 222 % 360;
  double light = 0.86 - 0.06 * double(number / 32 % 3);
  double chroma = (1 - std::abs(2 * light - 1)) * 0.75, part = double(hue % 120) / 60.0;
  double mid = chroma * (1 - std::abs(part - 1)), low = light - chroma / 2;
  double r = 0, g = 0, b = 0;
  if (hue < 60)
    r = chroma, g = mid;
  else if (hue < 120)
    r = mid, g = chroma;
  else if (hue < 180)
    g = chroma, b = mid;
  else if (hue < 240)
    g = mid, b = chroma;
  else if (hue < 300)
    r = mid, b = chroma;
  else
    r = chroma, b = mid;
  auto byte = [&](double v) { return int(std::lround((v + low) * 255)); };
  return {byte(r), byte(g), byte(b)};
}

std::string ansi_cell(const std::string& text, int64_t number) {
  Color c = color_of(number);
  int index = 16 + 36 * (c.red * 5 / 255) + 6 * (c.green * 5 / 255) + c.blue * 5 / 255;
  return "\x1b[30;48;5;" + std::to_string(index) + "m" + text + "\x1b[0m";
}

/// Its rows and columns.
bool shows_plane(const LayoutView::Grid& shown) {
  if (shown.vector) return shown.first_col == 0 && shown.end() == shown.all_cols;
  return shown.rows == shown.all_rows && shown.cols == shown.all_cols;
}

bool shows_all(const LayoutView::Grid& shown) {
  return shows_plane(shown) && std::all_of(shown.all_lead.begin(), shown.all_lead.end(),
                                           [](int64_t extent) { return extent == 1; });
}

std::string window_words(const LayoutView::Grid& grid) {
  if (shows_plane(grid)) return "";
  if (grid.vector)
    return " (elements " + std::to_string(grid.first_col) + " to " +
           std::to_string(grid.end() - 1) + " of " + std::to_string(grid.all_cols) + ")";
  return " (rows " + std::to_string(grid.first_row) + " to " +
         std::to_string(grid.first_row + grid.rows - 1) + " of " + std::to_string(grid.all_rows) +
         ", columns " + std::to_string(grid.first_col) + " to " +
         std::to_string(grid.first_col + grid.cols - 1) + " of " + std::to_string(grid.all_cols) +
         ")";
}

std::string lead_words(const LayoutView::Grid& grid) {
  return grid.lead.empty() ? "" : " at [" + join(grid.lead, ", ") + ", :, :]";
}

/// The next window of the same size: the rows below it, otherwise columns to the right, otherwise
/// rows above, otherwise the next leading index.
std::string other_part(const LayoutView::Grid& shown) {
  auto part = [](int64_t from, int64_t size, int64_t all) {
    return std::to_string(from) + ":" + std::to_string(std::min(from + size, all));
  };
  if (shown.vector) {
    const int64_t from = shown.end() < shown.all_cols ? shown.end() : 0;
    return "[" + part(from, shown.end() - shown.first_col, shown.all_cols) + "]";
  }
  const int64_t row = shown.first_row + shown.rows, col = shown.first_col + shown.cols;
  const int64_t next = row < shown.all_rows ? row : 0;
  Index lead = shown.lead;
  if (shows_plane(shown)) advance(lead, shown.all_lead);
  std::string out = "[";
  for (int64_t i : lead) out += std::to_string(i) + ", ";
  if (shows_plane(shown)) return out + ":, :]";
  if (row >= shown.all_rows && col < shown.all_cols)
    return out + ":, " + part(col, shown.cols, shown.all_cols) + "]";
  return out + part(next, shown.rows, shown.all_rows) + ", :]";
}

std::string others_words(const LayoutView::Grid& shown) {
  return "a slice shows others: " + other_part(shown);
}

/// If the whole grid was requested, columns that do not fit are written below.
void grid_text(const LayoutView::Grid& whole_grid, bool whole, bool ansi, std::string& out) {
  constexpr int64_t kFirstRows = 16;
  size_t width = 0;
  for (const auto& cell : whole_grid.cells)
    width = std::max(width, layout_cell_text(cell).size() + 1);
  const size_t margin = layout_row_number(whole_grid, whole_grid.rows).size() + 3;
  int64_t fit = std::clamp<int64_t>(int64_t((page_columns() - margin) / width), 1, whole_grid.cols);
  if (fit < whole_grid.cols && fit > 4) fit = fit / 4 * 4;
  const int64_t most_rows = whole ? INT64_MAX : kFirstRows;
  const LayoutView::Grid grid =
      whole_grid.vector ? layout_cut(whole_grid, fit, most_rows) : whole_grid;
  LayoutView::Grid shown = grid;
  shown.rows = std::min(grid.rows, most_rows);
  for (int64_t from = 0; from < grid.cols; from += fit) {
    if (!grid.vector) shown.first_col = grid.first_col + from;
    shown.cols = std::min(fit, grid.cols - from);
    out += (from ? "\n" : "") + hanging(layout_grid_words(shown)) + "\n";
    for (int64_t i = 0; i < shown.rows; ++i) {
      out += padded_to(layout_row_number(grid, i), margin - 2, true) + " |";
      for (int64_t j = from; j < from + shown.cols && grid.has(i, j); ++j) {
        const auto& cell = grid.cells[size_t(i * grid.cols + j)];
        const std::string text = padded_to(layout_cell_text(cell), width, true);
        out += ansi ? ansi_cell(text, cell.number) : text;
      }
      out += "\n";
    }
    if (!whole) break;
  }
  if (!whole && !shows_all(shown)) out += "  " + others_words(shown) + "\n";
}

/// Columns [from, from + count) of a grid.
std::string html_table(const LayoutView::Grid& grid, int64_t from, int64_t count) {
  std::string out =
      "<table style=\"border-collapse: collapse; font-family: monospace; font-size: 11px\">";
  for (int64_t i = 0; i < grid.rows; ++i) {
    out += "<tr><th style=\"text-align: right\">" + layout_row_number(grid, i) + "</th>";
    for (int64_t j = from; j < from + count && grid.has(i, j); ++j) {
      const auto& cell = grid.cells[size_t(i * grid.cols + j)];
      out += "<td style=\"background-color: #" + layout_color(cell.number) +
             "; color: #000; padding: 2px 3px\" title=\"" + cell.place + "\">" +
             layout_cell_text(cell) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

/// Columns beyond a page of 1100 pixels are written below: pages hide horizontal scroll bars.
std::string html_grid(const LayoutView::Grid& grid) {
  constexpr size_t kPage = 1060, kPadding = 6, kDigit = 7;
  size_t width = 1;
  for (const auto& cell : grid.cells) width = std::max(width, layout_cell_text(cell).size());
  const auto fit = std::max<int64_t>(8, int64_t(kPage / (width * kDigit + kPadding)) / 8 * 8);
  std::string out;
  for (int64_t from = 0; from < grid.cols; from += fit) {
    LayoutView::Grid shown = grid;
    shown.first_col = grid.first_col + from, shown.cols = std::min(fit, grid.cols - from);
    out +=
        "<p>" + html_text(layout_grid_words(shown)) + "</p>\n" + html_table(grid, from, shown.cols);
  }
  return out;
}

}  // namespace

std::string layout_cycles_words(const BankReport& report) {
  if (report.conflict_free()) return "free of conflicts (" + plural(report.cycles, "cycle") + ")";
  return std::to_string(report.cycles) + " cycles instead of " +
         std::to_string(report.transactions) + " (" + std::to_string(report.worst) + "-way)";
}

std::string layout_color(int64_t number) {
  Color c = color_of(number);
  char text[7];
  std::snprintf(text, sizeof text, "%02X%02X%02X", c.red & 255, c.green & 255, c.blue & 255);
  return text;
}

std::string layout_cell_text(const LayoutView::Cell& cell) {
  if (cell.number < 0) return "";
  return std::to_string(cell.number) + (cell.reg < 0 ? "" : ":" + std::to_string(cell.reg));
}

std::string layout_row_number(const LayoutView::Grid& grid, int64_t row) {
  return std::to_string(grid.vector ? grid.first_col + row * grid.cols : grid.first_row + row);
}

LayoutView::Grid layout_cut(const LayoutView::Grid& grid, int64_t cols, int64_t most_rows) {
  LayoutView::Grid out = grid;
  const int64_t all = int64_t(grid.cells.size());
  out.cols = cols;
  out.rows = std::min((all + cols - 1) / cols, most_rows);
  out.cells.resize(size_t(std::min(all, out.rows * cols)));
  return out;
}

std::string layout_grid_words(const LayoutView::Grid& grid) {
  return grid.what + " of each element" + lead_words(grid) + window_words(grid);
}

/// A query for one element, thread or address shows the answer only.
static std::string answers_text(const LayoutView& view) {
  std::string out;
  for (const std::string& answer : view.answers) out += "  " + answer + "\n";
  for (const auto& line : view.banks)
    out += "  " + padded_to(line.access, 42) + layout_cycles_words(line.report) + "\n";
  return out;
}

std::string layout_text(const LayoutView& view, bool ansi) {
  if (!view.answers.empty()) return hanging(answers_text(view));
  std::string out = view.title + "  " + view.summary + "\n";
  if (!view.digits_text.empty()) out += "  " + view.digits_text + "\n";
  if (!view.digits.empty()) {
    out += "\n  " + padded_to("index", 20) + padded_to("digit", 14) + "moves\n";
    for (const auto& row : view.digits) {
      std::string digit = std::string(1, row.digit.kind) + "(" + std::to_string(row.digit.extent) +
                          ", " + std::to_string(row.digit.stride) + ")";
      out += "  " + padded_to(row.index, 20) + padded_to(digit, 14) + row.moves + "\n";
    }
  }
  for (const std::string& note : view.notes) out += "  " + note + "\n";
  if (!view.banks.empty()) out += "\n  bank conflicts of one warp\n";
  for (const auto& line : view.banks)
    out += "  " + padded_to(line.access, 42) + layout_cycles_words(line.report) + "\n";
  out = hanging(out) + "\n";
  grid_text(view.grid, view.whole, ansi, out);
  for (const LayoutView::Grid& grid : view.more) {
    out += "\n";
    grid_text(grid, view.whole, ansi, out);
  }
  return out;
}

std::string layout_html(const LayoutView& view) {
  std::string out = "<div>",
              title = "<b>" + html_text(view.title) + "</b> " + html_text(view.summary);
  for (const std::string& answer : view.answers)
    out += "<div><code style=\"white-space: pre\">" + html_text(answer) + "</code></div>\n";
  bool folded = !view.answers.empty();  // the map and the picture are collapsed after an answer
  out += folded ? "<details><summary>" + title + "</summary>\n" : "<p>" + title + "</p>\n";
  if (!view.digits_text.empty()) out += "<p><code>" + html_text(view.digits_text) + "</code></p>\n";
  if (!view.digits.empty()) {
    out += "<table><tr><th>index</th><th>digit</th><th>moves</th></tr>\n";
    for (const auto& row : view.digits)
      out += "<tr><td><code>" + row.index + "</code></td><td><code>" + row.digit.kind + "(" +
             std::to_string(row.digit.extent) + ", " + std::to_string(row.digit.stride) +
             ")</code></td><td>" + row.moves + "</td></tr>\n";
    out += "</table>\n";
  }
  for (const std::string& note : view.notes) out += "<p>" + html_text(note) + "</p>\n";
  if (!view.banks.empty()) {
    out += "<p>bank conflicts of one warp</p>\n<table>\n";
    for (const auto& line : view.banks)
      out += "<tr><td>" + html_text(line.access) + "</td><td>" + layout_cycles_words(line.report) +
             "</td></tr>\n";
    out += "</table>\n";
  }
  out += html_grid(view.grid);
  if (!view.whole && !shows_all(view.grid)) out += "<p>" + others_words(view.grid) + "</p>\n";
  for (const LayoutView::Grid& grid : view.more) out += html_grid(grid);
  return out + (folded ? "</details>" : "") + "</div>\n";
}

namespace {

constexpr int64_t kCellWide = 44, kCellHigh = 18, kMarginLeft = 40;  // of the figure

std::string svg_text(int64_t x, int64_t y, const char* anchor, const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y + 13) +
         "\" text-anchor=\"" + anchor + "\">" + html_text(text) + "</text>\n";
}

/// A grid below `top`, with its caption, row and column numbers.
std::string svg_grid(const LayoutView::Grid& grid, int64_t top) {
  std::string out = svg_text(4, top, "start", layout_grid_words(grid));
  for (int64_t j = 0; j < grid.cols; ++j)
    out += svg_text(kMarginLeft + j * kCellWide + kCellWide / 2, top + kCellHigh, "middle",
                    std::to_string((grid.vector ? 0 : grid.first_col) + j));
  for (int64_t i = 0; i < grid.rows; ++i) {
    const int64_t y = top + (i + 2) * kCellHigh;
    out += svg_text(kMarginLeft - 6, y, "end", layout_row_number(grid, i));
    for (int64_t j = 0; j < grid.cols && grid.has(i, j); ++j) {
      const auto& cell = grid.cells[size_t(i * grid.cols + j)];
      const int64_t x = kMarginLeft + j * kCellWide;
      out += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
             std::to_string(kCellWide) + "\" height=\"" + std::to_string(kCellHigh) +
             "\" fill=\"#" + layout_color(cell.number) + "\" stroke=\"#fff\"/>" +
             svg_text(x + kCellWide / 2, y, "middle", layout_cell_text(cell));
    }
  }
  return out;
}

}  // namespace

std::string layout_svg(const LayoutView& view) {
  std::string grids;
  int64_t wide = 0, high = 0;
  auto add = [&](const LayoutView::Grid& grid) {
    grids += svg_grid(grid, high);
    wide = std::max({wide, kMarginLeft + grid.cols * kCellWide,
                     16 + 7 * int64_t(layout_grid_words(grid).size())});
    high += (grid.rows + 3) * kCellHigh;
  };
  add(view.grid);
  for (const LayoutView::Grid& grid : view.more) add(grid);
  const std::string size =
      "width=\"" + std::to_string(wide) + "\" height=\"" + std::to_string(high) + "\"";
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
         " font-family=\"monospace\" font-size=\"11\">\n<title>" + html_text(view.title) +
         "</title>\n<rect " + size + " fill=\"#fff\"/>\n" + grids + "</svg>\n";
}

}  // namespace tilelab
