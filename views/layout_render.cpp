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

/// Neighbouring numbers get colours that differ; the same number always the same one.
struct Color {
  int red, green, blue;
};
Color color_of(int64_t number) {
  if (number < 0) return {235, 235, 235};
  // Hue by golden-ratio steps over the lanes, lightness by warp: pale, so that black text reads.
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

std::string window_words(const LayoutView::Grid& grid) {
  if (grid.rows == grid.all_rows && grid.cols == grid.all_cols) return "";
  return " (rows " + std::to_string(grid.first_row) + " to " +
         std::to_string(grid.first_row + grid.rows - 1) + " of " + std::to_string(grid.all_rows) +
         ", columns " + std::to_string(grid.first_col) + " to " +
         std::to_string(grid.first_col + grid.cols - 1) + " of " + std::to_string(grid.all_cols) +
         ")";
}

std::string lead_words(const LayoutView::Grid& grid) {
  if (grid.lead.empty()) return "";
  std::vector<std::string> parts;
  for (int64_t i : grid.lead) parts.push_back(std::to_string(i));
  return " at [" + join(parts, ", ") + ", :, :]";
}

/// Columns that do not fit stand below, where all of the grid was asked for.
void grid_text(const LayoutView::Grid& grid, bool whole, bool ansi, std::string& out) {
  constexpr int64_t kFirstRows = 16;
  size_t width = 0;
  for (const auto& cell : grid.cells) width = std::max(width, layout_cell_text(cell).size() + 1);
  const size_t margin = std::to_string(grid.first_row + grid.rows).size() + 3;
  int64_t fit = std::clamp<int64_t>(int64_t((page_columns() - margin) / width), 1, grid.cols);
  if (fit < grid.cols && fit > 4) fit = fit / 4 * 4;
  LayoutView::Grid shown = grid;
  shown.rows = whole ? grid.rows : std::min(grid.rows, kFirstRows);
  for (int64_t from = 0; from < grid.cols; from += fit) {
    shown.first_col = grid.first_col + from, shown.cols = std::min(fit, grid.cols - from);
    out += (from ? "\n" : "") + hanging(layout_grid_words(shown)) + "\n";
    for (int64_t i = 0; i < shown.rows; ++i) {
      out += padded_to(std::to_string(grid.first_row + i), margin - 2, true) + " |";
      for (int64_t j = from; j < from + shown.cols; ++j) {
        const auto& cell = grid.cells[size_t(i * grid.cols + j)];
        const std::string text = padded_to(layout_cell_text(cell), width, true);
        out += ansi ? ansi_cell(text, cell.number) : text;
      }
      out += "\n";
    }
    if (!whole) break;
  }
  if (!whole && (shown.rows < grid.all_rows || shown.cols < grid.all_cols))
    out += "  a slice shows others: [16:32, :]\n";
}

std::string cycles_words(const BankReport& report) {
  if (report.conflict_free()) return "free of conflicts (" + plural(report.cycles, "cycle") + ")";
  return std::to_string(report.cycles) + " cycles instead of " +
         std::to_string(report.transactions) + " (" + std::to_string(report.worst) + "-way)";
}

std::string html_grid(const LayoutView::Grid& grid) {
  std::string out =
      "<p>" + html_text(layout_grid_words(grid)) +
      "</p>\n<table style=\"border-collapse: collapse; font-family: monospace; font-size: 11px\">";
  for (int64_t i = 0; i < grid.rows; ++i) {
    out += "<tr><th style=\"text-align: right\">" + std::to_string(grid.first_row + i) + "</th>";
    for (int64_t j = 0; j < grid.cols; ++j) {
      const auto& cell = grid.cells[i * grid.cols + j];
      out += "<td style=\"background-color: #" + layout_color(cell.number) +
             "; color: #000\" title=\"" + cell.place + "\">" + layout_cell_text(cell) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

}  // namespace

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

std::string layout_grid_words(const LayoutView::Grid& grid) {
  return grid.what + " of each element" + lead_words(grid) + window_words(grid);
}

/// Who asked for one element, thread or address gets the answer alone.
static std::string answers_text(const LayoutView& view) {
  std::string out;
  for (const std::string& answer : view.answers) out += "  " + answer + "\n";
  for (const auto& line : view.banks)
    out += "  " + padded_to(line.access, 42) + cycles_words(line.report) + "\n";
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
    out += "  " + padded_to(line.access, 42) + cycles_words(line.report) + "\n";
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
  bool folded = !view.answers.empty();  // the map and the picture stay at hand behind an answer
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
    out += "<table>\n";
    for (const auto& line : view.banks)
      out += "<tr><td>" + html_text(line.access) + "</td><td>" + cycles_words(line.report) +
             "</td></tr>\n";
    out += "</table>\n";
  }
  out += html_grid(view.grid);
  for (const LayoutView::Grid& grid : view.more) out += html_grid(grid);
  return out + (folded ? "</details>" : "") + "</div>\n";
}

std::string layout_svg(const LayoutView& view) {
  constexpr int64_t kWide = 44, kHigh = 18;
  const LayoutView::Grid& grid = view.grid;
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(grid.cols * kWide) +
      "\" height=\"" + std::to_string(grid.rows * kHigh) +
      "\" font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\">\n<title>" +
      html_text(view.title) + "</title>\n";
  for (int64_t i = 0; i < grid.rows; ++i)
    for (int64_t j = 0; j < grid.cols; ++j) {
      const auto& cell = grid.cells[size_t(i * grid.cols + j)];
      const std::string x = std::to_string(j * kWide), y = std::to_string(i * kHigh);
      out += "<rect x=\"" + x + "\" y=\"" + y + "\" width=\"" + std::to_string(kWide) +
             "\" height=\"" + std::to_string(kHigh) + "\" fill=\"#" + layout_color(cell.number) +
             "\" stroke=\"#fff\"/><text x=\"" + std::to_string(j * kWide + kWide / 2) + "\" y=\"" +
             std::to_string(i * kHigh + 13) + "\">" + layout_cell_text(cell) + "</text>\n";
    }
  return out + "</svg>\n";
}

}  // namespace tilelab
