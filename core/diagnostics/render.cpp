// SPDX-License-Identifier: Apache-2.0
#include "core/diagnostics/render.h"

#include <algorithm>

#include "core/support/text.h"
#include "core/support/width.h"

namespace tilelab {
namespace {

constexpr int tab_width = 4;

/// A location to mark in the source.
struct Mark {
  Span span;
  std::string text;
  bool primary = false;
};

/// A source line for display: tabs expanded, control characters replaced, long lines clipped.
struct ShownLine {
  std::string text;
  std::vector<int> columns;  // display column (from 0) of each byte, and of the end
  int cut = 0;               // columns clipped at the left

  int column(uint32_t byte) const {
    size_t i = std::min<size_t>(byte ? byte - 1 : 0, columns.size() - 1);
    return std::max(columns[i] - cut, 0);
  }
};

ShownLine show(const std::string& source) {
  ShownLine shown;
  int column = 0;
  for (size_t at = 0; at < source.size();) {
    size_t begin = at;
    char32_t c = next_char(source, at);
    shown.columns.resize(at, column);
    if (c == '\t') {
      int width = tab_width - column % tab_width;
      shown.text.append(static_cast<size_t>(width), ' ');
      column += width;
    } else if (c == 0xfffd || c < 0x20 || (c >= 0x7f && c < 0xa0)) {
      shown.text += c == '\r' ? "" : "\xef\xbf\xbd";
      column += c != '\r';
    } else {
      shown.text.append(source, begin, at - begin);
      column += char_width(c);
    }
  }
  shown.columns.push_back(column);
  return shown;
}

/// Drops `columns` display columns from the start of `text`.
std::string_view drop_columns(std::string_view text, int columns) {
  size_t at = 0;
  while (columns > 0 && at < text.size()) columns -= char_width(next_char(text, at));
  return text.substr(at);
}

std::string_view take_columns(std::string_view text, int columns) {
  size_t at = 0;
  while (at < text.size()) {
    size_t next = at;
    columns -= char_width(next_char(text, next));
    if (columns < 0) break;
    at = next;
  }
  return text.substr(0, at);
}

/// Clips a line that is wider than `room` so that column `first` remains visible.
void fit(ShownLine& shown, int room, int first) {
  if (display_width(shown.text) <= room) return;
  if (first > room * 2 / 3) {
    shown.cut = first - room / 3 - 1;
    shown.text = "…" + std::string(drop_columns(shown.text, shown.cut + 1));
  }
  if (display_width(shown.text) > room)
    shown.text = std::string(take_columns(shown.text, room - 1)) + "…";
}

int digits(uint32_t n) { return n < 10 ? 1 : 1 + digits(n / 10); }

/// Writes the marked lines of one file.
class Excerpt {
 public:
  Excerpt(StyledText& out, int gutter) : out_(out), gutter_(gutter) {}

  void file(const std::string& name, uint32_t line) {
    out_.add(std::string(static_cast<size_t>(gutter_), ' ') + "--> ", Style::gutter);
    out_.add(name + ", line " + std::to_string(line) + "\n");
  }

  void line(uint32_t number, const std::string& source, std::vector<Mark> marks) {
    ShownLine shown = show(source);
    std::vector<Placed> placed;
    for (const Mark& mark : marks) placed.push_back(place(mark, shown));
    int first = placed.front().begin;
    for (const Placed& p : placed)
      if (p.mark.primary) first = p.begin;
    fit(shown, int(page_columns()) - gutter_ - 4, first);
    for (size_t i = 0; i < marks.size(); ++i) placed[i] = place(marks[i], shown);
    std::string label = std::to_string(number);
    label.insert(0, static_cast<size_t>(gutter_) + 1 - label.size(), ' ');
    out_.add(label + " | ", Style::gutter).add(shown.text + "\n");
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    markers(placed);
    hanging(placed);
  }

  void gap() {
    out_.add(std::string(static_cast<size_t>(gutter_) - 1, ' ') + "...\n", Style::gutter);
  }

 private:
  struct Placed {
    Mark mark;
    int begin = 0, end = 0;
  };

  static Placed place(const Mark& mark, const ShownLine& shown) {
    int last = shown.columns.back() - shown.cut;
    int begin = shown.column(mark.span.col);
    if (mark.span.col == 0)  // the whole line
      begin = static_cast<int>(shown.text.find_first_not_of(' ') + 1) - 1;
    bool to_end = mark.span.end_line != mark.span.line || mark.span.end_col == 0;
    int end = to_end ? last : shown.column(mark.span.end_col);
    begin = std::max(begin, 0);
    return {mark, begin, std::clamp(end, begin + 1, std::max(begin + 1, int(page_columns()) - 8))};
  }

  void bar() {
    out_.add(std::string(static_cast<size_t>(gutter_) + 1, ' ') + " | ", Style::gutter);
  }

  static Style style(const Placed& p) { return p.mark.primary ? Style::primary : Style::secondary; }

  /// The line of ^ and ~, followed by the text of the rightmost mark, which is then cleared.
  void markers(std::vector<Placed>& placed) {
    int width = 0;
    for (const Placed& p : placed) width = std::max(width, p.end);
    std::vector<const Placed*> owner(static_cast<size_t>(width), nullptr);
    std::vector<const Placed*> wide_first;
    for (const Placed& p : placed) wide_first.push_back(&p);
    std::stable_sort(wide_first.begin(), wide_first.end(), [](const Placed* a, const Placed* b) {
      return a->end - a->begin > b->end - b->begin;
    });
    for (const Placed* p : wide_first)
      std::fill(owner.begin() + p->begin, owner.begin() + p->end, p);
    bar();
    for (const Placed* p : owner)
      out_.add(!p ? " " : p->mark.primary ? "^" : "~", p ? style(*p) : Style::plain);
    Placed& last = placed.back();
    if (last.end == width && !last.mark.text.empty()) {
      out_.add(" " + last.mark.text, style(last));
      last.mark.text.clear();
    }
    out_.add("\n");
  }

  /// The other texts, right to left, each below the start of its mark.
  void hanging(const std::vector<Placed>& placed) {
    for (size_t i = placed.size(); i-- > 0;) {
      if (placed[i].mark.text.empty()) continue;
      bar();
      int at = 0;
      for (size_t j = 0; j < i; ++j) {
        if (placed[j].mark.text.empty() || placed[j].begin < at ||
            placed[j].begin >= placed[i].begin)
          continue;
        out_.add(std::string(static_cast<size_t>(placed[j].begin - at), ' '));
        out_.add("|", style(placed[j]));
        at = placed[j].begin + 1;
      }
      out_.add(std::string(static_cast<size_t>(std::max(placed[i].begin - at, 0)), ' '));
      out_.add(placed[i].mark.text + "\n", style(placed[i]));
    }
  }

  StyledText& out_;
  int gutter_;
};

std::vector<Mark> marks_of(const Diagnostic& d) {
  std::vector<Mark> marks;
  if (d.span.known()) marks.push_back({d.span, d.span_text, true});
  for (const Label& label : d.labels)
    if (label.span.known()) marks.push_back({label.span, label.text, false});
  return marks;
}

/// Source excerpts: the primary file first, then the others in order of mention.
void render_excerpts(const Diagnostic& d, StyledText& out) {
  std::vector<Mark> marks = marks_of(d);
  uint32_t largest = 0;
  for (const Mark& mark : marks) largest = std::max(largest, mark.span.line);
  Excerpt excerpt(out, std::max(2, digits(largest)));
  while (!marks.empty()) {
    FileId file = marks.front().span.file;
    excerpt.file(source_name(file), marks.front().span.line);
    auto others = std::stable_partition(marks.begin(), marks.end(),
                                        [&](const Mark& m) { return m.span.file == file; });
    std::vector<Mark> here(marks.begin(), others);
    marks.erase(marks.begin(), others);
    std::stable_sort(here.begin(), here.end(),
                     [](const Mark& a, const Mark& b) { return a.span.line < b.span.line; });
    uint32_t previous = 0;
    for (auto begin = here.begin(); begin != here.end();) {
      uint32_t number = begin->span.line;
      auto end =
          std::find_if(begin, here.end(), [&](const Mark& m) { return m.span.line != number; });
      if (previous && number > previous + 1) excerpt.gap();
      std::string source = source_line(file, number);
      if (!source.empty()) excerpt.line(number, source, {begin, end});
      previous = number;
      begin = end;
    }
  }
}

std::string padded(std::string text, int width) {
  text.append(static_cast<size_t>(std::max(width - display_width(text), 0)), ' ');
  return text;
}

/// The locations of a finding: position, source line, event.
void render_places(const Diagnostic& d, StyledText& out) {
  struct Row {
    std::string where, code, text;
  };
  std::vector<Row> rows;
  int where_width = 0, code_width = 0;
  for (const Mark& mark : marks_of(d)) {
    std::string code = show(source_line(mark.span.file, mark.span.line)).text;
    code.erase(0, std::min(code.find_first_not_of(' '), code.size()));
    rows.push_back({source_name(mark.span.file) + ", line " + std::to_string(mark.span.line), code,
                    mark.text});
    where_width = std::max(where_width, display_width(rows.back().where));
    code_width = std::max(code_width, display_width(code));
  }
  for (const Row& row : rows) {
    out.add("  " + padded(row.where, where_width) + "    ", Style::gutter);
    if (row.text.empty())
      out.add(row.code + "\n");
    else
      out.add(padded(row.code, code_width) + "     ").add(row.text + "\n", Style::secondary);
  }
}

Style severity_style(Severity severity) {
  if (severity == Severity::warning) return Style::warning;
  return severity == Severity::note ? Style::note : Style::error;
}

/// "help: text", with continuation lines indented to the start of the text.
void render_remark(const char* kind, Style style, const std::string& text, StyledText& out) {
  out.add(kind, style).add(": ");
  const std::vector<std::string> lines = split(text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) out.add(i ? "\n      " : "").add(lines[i]);
  out.add("\n");
}

}  // namespace

StyledText render(const Diagnostic& d) {
  StyledText out;
  std::string name(info(d.id).name);
  if (d.severity == Severity::finding) {
    out.add(name, severity_style(d.severity)).add(": " + d.message + "\n", Style::strong);
    render_places(d, out);
  } else {
    out.add(std::string(severity_name(d.severity)) + "[" + name + "]", severity_style(d.severity));
    out.add(": " + d.message + "\n", Style::strong);
    render_excerpts(d, out);
  }
  for (const std::string& note : d.notes) render_remark("note", Style::note, note, out);
  for (const std::string& help : helps_of(d)) render_remark("help", Style::help, help, out);
  return out;
}

StyledText render(const Diagnostics& diagnostics) {
  StyledText out;
  bool first = true;
  for (const Diagnostic& d : diagnostics.all()) {
    if (!first) out.add("\n");
    first = false;
    out.append(render(d));
  }
  return out;
}

}  // namespace tilelab
