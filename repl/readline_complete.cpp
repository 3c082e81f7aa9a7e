// SPDX-License-Identifier: Apache-2.0
// Readline completes "words"; here a word is the whole line up to the cursor (only a newline
// separates words), so that the session alone decides which part of it a candidate replaces.
#include <signal.h>
#include <stdio.h>  // readline's headers need FILE

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <readline/readline.h>

#include "repl/readline_display.h"
#include "repl/readline_keys.h"
#include "session/text_position.h"

namespace tilelab {
namespace {

constexpr int ask_above = 100;  // as readline's completion-query-items

Session* session = nullptr;
bool enabled = true, color = false;
std::string above;
Completions found;
size_t kept_bytes = 0;  // of the line before the replaced part

char* copy(const std::string& text) {
  char* out = static_cast<char*>(std::malloc(text.size() + 1));
  std::memcpy(out, text.c_str(), text.size() + 1);
  return out;
}

std::string common_prefix(const std::vector<std::string>& texts) {
  std::string prefix = texts.front();
  for (const std::string& text : texts) {
    size_t n = 0;
    while (n < prefix.size() && n < text.size() && prefix[n] == text[n]) ++n;
    prefix.resize(n);
  }
  return prefix;
}

/// Appended to the only candidate: a blank after a command or keyword, otherwise nothing.
int following(const Completion& match) {
  return match.type == "command" || match.type == "keyword" || match.type == "option" ? ' ' : '\0';
}

char** attempt(const char* text, int begin, int) {
  rl_attempted_completion_over = 1;  // never use readline's file name completion
  rl_completion_suppress_append = 0;
  if (!enabled || !session) return nullptr;
  std::string before = above + std::string(rl_line_buffer, size_t(begin));
  std::string line = text, code = before + line;
  found = {};
  try {
    found = session->complete(code, code_points(code));
  } catch (const Interrupted&) {
    raise(SIGINT);  // no exception may pass through readline; the prompt abandons the line
  }
  if (found.matches.empty()) return nullptr;
  size_t start = byte_offset(code, found.begin);
  if (start < before.size()) return nullptr;
  kept_bytes = start - before.size();
  std::string kept = line.substr(0, kept_bytes);
  std::vector<std::string> texts;
  for (const Completion& match : found.matches) texts.push_back(kept + match.text);
  rl_completion_append_character = following(found.matches.front());
  if (found.matches.size() == 1 && rl_completion_append_character == '\0')
    rl_completion_suppress_append = 1;
  auto** list = static_cast<char**>(std::malloc((texts.size() + 2) * sizeof(char*)));
  size_t n = 0;
  list[n++] = copy(common_prefix(texts));
  if (texts.size() > 1)
    for (const std::string& candidate : texts) list[n++] = copy(candidate);
  list[n] = nullptr;
  return list;
}

bool confirm(int count) {
  std::fprintf(rl_outstream, "show all %d candidates? (y or n)", count);
  std::fflush(rl_outstream);
  for (;;) {
    int key = rl_read_key();
    if (key == 'y' || key == 'Y' || key == ' ') return true;
    if (key == 'n' || key == 'N' || key == 3 || key == 7 || key < 0 || key == '\x7f') return false;
  }
}

const char* type_color(const std::string& type) {
  if (type == "function") return "\033[34m";
  if (type == "class") return "\033[32m";
  if (type == "module") return "\033[36m";
  if (type == "param" || type == "option") return "\033[35m";
  return "";
}

/// One column with signatures if there are few, else columns of names.
void print_candidates() {
  int rows, columns;
  rl_get_screen_size(&rows, &columns);
  bool few = int(found.matches.size()) <= std::max(4, rows / 2);
  size_t width = 0;
  for (const Completion& match : found.matches) width = std::max(width, match.text.size());
  width += 2;
  size_t per_line = few ? 1 : std::max<size_t>(1, size_t(columns - 1) / width);
  size_t lines = (found.matches.size() + per_line - 1) / per_line;
  for (size_t i = 0; i < lines; ++i) {
    std::string line;
    for (size_t at = i; at < found.matches.size(); at += lines) {
      const Completion& match = found.matches[at];
      const char* paint = color ? type_color(match.type) : "";
      std::string room(width - match.text.size(), ' ');
      line += paint + match.text + (*paint ? "\033[0m" : "");
      if (few && int(width + match.signature.size()) < columns)
        line += match.signature.empty() ? "" : room + match.signature;
      else if (at + lines < found.matches.size())
        line += room;
    }
    std::fprintf(rl_outstream, "%s\r\n", line.c_str());
  }
}

void display(char**, int count, int) {
  displays_cells() ? leave_cell("") : void(std::fputs("\r\n", rl_outstream));
  if (count <= ask_above || confirm(count)) {
    if (count > ask_above) std::fputs("\r\n", rl_outstream);
    print_candidates();
  } else {
    std::fputs("\r\n", rl_outstream);
  }
  rl_on_new_line();
  rl_forced_update_display();
}

}  // namespace

void set_completion_session(Session* value) {
  session = value;
  rl_attempted_completion_function = attempt;
  rl_completion_display_matches_hook = display;
  rl_completer_word_break_characters = "\n";
  rl_basic_word_break_characters = "\n";
  rl_completer_quote_characters = nullptr;
}

void set_completion_context(bool on, const std::string& before, bool with_color) {
  enabled = on;
  above = before;
  color = with_color;
}

}  // namespace tilelab
