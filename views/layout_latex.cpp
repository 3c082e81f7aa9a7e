// SPDX-License-Identifier: Apache-2.0
// A LayoutView as LaTeX, for notebooks exported to PDF, which drops HTML. Needs xcolor, which
// nbconvert's template loads.
#include <algorithm>

#include "views/layout_view.h"

namespace tilelab {
namespace {

constexpr double kPageWidth = 430, kDigitWidth = 4.2, kCellMargin = 4;  // points, at \scriptsize
constexpr int64_t kPageRows = 32;

std::string latex_text(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '\\': out += "\\textbackslash{}"; break;
      case '~': out += "\\textasciitilde{}"; break;
      case '^': out += "\\textasciicircum{}"; break;
      case '#':
      case '$':
      case '%':
      case '&':
      case '_':
      case '{':
      case '}': out += '\\'; [[fallthrough]];
      default: out += c;
    }
  }
  return out;
}

std::string cell_text(const LayoutView::Cell& cell, size_t digits) {
  return "\\colorbox[HTML]{" + layout_color(cell.number) + "}{\\makebox[" +
         std::to_string(int(double(digits) * kDigitWidth + 1)) + "pt][r]{" +
         layout_cell_text(cell) + "}}";
}

std::string grid_latex(const LayoutView::Grid& whole) {
  size_t digits = 1;
  for (const auto& cell : whole.cells) digits = std::max(digits, layout_cell_text(cell).size());
  auto fit = int64_t(kPageWidth / (double(digits) * kDigitWidth + 1 + kCellMargin)) - 1;
  const LayoutView::Grid grid =
      whole.vector ? layout_cut(whole, std::min(whole.cols, fit), kPageRows) : whole;
  int64_t cols = std::min(grid.cols, fit), rows = std::min(grid.rows, kPageRows);
  std::string out = latex_text(layout_grid_words(grid));
  if (cols < grid.cols || rows < grid.rows)
    out += "; of these " + std::to_string(rows) + " rows and " + std::to_string(cols) + " columns";
  out += "\\\\\n{\\scriptsize\\setlength{\\fboxsep}{1pt}\\setlength{\\tabcolsep}{0pt}%\n";
  out += "\\begin{tabular}{r@{\\ }*{" + std::to_string(cols) + "}{c}}\n";
  for (int64_t i = 0; i < rows; ++i) {
    out += layout_row_number(grid, i);
    for (int64_t j = 0; j < cols && grid.has(i, j); ++j)
      out += " & " + cell_text(grid.cells[size_t(i * grid.cols + j)], digits);
    out += " \\\\\n";
  }
  return out + "\\end{tabular}}\n";
}

}  // namespace

std::string layout_latex(const LayoutView& view) {
  std::string out = "\\begin{flushleft}\\ttfamily\\footnotesize\n";
  out += "\\textbf{" + latex_text(view.title) + "} " + latex_text(view.summary) + "\\\\\n";
  if (!view.digits_text.empty()) out += latex_text(view.digits_text) + "\\\\\n";
  for (const auto* lines : {&view.answers, &view.notes})
    for (const std::string& line : *lines) out += latex_text(line) + "\\\\\n";
  for (const auto& line : view.banks)
    out += latex_text(line.access + ": " + layout_cycles_words(line.report)) + "\\\\\n";
  out += grid_latex(view.grid);
  for (const LayoutView::Grid& grid : view.more) out += "\\par\n" + grid_latex(grid);
  return out + "\\end{flushleft}\n";
}

}  // namespace tilelab
