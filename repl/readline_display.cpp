// SPDX-License-Identifier: Apache-2.0
#include "repl/readline_display.h"

#include <stdio.h>  // readline's headers need FILE

#include <algorithm>
#include <string_view>

#include <readline/readline.h>

#include "core/support/width.h"
#include "repl/cell_colors.h"
#include "repl/cell_text.h"
#include "repl/readline_history.h"
#include "repl/readline_keys.h"
#include "repl/screen.h"
#include "repl/signals.h"

namespace tilelab {
namespace {

// Readline has one display per process, and so does this file.
CellDisplay* cell = nullptr;
bool ended = false;  // the cell is finished; readline may still ask to show it
Screen screen;
size_t top = 0;  // the start of the first visible line, if not all lines fit

struct Size {
  int rows, columns;
};

Size terminal_size() {
  Size size = {0, 0};
  rl_get_screen_size(&size.rows, &size.columns);
  return {std::max(1, size.rows), std::max(1, size.columns)};
}

constexpr int tab_width = 8;

/// The glyph of the character at `at`, in that column of the line; advances `at`.
Glyph next_glyph(std::string_view text, size_t& at, int column) {
  auto byte = static_cast<unsigned char>(text[at]);
  size_t begin = at;
  if (byte == '\t') {
    int blanks = tab_width - column % tab_width;
    return ++at, Glyph{std::string(size_t(blanks), ' '), blanks};
  }
  if (byte < ' ' || byte == 0x7f) return ++at, Glyph{{'^', char(byte ^ 0x40)}, 2};
  char32_t c = next_char(text, at);
  if (c != 0xfffd && (byte < 0x80 || MB_CUR_MAX > 1))
    return {std::string(text.substr(begin, at - begin)), char_width(c)};
  at = begin + 1;
  char octal[8];
  std::snprintf(octal, sizeof octal, "\\%03o", unsigned(byte));
  return {octal, 4};
}

/// Breaks glyphs into rows as wide as the terminal.
class Layout {
 public:
  explicit Layout(int columns) : columns_(columns) {}

  void begin_row() {
    frame_.rows.emplace_back();
    column_ = 0;
  }

  void add(Glyph glyph) {
    if (glyph.width == 0 && !frame_.rows.back().empty()) {
      frame_.rows.back().back().text += glyph.text;
      return;
    }
    glyph.width = std::max(1, glyph.width);
    if (column_ > 0 && column_ + glyph.width > columns_) begin_row();
    column_ += glyph.width;
    frame_.rows.back().push_back(std::move(glyph));
  }

  void add(std::string_view text, Ink ink) {
    for (size_t at = 0; at < text.size();) {
      Glyph glyph = next_glyph(text, at, column_);
      glyph.ink = ink;
      add(std::move(glyph));
    }
  }

  int column() const { return column_; }

  void set_cursor() {
    if (column_ >= columns_) begin_row();
    frame_.cursor_row = frame_.rows.size() - 1;
    frame_.cursor_column = column_;
  }

  size_t rows() const { return frame_.rows.size(); }
  Frame take() { return std::move(frame_); }

 private:
  Frame frame_;
  int columns_, column_ = 0;
};

/// Readline's prompt without escape sequences and their markers.
std::string visible(std::string_view prompt) {
  std::string out;
  bool hidden = false;
  for (char c : prompt) {
    if (c == RL_PROMPT_START_IGNORE || c == RL_PROMPT_END_IGNORE)
      hidden = c == RL_PROMPT_START_IGNORE;
    else if (!hidden)
      out += c;
  }
  return out;
}

/// The prefix of a prompt with `show-mode-in-prompt`.
std::string mode_mark() {
  const char* wanted = rl_variable_value("show-mode-in-prompt");
  if (!wanted || std::string_view(wanted) != "on") return "";
  const char* name = rl_editing_mode == 1                    ? "emacs-mode-string"
                     : rl_get_keymap() == vi_movement_keymap ? "vi-cmd-mode-string"
                                                             : "vi-ins-mode-string";
  const char* mark = rl_variable_value(name);
  return mark ? visible(mark) : "";
}

std::string first_prompt() {
  if (!cell->message.empty()) return cell->message;
  std::string shown = visible(rl_display_prompt ? rl_display_prompt : "");
  return shown == cell->prompt ? mode_mark() + shown : shown;  // otherwise a message of readline
}

struct Drawing {
  std::string_view text;
  size_t cursor;
  std::vector<Ink> inks;
  bool finished;  // hide brackets and suggestion
};

Drawing current(bool finished) {
  Drawing drawing{{rl_line_buffer, size_t(rl_end)}, size_t(rl_point), {}, finished};
  if (!cell->color) {
    drawing.inks.assign(drawing.text.size(), Ink::plain);
    return drawing;
  }
  drawing.inks = inks_of(drawing.text);
  if (finished) return drawing;
  auto pair = bracket_pair(drawing.text, drawing.inks, drawing.cursor);
  if (pair) drawing.inks[pair->first] = drawing.inks[pair->second] = Ink::bracket;
  return drawing;
}

/// Rows of the lines from `begin` on; stops after `rows` rows if the cursor is among them.
Layout lay_out(const Drawing& drawing, size_t begin, int columns, size_t rows) {
  Layout layout(columns);
  bool cursor_set = false;
  for (size_t at = begin;;) {
    layout.begin_row();
    layout.add(at == 0 ? first_prompt() : cell->continuation,
               cell->color ? Ink::prompt : Ink::plain);
    int prompt = layout.column();
    size_t end = line_end(drawing.text, at);
    while (at < end) {
      if (at == drawing.cursor) layout.set_cursor(), cursor_set = true;
      Ink ink = drawing.inks[at];
      Glyph glyph = next_glyph(drawing.text, at, std::max(0, layout.column() - prompt));
      glyph.ink = ink;
      layout.add(std::move(glyph));
    }
    if (at == drawing.cursor) layout.set_cursor(), cursor_set = true;
    if (at == drawing.cursor && !drawing.finished)
      layout.add(visible_suggestion(), Ink::suggestion);
    if (end == drawing.text.size() || (cursor_set && layout.rows() >= rows)) return layout;
    at = end + 1;
  }
}

/// As many rows as the terminal has, including that of the cursor.
Frame part_of(const Drawing& drawing, Size size) {
  auto height = size_t(size.rows);
  top = std::min({line_begin(drawing.text, std::min(top, drawing.text.size())),
                  line_begin(drawing.text, drawing.cursor)});
  // Each line takes at least a row.
  size_t highest = line_begin(drawing.text, drawing.cursor);
  for (size_t n = 1; n < height && highest > 0; ++n)
    highest = line_begin(drawing.text, highest - 1);
  top = std::max(top, highest);
  Layout layout = lay_out(drawing, top, size.columns, height);
  while (layout.rows() < height && top > 0) {
    top = line_begin(drawing.text, top - 1);
    layout = lay_out(drawing, top, size.columns, height);
  }
  Frame frame = layout.take();
  if (frame.cursor_row >= height) {
    size_t above = frame.cursor_row - height + 1;
    frame.rows.erase(frame.rows.begin(), frame.rows.begin() + long(above));
    frame.cursor_row -= above;
  }
  if (frame.rows.size() > height) frame.rows.resize(height);
  return frame;
}

void put(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), rl_outstream);
  std::fflush(rl_outstream);
}

/// Pending keys are processed first: a paste without markers is drawn once.
void redisplay() {
  note_command_end();
  if (!PromptSignals::key_waits()) redraw_cell();
}

}  // namespace

bool can_display_cells() {
  const char *up = rl_get_termcap("up"), *erase = rl_get_termcap("ce");
  return up && erase && std::string_view(erase).rfind("\033[K", 0) == 0;  // an ANSI terminal
}

void set_cell_display(CellDisplay* display) {
  cell = display;
  ended = false;
  screen.forget();
  top = 0;
  rl_redisplay_function = display ? redisplay : rl_redisplay;
}

bool displays_cells() { return cell != nullptr; }

std::string visible_suggestion() {
  return cell && cell->color && cell->message.empty() ? suggestion() : "";
}

void show_message(const std::string& text) {
  if (cell) {
    cell->message = text;
    redisplay();
  } else if (text.empty()) {
    rl_clear_message();
  } else {
    rl_message("%s", text.c_str());
  }
}

void redraw_cell() {
  if (!ended) put(screen.draw(part_of(current(false), terminal_size())));
}

void end_cell(const char* mark) {
  leave_cell(mark);
  ended = true;
}

void leave_cell(const char* mark) {
  cell->message.clear();
  Drawing drawing = current(true);
  drawing.cursor = drawing.text.size();
  Size size = terminal_size();
  Frame all = lay_out(drawing, 0, size.columns, 0).take();
  std::string out;
  if (all.rows.size() > size_t(size.rows)) out = screen.clear();
  out += screen.draw(all);
  put(out + screen.leave(mark));
}

void clear_cell() { put(screen.clear()); }

void clear_screen() {
  screen.forget();
  put("\033[H\033[2J");
  redraw_cell();
}

void forget_cell() { screen.forget(); }

void resize_cell() {
  rl_reset_screen_size();
  put(screen.clear_resized(terminal_size().columns));
}

}  // namespace tilelab
