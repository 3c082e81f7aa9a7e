// SPDX-License-Identifier: Apache-2.0
// %map in columns, or stacked on a narrow page.
#include <algorithm>
#include <map>

#include "core/support/escape.h"
#include "core/support/text.h"
#include "core/support/width.h"
#include "views/highlight.h"
#include "views/json.h"
#include "views/map_view.h"

namespace tilelab {
namespace {

using Column = std::vector<StyledText>;  // line by line

constexpr size_t kTwoColumns = 90, kThreeColumns = 150;  // page widths
constexpr size_t kNumber = 5;                            // width of a line number

constexpr std::string_view kRule = "    |";  // prefix of code on a narrow page

std::string number_text(uint32_t number) {
  const std::string text = number ? std::to_string(number) : "";
  return std::string(text.size() < kNumber ? kNumber - text.size() : 0, ' ') + text + "  ";
}

/// Adds `code` with `head` before its first line, within `columns`.
void add_code(const std::string& head, Style role, const std::string& code, Language language,
              size_t columns, Column& out) {
  std::string front = head;
  for (const WrappedPart& part : wrap_line(code, language, columns - head.size())) {
    StyledText line;
    line.add(front, role).add(part.margin);
    line.append(highlight(code.substr(part.begin, part.end - part.begin), language));
    out.push_back(std::move(line));
    front.assign(front.size(), ' ');
  }
}

Column source_of(const MapRow& row, size_t columns) {
  Column out;
  add_code(number_text(row.line), Style::strong, row.source, Language::python, columns, out);
  return out;
}

Column ir_of(const MapRow& row, const std::string& head, size_t columns) {
  Column out;
  for (const std::string& line : row.ir)
    add_code(head, Style::dim, line, Language::python, columns, out);
  return out;
}

Column code_of(const MapRow& row, size_t columns) {
  Column out;
  for (const MappedCode& line : row.code)
    add_code(number_text(line.number), Style::dim, line.text, Language::c, columns, out);
  if (!row.gone.empty()) {
    const std::string text = std::string(kNumber + 2, ' ') + "removed by " + row.gone;
    for (const WrappedPart& part : wrap_line(text, Language::c, columns))
      out.emplace_back().add(part.margin + text.substr(part.begin, part.end - part.begin),
                             Style::dim);
  }
  return out;
}

void append(Column& to, const Column& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Columns side by side, each `width` wide, separated by a rule.
void write_columns(const std::vector<Column>& columns, size_t width, StyledText& out) {
  size_t lines = 0;
  for (const Column& column : columns) lines = std::max(lines, column.size());
  for (size_t i = 0; i < lines; ++i) {
    for (size_t c = 0; c < columns.size(); ++c) {
      const bool last = c + 1 == columns.size();
      size_t used = 0;
      if (i < columns[c].size()) {
        out.append(columns[c][i]);
        used = size_t(display_width(columns[c][i].plain()));
      }
      if (last) break;
      out.add(std::string(width > used ? width - used : 0, ' '));
      const bool empty = i >= columns.back().size() && c + 2 == columns.size();
      out.add(empty ? " |" : " | ", Style::dim);
    }
    out.add("\n");
  }
}

void write_row(const MapRow& row, StyledText& out) {
  const size_t page = page_columns();
  const std::string margin(kNumber + 2, ' ');
  if (page >= kThreeColumns) {
    const size_t width = (page - 6) / 3;
    write_columns({source_of(row, width), ir_of(row, "", width), code_of(row, width)}, width, out);
    return;
  }
  if (page >= kTwoColumns) {
    const size_t width = (page - 3) / 2;
    Column left = source_of(row, width);
    append(left, ir_of(row, "    ir ", width));
    write_columns({std::move(left), code_of(row, width)}, width, out);
    return;
  }
  Column all = source_of(row, page);
  append(all, ir_of(row, "    ir ", page));
  for (const StyledText& line : code_of(row, page - kRule.size())) {
    StyledText marked;  // otherwise numbers of source and code would share a column
    marked.add(kRule, Style::dim).append(line);
    all.push_back(std::move(marked));
  }
  write_columns({std::move(all)}, page, out);
}

void write_head(const KernelMap& map, const std::string& what, StyledText& out) {
  const bool narrow = map.kernel.size() + what.size() + 5 > page_columns();
  out.add("  " + map.kernel, Style::strong);
  out.add((narrow ? "\n" : " ") + wrap_code("  " + what, Language::c), Style::dim);
}

constexpr const char* kBands[] = {"", "background-color:rgba(128,128,128,0.1)"};

/// A cell of the page.
std::string html_cell(const Column& lines) {
  StyledText all;
  for (const StyledText& line : lines) all.append(line).add("\n");
  return "<td style=\"text-align:left;vertical-align:top;padding:1px 8px\">" +
         html_pre(all.html()) + "</td>";
}

std::string html_table(const std::vector<std::string>& heads,
                       const std::vector<std::vector<Column>>& rows) {
  std::string out = "<table style=\"border-collapse:collapse;font-size:85%\"><tr>";
  for (const std::string& head : heads)
    out += "<th style=\"text-align:left;padding:1px 8px\">" + html_text(head) + "</th>";
  out += "</tr>\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    out += std::string("<tr style=\"") + kBands[r % 2] + "\">";
    for (const Column& cell : rows[r]) out += html_cell(cell);
    out += "</tr>\n";
  }
  return out + "</table>";
}

// Columns of a cell: three of them fit a page of 1100 pixels. Wider content is invisible, since
// pages hide horizontal scroll bars.
constexpr size_t kHtmlColumns = 48, kHtmlColumnsOfTwo = 80;

}  // namespace

Shown shown_by_source(const KernelMap& map) {
  StyledText out;
  write_head(map, "source, IR " + map.stage + ", generated code", out);
  std::vector<std::vector<Column>> rows;
  for (const MapRow& row : map.rows) {
    write_row(row, out);
    rows.push_back(
        {source_of(row, kHtmlColumns), ir_of(row, "", kHtmlColumns), code_of(row, kHtmlColumns)});
  }
  return {out.plain(), out.ansi(),
          "<div><b>" + html_text(map.kernel) + "</b>" +
              html_table({"source", "IR " + map.stage, "generated code"}, rows) + "</div>",
          json_of(map)};
}

/// Lines of code in order; the source line is shown where it changes.
Shown shown_by_code(const KernelMap& map) {
  std::map<uint32_t, const MapRow*> sources;
  for (const MapRow& row : map.rows) sources[row.line] = &row;
  const size_t page = page_columns();
  const bool beside = page >= kTwoColumns;
  const size_t left = beside ? page * 2 / 5 : page;
  StyledText out;
  write_head(map, "generated code, source", out);
  std::vector<std::vector<Column>> rows;
  for (size_t i = 0; i < map.code.size();) {
    const uint32_t line = map.code[i].source;
    Column source, code, wide_code;
    if (sources.count(line)) source = source_of(*sources.at(line), left);
    for (; i < map.code.size() && map.code[i].source == line; ++i) {
      const MappedCode& one = map.code[i];
      add_code(number_text(one.number), Style::dim, one.text, Language::c,
               beside ? page - left - 3 : page, code);
      add_code(number_text(one.number), Style::dim, one.text, Language::c, kHtmlColumnsOfTwo,
               wide_code);
    }
    rows.push_back({source, std::move(wide_code)});
    if (beside) {
      write_columns({std::move(source), std::move(code)}, left, out);
    } else {
      append(source, code);
      write_columns({std::move(source)}, left, out);
    }
  }
  return {out.plain(), out.ansi(),
          "<div><b>" + html_text(map.kernel) + "</b>" +
              html_table({"source", "generated code"}, rows) + "</div>",
          json_of(map)};
}

}  // namespace tilelab
