// SPDX-License-Identifier: Apache-2.0
#include "repl/readline_history.h"

#include <stdio.h>  // readline's headers need FILE

#include <cstring>
#include <map>
#include <string_view>

#include <readline/history.h>
#include <readline/readline.h>

#include "repl/cell_text.h"

namespace tilelab {
namespace {

struct Walk {
  bool begun = false;
  std::string prefix, shown;
  int place = 0;                      // of the shown entry; history_length: the new line
  std::map<int, std::string> edited;  // the new line among them
};
Walk walk;

std::string_view entry(int place) {
  HIST_ENTRY* found = history_get(history_base + place);
  return found && found->line ? found->line : "";
}

/// In vi's command mode the cursor may be anywhere, so all entries match.
std::string wanted_prefix() {
  if (rl_get_keymap() == vi_movement_keymap) return "";
  return {rl_line_buffer, size_t(rl_point)};
}

bool step_to_entry(int step) {
  begin_walk();
  std::string text = rl_line_buffer;
  for (int at = walk.place + step; at >= 0 && at <= history_length; at += step) {
    std::string candidate = history_text(at);
    bool fits = candidate.rfind(walk.prefix, 0) == 0 && candidate != text;
    if (!fits && at != history_length) continue;
    show_history_text(at);
    return true;
  }
  return false;
}

int search(int step) {
  if (!step_to_entry(step)) return rl_ding();
  if (int(walk.prefix.size()) < rl_end) rl_point = int(walk.prefix.size());
  return 0;
}

int show_place(int place) {
  begin_walk();
  walk.prefix.clear();
  show_history_text(place);
  return 0;
}

}  // namespace

void begin_history() {
  walk = Walk();
  using_history();
}

int begin_walk() {
  std::string text = rl_line_buffer;
  if (walk.begun && text == walk.shown) return walk.place;
  if (!walk.begun) walk.place = history_length;
  walk.edited[walk.place] = text;
  if (walk.place == history_length) walk.prefix = wanted_prefix();
  walk.begun = true;
  return walk.place;
}

std::string history_text(int place) {
  auto changed = walk.edited.find(place);
  if (changed != walk.edited.end()) return changed->second;
  return place < history_length ? std::string(entry(place)) : "";
}

void show_history_text(int place) {
  walk.place = place;
  walk.shown = history_text(place);
  replace_text(walk.shown);
}

void replace_text(const std::string& text) {
  // As an undoable edit: readline's data for the line are kept.
  rl_begin_undo_group();
  rl_delete_text(0, rl_end);
  rl_point = 0;
  rl_insert_text(text.c_str());
  rl_end_undo_group();
}

int walk_history(int step) {
  if (!step_to_entry(step)) return rl_ding();
  if (step > 0) rl_point = int(line_end(rl_line_buffer, 0));
  return 0;
}

int search_history_backward(int, int) { return search(-1); }
int search_history_forward(int, int) { return search(1); }
int first_of_history(int, int) { return history_length ? show_place(0) : rl_ding(); }
int last_of_history(int, int) { return show_place(history_length); }

bool recalled_from_history() { return walk.begun && walk.place < history_length; }

std::string entry_after_shown() {
  return walk.begun && walk.place + 1 < history_length ? history_text(walk.place + 1) : "";
}

std::string suggestion() {
  std::string_view text(rl_line_buffer, size_t(rl_end));
  if (rl_point != rl_end || rl_get_keymap() == vi_movement_keymap) return "";
  std::string_view typed = text.substr(line_begin(text, text.size()));
  if (only_blanks(typed)) return "";
  for (int place = history_length; place-- > 0;) {
    std::string_view line = entry(place);
    while (!line.empty()) {
      size_t end = line_end(line, 0);
      if (end > typed.size() && std::memcmp(line.data(), typed.data(), typed.size()) == 0)
        return std::string(line.substr(typed.size(), end - typed.size()));
      line.remove_prefix(end < line.size() ? end + 1 : end);
    }
  }
  return "";
}

}  // namespace tilelab
