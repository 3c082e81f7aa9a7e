// SPDX-License-Identifier: Apache-2.0
#include "repl/readline_keys.h"

#include <signal.h>
#include <stdio.h>  // readline's headers need FILE
#include <termios.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <readline/readline.h>

#include "repl/cell_text.h"
#include "repl/editor.h"
#include "repl/readline_display.h"
#include "repl/readline_history.h"

namespace tilelab {
namespace {

std::string_view text() { return {rl_line_buffer, size_t(rl_end)}; }
size_t cursor() { return size_t(rl_point); }

int insert(const std::string& what) {
  rl_insert_text(what.c_str());
  return 0;
}

/// No exception may pass through readline; the prompt abandons the line.
IsComplete is_complete(const std::string& code) {
  try {
    return editing().session->is_complete(code);
  } catch (const Interrupted&) {
    raise(SIGINT);
    return {};
  }
}

// --- Enter ---

bool in_last_line() { return only_blanks(text().substr(line_end(text(), cursor()))); }

/// Whether Enter at the cursor runs the cell. A block typed line by line ends with an empty line;
/// one inserted as a whole (recalled, pasted, loaded) does not need it.
bool enter_runs_cell() {
  if (only_blanks(text()) || rl_get_keymap() == vi_movement_keymap) return true;
  if (!in_last_line()) return false;
  std::string code(text());
  size_t last = line_begin(code, code.size());
  if (last > 0 && only_blanks(code.substr(last))) code.resize(last);
  if (is_complete(code).status != Completeness::incomplete) return true;
  bool in_one_piece = !editing().typed_lines && code.find('\n') != std::string::npos;
  return in_one_piece && is_complete(code + "\n").status == Completeness::complete;
}

int run_cell() {
  if (rl_mark_active_p()) rl_deactivate_mark();
  end_cell("");
  if (rl_editing_mode == 0) rl_vi_movement_mode(1, 0);  // ends an open insertion
  rl_done = 1;
  RL_SETSTATE(RL_STATE_DONE);
  return 0;
}

}  // namespace

int begin_line() {
  std::string_view whole = text();
  if (in_indentation(whole, cursor()) && cursor() > line_begin(whole, cursor())) {
    size_t within = cursor() - line_begin(whole, cursor());
    std::string blanks(whole.substr(line_begin(whole, cursor()), within));
    return insert("\n" + blanks);
  }
  std::string above(whole.substr(0, cursor()));
  IsComplete state = is_complete(above);
  std::string indent = state.status == Completeness::incomplete
                           ? state.indent
                           : std::string(indentation(whole, cursor()), ' ');
  size_t end = cursor();
  while (end < whole.size() && whole[end] == ' ') ++end;
  editing().typed_lines |= end == whole.size();
  rl_begin_undo_group();
  rl_delete_text(rl_point, int(end));
  insert("\n" + indent);
  rl_end_undo_group();
  return 0;
}

namespace {

int enter(int count, int key) {
  if (!editing().whole_cells) return rl_newline(count, key);
  if (paste_continues()) return insert("\n");
  if (repeats_change()) return begin_line();
  bool runs = enter_runs_cell();
  if (paste_begins(runs)) return insert("\n");
  return runs ? run_cell() : begin_line();
}

/// Alt-Enter: the opposite of Enter.
int enter_inverted(int, int) {
  if (!editing().whole_cells) return insert("\n");
  return enter_runs_cell() ? begin_line() : run_cell();
}

/// Ctrl-O: runs the cell and prefills the next one with the following history entry.
int run_and_get_next(int count, int key) {
  editing().next = entry_after_shown();
  return editing().whole_cells ? run_cell() : rl_newline(count, key);
}

// --- Lines ---

int wanted_column = 0;  // of a movement over several lines

int move(int step);
int move_up(int, int) { return move(-1); }
int move_down(int, int) { return move(1); }

int move(int step) {
  if (rl_last_func != move_up && rl_last_func != move_down)
    wanted_column = column_of(text(), cursor());
  std::optional<size_t> place = beside(text(), cursor(), step, wanted_column);
  if (place) return rl_point = int(*place), 0;
  int status = walk_history(step);
  wanted_column = column_of(text(), cursor());
  return status;
}

int to_line_begin(int, int) { return rl_point = int(line_begin(text(), cursor())), 0; }
/// In vi's command mode the cursor is on the last character, except when a motion deletes up to it.
int to_line_end(int, int) {
  size_t end = line_end(text(), cursor());
  bool on_last = rl_get_keymap() == vi_movement_keymap && !RL_ISSTATE(RL_STATE_VIMOTION);
  if (on_last && end > line_begin(text(), cursor())) --end;
  return rl_point = int(end), 0;
}
int vi_insert_at_begin(int, int key) { return to_line_begin(1, 0), rl_vi_insert_mode(1, key); }
int vi_append_at_end(int, int key) {
  rl_point = int(line_end(text(), cursor()));
  return rl_vi_insertion_mode(1, key);
}
int vi_zero(int count, int key) {
  bool digit = key != '0' || rl_numeric_arg != 1 || rl_explicit_arg;
  return digit ? rl_vi_arg_digit(count, key) : to_line_begin(1, 0);
}
int vi_first_print(int, int) {
  size_t begin = line_begin(text(), cursor());
  return rl_point = int(begin + indentation(text(), cursor())), 0;
}

/// At the end of a line it deletes the newline.
int kill_to_line_end(int, int) {
  size_t end = line_end(text(), cursor());
  if (end == cursor() && end < text().size()) ++end;
  return rl_kill_text(rl_point, int(end));
}

int kill_to_line_begin(int, int) {
  size_t begin = line_begin(text(), cursor());
  if (begin == cursor() && begin > 0) --begin;
  rl_kill_text(rl_point, int(begin));
  return rl_point = int(begin), 0;
}

// --- Suggestions ---

int forward_or_take(int count, int key) {
  std::string rest = visible_suggestion();
  return rest.empty() ? rl_forward_char(count, key) : insert(rest);
}

int end_or_take(int count, int key) {
  std::string rest = visible_suggestion();
  return rest.empty() ? to_line_end(count, key) : insert(rest);
}

/// Takes a word of the suggestion.
int forward_word_or_take(int count, int key) {
  std::string rest = visible_suggestion();
  if (rest.empty()) return rl_forward_word(count, key);
  constexpr char between[] = " ()[]{}.,:=+-*/'\"";
  size_t begin = std::min(rest.find_first_not_of(between), rest.size());
  return insert(rest.substr(0, std::min(rest.find_first_of(between, begin), rest.size())));
}

// --- Indentation ---

/// Tab indents at the start of a line and completes elsewhere; in a paste it is a character.
int complete_or_indent(int count, int key) {
  if (paste_continues()) return insert("\t");
  if (!in_indentation(text(), cursor())) {
    // The second Tab lists the candidates if the first was readline's own function.
    if (rl_last_func == complete_or_indent) rl_last_func = rl_complete;
    return rl_complete(count, key);
  }
  size_t column = cursor() - line_begin(text(), cursor());
  return insert(std::string(indent_width - column % indent_width, ' '));
}

/// Backspace deletes blanks back to the previous indentation step.
int erase_or_unindent(int count, int key) {
  size_t column = cursor() - line_begin(text(), cursor());
  if (count != 1 || column == 0 || !in_indentation(text(), cursor())) return rl_rubout(count, key);
  int blanks = int((column - 1) % indent_width + 1);
  return rl_delete_text(rl_point - blanks, rl_point), rl_point -= blanks, 0;
}

/// Dedents `else:` and similar to the statement they belong to when their colon is typed.
int insert_and_dedent(int count, int key) {
  rl_insert(count, key);
  if (editing().pasting || line_end(text(), cursor()) != cursor()) return 0;
  std::optional<size_t> wanted = clause_indentation(text(), cursor());
  if (!wanted) return 0;
  size_t begin = line_begin(text(), cursor()), now = indentation(text(), cursor());
  if (*wanted > now) return 0;
  int excess = int(now - *wanted);
  rl_delete_text(int(begin), int(begin) + excess);
  rl_point -= excess;
  return 0;
}

// --- Others ---

/// Ctrl-D (not the Delete key) abandons a block where an empty line would end it.
bool abandons_block(int key) {
  bool offered = rl_end > 0 && editing().offered == rl_line_buffer;
  size_t begin = line_begin(text(), cursor());
  bool empty_last = editing().whole_cells && begin > 0 && only_blanks(text().substr(begin));
  if (key != ('D' & 31) || (!offered && !empty_last)) return false;
  editing().end_wanted = true;
  abandon_line("");
  rl_done = 1;
  return true;
}

int delete_or_end(int count, int key) { return abandons_block(key) ? 0 : rl_delete(count, key); }
int vi_enter_or_end(int count, int key) { return abandons_block(key) ? 0 : enter(count, key); }

/// Ctrl-X Ctrl-E, and v in vi's command mode: opens the cell in the user's editor.
int edit_text(int, int) {
  displays_cells() ? clear_cell() : void(rl_clear_visible_line());
  restore_terminal();
  Edited edited = edit_in_editor(rl_line_buffer);
  prepare_terminal(1);
  if (edited.text) {
    replace_text(*edited.text);
    editing().typed_lines = false;
  } else {
    std::fprintf(rl_outstream, "%s; the cell is unchanged\n", edited.problem.c_str());
  }
  rl_on_new_line();
  rl_forced_update_display();
  return edited.text ? 0 : 1;
}

int clear(int count, int key) {
  if (!displays_cells()) return rl_clear_screen(count, key);
  clear_screen();
  return 0;
}

struct Unbound {
  const char* keys;
  rl_command_func_t* function;
};

struct Replacement {
  rl_command_func_t *from, *to;
};
const Replacement replacements[] = {
    {rl_newline, enter},
    {rl_operate_and_get_next, run_and_get_next},
    {rl_get_previous_history, move_up},
    {rl_get_next_history, move_down},
    {rl_beginning_of_history, first_of_history},
    {rl_end_of_history, last_of_history},
    {rl_history_search_backward, search_history_backward},
    {rl_history_substr_search_backward, search_history_backward},
    {rl_noninc_reverse_search, search_history_backward},
    {rl_noninc_reverse_search_again, search_history_backward},
    {rl_history_search_forward, search_history_forward},
    {rl_history_substr_search_forward, search_history_forward},
    {rl_noninc_forward_search, search_history_forward},
    {rl_noninc_forward_search_again, search_history_forward},
    {rl_reverse_search_history, search_incrementally_backward},
    {rl_forward_search_history, search_incrementally_forward},
    {rl_vi_search, vi_search},
    {rl_vi_search_again, vi_search_again},
    {rl_char_search, to_next_character},
    {rl_backward_char_search, to_last_character},
    {rl_beg_of_line, to_line_begin},
    {rl_end_of_line, end_or_take},
    {rl_vi_insert_beg, vi_insert_at_begin},
    {rl_vi_append_eol, vi_append_at_end},
    {rl_vi_arg_digit, vi_zero},
    {rl_vi_first_print, vi_first_print},
    {rl_vi_delete_to, vi_delete_to},
    {rl_vi_change_to, vi_change_to},
    {rl_vi_yank_to, vi_yank_to},
    {rl_vi_subst, vi_substitute},
    {rl_vi_put, vi_put},
    {rl_vi_redo, vi_redo},
    {rl_vi_fetch_history, vi_last_line},
    {rl_kill_line, kill_to_line_end},
    {rl_unix_line_discard, kill_to_line_begin},
    {rl_backward_kill_line, kill_to_line_begin},
    {rl_forward_char, forward_or_take},
    {rl_forward_word, forward_word_or_take},
    {rl_complete, complete_or_indent},
    {rl_rubout, erase_or_unindent},
    {rl_delete, delete_or_end},
    {rl_vi_eof_maybe, vi_enter_or_end},
    {rl_clear_screen, clear},
    {rl_clear_display, clear},
    {rl_refresh_line, clear},
    {rl_bracketed_paste_begin, begin_paste},
};

void rebind(const Replacement& replacement) {
  for (Keymap map : {emacs_standard_keymap, vi_insertion_keymap, vi_movement_keymap}) {
    char** keys = rl_invoking_keyseqs_in_map(replacement.from, map);
    for (char** key = keys; key && *key; ++key) {
      rl_bind_keyseq_in_map(*key, replacement.to, map);
      std::free(*key);
    }
    std::free(keys);
  }
}

}  // namespace

Editing& editing() {
  static Editing state;
  return state;
}

void bind_keys() {
  for (const Replacement& replacement : replacements) rebind(replacement);
  // Bound to vi mode by default.
  for (const char* alt_enter : {"\033\r", "\033\n"}) {
    rl_command_func_t* bound = rl_function_of_keyseq(alt_enter, nullptr, nullptr);
    if (!bound || bound == rl_vi_editing_mode) rl_bind_keyseq(alt_enter, enter_inverted);
  }
  rl_bind_keyseq_if_unbound("\\C-x\\C-e", edit_text);
  for (auto [name, function] : {Unbound{"v", edit_text},
                                {"o", vi_open_below},
                                {"O", vi_open_above},
                                {"J", vi_join_lines},
                                {"gg", vi_first_line}})
    rl_bind_keyseq_if_unbound_in_map(name, function, vi_movement_keymap);
  rl_bind_keyseq_if_unbound("\\e[5~", search_history_backward);
  rl_bind_keyseq_if_unbound("\\e[6~", search_history_forward);
  rl_bind_keyseq_if_unbound("\\e[200~", begin_paste);
  rl_bind_keyseq_in_map("\033[200~", begin_paste, vi_movement_keymap);
  for (Keymap map : {emacs_standard_keymap, vi_insertion_keymap})
    if (map[int(':')].function == rl_insert) rl_bind_key_in_map(':', insert_and_dedent, map);
}

void abandon_line(const char* mark) {
  if (displays_cells()) {
    end_cell(mark);
    return rl_free_line_state();
  }
  rl_point = rl_end;
  rl_redisplay();
  std::fputs(mark, rl_outstream);
  rl_free_line_state();
  rl_crlf();
}

void restore_terminal() {
#if RL_READLINE_VERSION >= 0x0802
  rl_eof_found = 0;
#endif
  rl_deprep_terminal();
}

void prepare_terminal(int eight_bits) {
  rl_prep_terminal(eight_bits);
  termios mode;
  if (tcgetattr(0, &mode) != 0) return;
  mode.c_cc[VMIN] = mode.c_cc[VTIME] = 0;
  mode.c_iflag &= ~tcflag_t(IXON);  // Ctrl-S is a key
  tcsetattr(0, TCSANOW, &mode);
}

}  // namespace tilelab
