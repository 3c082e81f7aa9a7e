// SPDX-License-Identifier: Apache-2.0
#include "repl/readline_keys.h"

#include <stdio.h>  // readline's headers need FILE

#include <algorithm>
#include <string>
#include <string_view>

#include <readline/readline.h>

namespace tilelab {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr char escape = '\033';

std::string typed;              // since a command of the command mode began
bool begun_in_command = false;  // otherwise the keys are an insertion
bool inserted = false;          // its command has switched to insertion
std::string change, to_repeat;  // the last one, and the remainder of its repetition

/// Strips the count; `0` is a motion.
std::string_view without_count(std::string_view keys) {
  if (keys.empty() || keys[0] == '0') return keys;
  return keys.substr(std::min(keys.find_first_not_of(digits), keys.size()));
}

bool changes(std::string_view keys) {
  std::string_view command = without_count(keys);
  return !command.empty() &&
         std::string_view("aAiIoOcCdDsSxXrRJpP~").find(command[0]) != std::string_view::npos;
}

/// An insertion ends with its last Escape. A key may have been read after it, to detect arrow keys;
/// it begins the next command.
void end_change() {
  const size_t end = typed.rfind(escape);
  std::string rest;
  if (end != std::string::npos) {
    rest = typed.substr(end + 1);
    typed.resize(inserted ? end + 1 : 0);  // elsewhere it cancels the command
  }
  const bool with_arrow_keys = inserted && typed.find(escape) + 1 < typed.size();
  if (begun_in_command && changes(typed)) change = with_arrow_keys ? "" : typed;
  const bool of_arrow_key = !inserted && (rest[0] == '[' || rest[0] == 'O');
  typed = of_arrow_key ? "" : rest;
  begun_in_command = true;
  inserted = false;
}

}  // namespace

void begin_changes() {
  typed.clear();
  to_repeat.clear();
  inserted = false;
}

void note_key(char key) {
  if (typed.empty()) begun_in_command = rl_get_keymap() == vi_movement_keymap;
  typed += key;
}

void note_command_end() {
  if (rl_editing_mode != 0 || RL_ISSTATE(RL_STATE_NUMERICARG | RL_STATE_VIMOTION)) return;
  if (rl_get_keymap() == vi_movement_keymap)
    end_change();
  else
    inserted = true;
}

bool repeats_change() { return !to_repeat.empty(); }

int repeated_key() {
  if (to_repeat.empty()) return -1;
  const auto key = static_cast<unsigned char>(to_repeat[0]);
  to_repeat.erase(0, 1);
  if (to_repeat.empty() && key == escape) note_key(escape);  // lookahead for the next key
  return key;
}

bool repeat_change(int count) {
  to_repeat = count > 0 ? std::to_string(count) + std::string(without_count(change)) : change;
  return !to_repeat.empty();
}

}  // namespace tilelab
