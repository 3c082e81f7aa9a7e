// SPDX-License-Identifier: Apache-2.0
#include "repl/readline_history.h"

#include <stdio.h>  // readline's headers need FILE

#include <cstdlib>
#include <string>
#include <string_view>

#include <readline/history.h>
#include <readline/readline.h>

namespace tilelab {
namespace {

std::string prefix;  // what was before the cursor when the search began
int place = 0;       // of the entry that is shown; history_length: what was typed

void show(const std::string& text) {
  // As an edit that can be undone: nothing that readline holds for a line is thrown away.
  rl_delete_text(0, rl_end);
  rl_point = 0;
  rl_insert_text(text.c_str());
  rl_point = int(prefix.size()) < rl_end ? int(prefix.size()) : rl_end;
}

int search(int step);
int search_backward(int, int) { return search(-1); }
int search_forward(int, int) { return search(1); }

int search(int step) {
  if (rl_last_func != search_backward && rl_last_func != search_forward) {
    prefix.assign(rl_line_buffer, size_t(rl_point));
    place = history_length;
  }
  std::string shown = rl_line_buffer;
  for (int at = place + step; at >= 0 && at < history_length; at += step) {
    HIST_ENTRY* entry = history_get(history_base + at);
    if (!entry || shown == entry->line || std::string(entry->line).rfind(prefix, 0) != 0) continue;
    place = at;
    show(entry->line);
    return 0;
  }
  if (step > 0 && place < history_length) {
    place = history_length;
    show(prefix);
    return 0;
  }
  return rl_ding();
}

void rebind(rl_command_func_t* from, rl_command_func_t* to) {
  for (Keymap map : {emacs_standard_keymap, vi_insertion_keymap, vi_movement_keymap}) {
    char** keys = rl_invoking_keyseqs_in_map(from, map);
    for (char** key = keys; key && *key; ++key) {
      rl_bind_keyseq_in_map(*key, to, map);
      std::free(*key);
    }
    std::free(keys);
  }
}

/// The character that is typed next, all its bytes; "" if it is given up.
std::string typed_character() {
  int key = rl_read_key();
  if (key < ' ') return "";
  std::string text(1, static_cast<char>(key));
  for (int more = key >= 0xf0 ? 3 : key >= 0xe0 ? 2 : key >= 0xc0 ? 1 : 0; more > 0; --more)
    text += static_cast<char>(rl_read_key());
  return text;
}

int to_character(int step) {
  std::string wanted = typed_character();
  for (int at = rl_point + step; !wanted.empty() && at >= 0 && at < rl_end; at += step) {
    if (std::string_view(rl_line_buffer + at, size_t(rl_end - at)).substr(0, wanted.size()) !=
        wanted)
      continue;
    rl_point = at;
    return 0;
  }
  return rl_ding();
}
int to_next_character(int, int) { return to_character(1); }
int to_last_character(int, int) { return to_character(-1); }

}  // namespace

void take_over_searches() {
  for (rl_command_func_t* from : {rl_history_search_backward, rl_history_substr_search_backward,
                                  rl_noninc_reverse_search, rl_noninc_reverse_search_again})
    rebind(from, search_backward);
  for (rl_command_func_t* from : {rl_history_search_forward, rl_history_substr_search_forward,
                                  rl_noninc_forward_search, rl_noninc_forward_search_again})
    rebind(from, search_forward);
  rebind(rl_char_search, to_next_character);
  rebind(rl_backward_char_search, to_last_character);
  rl_bind_keyseq_if_unbound("\\e[5~", search_backward);
  rl_bind_keyseq_if_unbound("\\e[6~", search_forward);
}

}  // namespace tilelab
