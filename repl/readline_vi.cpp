// SPDX-License-Identifier: Apache-2.0
#include "repl/readline_keys.h"

#include <stdio.h>  // readline's headers need FILE

#include <algorithm>
#include <string>
#include <string_view>

#include <readline/readline.h>

#include "repl/cell_text.h"
#include "repl/readline_history.h"

namespace tilelab {
namespace {

std::string_view cell_text() { return {rl_line_buffer, size_t(rl_end)}; }
size_t here() { return size_t(rl_point); }

std::string killed_lines;  // by the last line command, each with its newline
constexpr int most_times = 10000;

struct Range {
  size_t begin, end;  // whole lines
};

Range lines_from(size_t at, int count) {
  Range range = {line_begin(cell_text(), at), line_end(cell_text(), at)};
  for (; count > 1 && range.end < cell_text().size(); --count)
    range.end = line_end(cell_text(), range.end + 1);
  return range;
}

Range lines_up_from(size_t at, int count) {
  Range range = lines_from(at, 1);
  for (; count > 1 && range.begin > 0; --count)
    range.begin = line_begin(cell_text(), range.begin - 1);
  return range;
}

void to_first_print(size_t line) { rl_point = int(line + indentation(cell_text(), line)); }

/// Adds the lines to readline's kill ring, and deletes them unless they are only yanked.
void kill_lines(Range range, bool keep) {
  killed_lines = std::string(cell_text().substr(range.begin, range.end - range.begin)) + "\n";
  const int cursor = rl_point;
  rl_begin_undo_group();
  rl_point = int(range.end);
  rl_insert_text("\n");
  rl_kill_text(int(range.begin), int(range.end) + 1);
  rl_last_func = nullptr;  // the next kill is separate
  rl_point = int(range.begin);
  if (keep) rl_insert_text(killed_lines.substr(0, killed_lines.size() - 1).c_str());
  rl_end_undo_group();
  rl_point = keep ? cursor : int(range.begin);
}

int delete_lines(Range range) {
  rl_begin_undo_group();
  kill_lines(range, false);
  // With the newline after them, or for the last line the one before.
  if (here() < cell_text().size())
    rl_delete_text(rl_point, rl_point + 1);
  else if (rl_point > 0)
    rl_delete_text(rl_point - 1, rl_point), --rl_point;
  rl_end_undo_group();
  to_first_print(line_begin(cell_text(), here()));
  return 0;
}

int change_lines(Range range, int key) {
  const size_t blanks = indentation(cell_text(), range.begin);
  kill_lines(range, false);
  rl_insert_text(std::string(blanks, ' ').c_str());
  return rl_vi_insertion_mode(1, key);
}

int on_lines(Range range, int key) {
  switch (key) {
    case 'y': return kill_lines(range, true), 0;
    case 'c': return change_lines(range, key);
    default: return delete_lines(range);
  }
}

/// Reads the key of a motion; the count before it multiplies `count`.
int read_motion(int& count) {
  int times = 0, key = rl_read_key();
  for (; (key >= '1' && key <= '9') || (key == '0' && times > 0); key = rl_read_key())
    times = std::min(times * 10 + (key - '0'), most_times);
  if (times == 0) return key;
  count = std::min(std::max(1, count), most_times) * times;
  rl_numeric_arg = count;
  rl_explicit_arg = 1;
  return key;
}

/// An operator followed by a motion. Readline accepts any key after a count as one, even j, which
/// recalls another entry.
int operate(int count, int key, rl_command_func_t* readlines_own) {
  if (!editing().whole_cells || key < 'a') return readlines_own(count, key);
  int motion = read_motion(count);
  if (motion == key) return on_lines(lines_from(here(), count), key);
  if (motion == 'j') return on_lines(lines_from(here(), count + 1), key);
  if (motion == 'k') return on_lines(lines_up_from(here(), count + 1), key);
  if (motion == 'G') return on_lines(lines_from(here(), rl_end + 1), key);
  if (motion < 0) return 0;
  rl_execute_next(motion);
  return readlines_own(count, key);
}

/// Whether the newest kill consists of lines.
bool kill_is_lines() {
  if (killed_lines.empty()) return false;
  const int point = rl_point;
  // A group: readline merges an inserted character with a previously typed one into one change,
  // which would be undone together.
  rl_begin_undo_group();
  rl_yank(1, 0);
  rl_end_undo_group();
  bool same = cell_text().substr(size_t(point), size_t(rl_point - point)) == killed_lines;
  rl_do_undo();
  rl_point = point;
  return same;
}

}  // namespace

int vi_delete_to(int count, int key) { return operate(count, key, rl_vi_delete_to); }
int vi_change_to(int count, int key) { return operate(count, key, rl_vi_change_to); }
int vi_yank_to(int count, int key) { return operate(count, key, rl_vi_yank_to); }

int vi_substitute(int count, int key) {
  if (key != 'S' || !editing().whole_cells) return rl_vi_subst(count, key);
  return on_lines(lines_from(here(), count), 'c');
}

int vi_put(int count, int key) {
  if (!editing().whole_cells || !kill_is_lines()) return rl_vi_put(count, key);
  std::string lines = killed_lines.substr(0, killed_lines.size() - 1);
  const bool below = key == 'p';
  const size_t at = below ? line_end(cell_text(), here()) : line_begin(cell_text(), here());
  rl_point = int(at);
  rl_insert_text((below ? "\n" + lines : lines + "\n").c_str());
  to_first_print(at + below);
  return 0;
}

int vi_redo(int count, int key) {
  if (!editing().whole_cells) return rl_vi_redo(count, key);
  return repeat_change(rl_explicit_arg ? count : 0) ? 0 : rl_ding();
}

int vi_open_below(int, int key) {
  rl_vi_insertion_mode(1, key);
  rl_point = int(line_end(cell_text(), here()));
  return begin_line();
}

int vi_open_above(int, int key) {
  rl_vi_insertion_mode(1, key);
  const size_t begin = line_begin(cell_text(), here());
  const std::string blanks(indentation(cell_text(), begin), ' ');
  rl_point = int(begin);
  rl_insert_text((blanks + "\n").c_str());
  --rl_point;
  return 0;
}

int vi_join_lines(int, int) {
  const size_t end = line_end(cell_text(), here());
  if (end == cell_text().size()) return rl_ding();
  const size_t next = end + 1 + indentation(cell_text(), end + 1);
  rl_begin_undo_group();
  rl_delete_text(int(end), int(next));
  rl_point = int(end);
  if (end < cell_text().size() && cell_text()[end] != '\n') rl_insert_text(" "), --rl_point;
  rl_end_undo_group();
  return 0;
}

int vi_first_line(int, int) { return to_first_print(0), 0; }

int vi_last_line(int count, int key) {
  if (cell_text().find('\n') == std::string_view::npos || !editing().whole_cells)
    return rl_explicit_arg ? rl_vi_fetch_history(count, key) : first_of_history(1, key);
  size_t line = rl_explicit_arg ? 0 : line_begin(cell_text(), cell_text().size());
  for (; count > 1 && line_end(cell_text(), line) < cell_text().size(); --count)
    line = line_end(cell_text(), line) + 1;
  to_first_print(line);
  return 0;
}

}  // namespace tilelab
