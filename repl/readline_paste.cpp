// SPDX-License-Identifier: Apache-2.0
#include "repl/readline_keys.h"

#include <stdio.h>  // readline's headers need FILE

#include <string>
#include <string_view>

#include <readline/readline.h>

#include "repl/cell_text.h"
#include "repl/signals.h"
#include "repl/transcript.h"

namespace tilelab {
namespace {

constexpr std::string_view end_mark = "\033[201~";

/// The pasted text; if the input ends before the end marker, the keys so far.
std::string pasted_keys() {
  std::string keys;
  for (int key; (key = rl_read_key()) >= 0;) {
    if (key != 0) keys += static_cast<char>(key);
    if (keys.ends_with(end_mark)) return keys.substr(0, keys.size() - end_mark.size());
  }
  return keys;
}

/// Removes the offered indentation: a pasted block has its own.
void drop_offered_indentation() {
  std::string_view text(rl_line_buffer, size_t(rl_end));
  size_t begin = line_begin(text, size_t(rl_point));
  bool line_mode = !editing().whole_cells && editing().offered != rl_line_buffer;
  if (line_mode || rl_end == 0 || !only_blanks(text.substr(begin))) return;
  rl_delete_text(int(begin), rl_end);
  rl_point = int(begin);
}

// Neither a typist nor a slow connection queues this many keys after an Enter.
constexpr int more_than_typed = 8;
constexpr int pause_in_paste_ms = 20;

}  // namespace

int begin_paste(int, int) {
  drop_offered_indentation();
  editing().typed_lines = false;
  rl_insert_text(with_plain_line_ends(pasted_keys()).c_str());
  return 0;
}

bool is_pasted_text() { return PromptSignals::keys_waiting() >= more_than_typed; }

bool paste_begins(bool runs) {
  if (!is_pasted_text()) return false;
  bool copied = is_transcript(rl_line_buffer);
  if (runs && !copied) return false;
  int next = rl_read_key();
  if (next >= 0) rl_execute_next(next);
  editing().pasting = copied || next == ' ' || next == '\t';
  if (editing().pasting) editing().typed_lines = false;
  return editing().pasting;
}

bool paste_continues() {
  bool& pasting = editing().pasting;
  return pasting && (pasting = PromptSignals::keys_waiting(pause_in_paste_ms) > 0);
}

}  // namespace tilelab
