// SPDX-License-Identifier: Apache-2.0
// GNU readline through its callback interface. Its blocking call keeps the line on Ctrl-C and its
// event hook swallows keys; so our own loop polls the keyboard and the pipe of signals.
#include <poll.h>
#include <stdio.h>  // readline's headers need FILE
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <optional>

#include <readline/history.h>
#include <readline/readline.h>

#include "core/support/interrupt.h"
#include "repl/editor.h"
#include "repl/line_reader.h"
#include "repl/readline_complete.h"
#include "repl/readline_history.h"
#include "repl/signals.h"

namespace tilelab {
namespace {

constexpr int kept_history = 2000;
constexpr int indent_width = 4;
constexpr int key_wait_ms = 50;  // between looks at the pipe of signals

// Readline has one state in a process, and so have we.
bool line_done = false, line_ended = false;
std::string line_text;
std::string indentation;  // what the prompt put there, until the user has typed
std::mutex output_mutex;
std::string output_waiting;
bool at_prompt = false;
bool end_wanted = false;  // Ctrl-D on a line that has only its indentation

void take_line(char* line) {
  rl_callback_handler_remove();  // puts the terminal back before the line is used
  line_done = true;
  line_ended = line == nullptr;
  line_text = line ? line : "";
  std::free(line);
}

bool only_blanks_before_cursor() {
  for (int i = rl_point; i-- > 0 && rl_line_buffer[i] != '\n';)
    if (rl_line_buffer[i] != ' ') return false;
  return true;
}

int column() {
  int start = rl_point;
  while (start > 0 && rl_line_buffer[start - 1] != '\n') --start;
  return rl_point - start;
}

/// Tab indents at the start of a line and completes elsewhere.
int complete_or_indent(int count, int key) {
  if (!only_blanks_before_cursor()) {
    // The second Tab lists the candidates if the first was readline's own function.
    if (rl_last_func == complete_or_indent) rl_last_func = rl_complete;
    return rl_complete(count, key);
  }
  std::string blanks(size_t(indent_width - column() % indent_width), ' ');
  return rl_insert_text(blanks.c_str()) >= 0 ? 0 : 1;
}

/// Backspace takes a whole step of an indentation.
int erase_or_unindent(int count, int key) {
  int blanks = column();
  if (count == 1 && blanks > 0 && blanks % indent_width == 0 && only_blanks_before_cursor()) {
    rl_kill_text(rl_point - indent_width, rl_point);
    rl_point -= indent_width;
    return 0;
  }
  return rl_rubout(count, key);
}

/// Ctrl-D gives a block up although the prompt has put an indentation there.
int delete_or_end(int count, int key) {
  if (rl_end == 0 || indentation != rl_line_buffer) return rl_delete(count, key);
  end_wanted = true;
  return 0;
}

int insert_newline(int, int) { return rl_insert_text("\n") >= 0 ? 0 : 1; }

/// A pasted block brings its own indentation; the one that the prompt offered goes.
int begin_paste(int count, int key) {
  if (!indentation.empty() && indentation == rl_line_buffer) rl_replace_line("", 0), rl_point = 0;
  return rl_bracketed_paste_begin(count, key);
}

/// Ctrl-X Ctrl-E: the line, or block, in the user's editor.
int edit_line(int, int) {
  rl_deprep_terminal();
  std::optional<std::string> text = edit_in_editor(rl_line_buffer);
  rl_prep_terminal(1);
  if (text) {
    rl_replace_line(text->c_str(), 0);
    rl_point = rl_end;
  }
  rl_on_new_line();
  rl_redisplay();
  return text ? 0 : 1;
}

constexpr int give_up = '\a';  // Ctrl-G ends whatever waits for a key

bool first_key = false;  // of a call from the loop, which has seen that there is one

/// A key. Functions of readline that wait for one themselves (a search in vi mode, a quoted
/// character) are given up by Ctrl-C. It also makes the terminal drop what was typed, as Ctrl-Z
/// does: a key that somebody has seen may be gone. The end of the input (a terminal that is gone)
/// keeps none of them busy.
int read_key(FILE*) {
  static int ends = 0;
  for (;;) {
    pollfd keyboard = {0, POLLIN, 0};
    if (poll(&keyboard, 1, 0) == 0) {
      if (interrupted() || (first_key && PromptSignals::pending())) return give_up;
      poll(&keyboard, 1, key_wait_ms);
      continue;
    }
    unsigned char key = 0;
    ssize_t n = ::read(0, &key, 1);
    if (n < 0 && errno == EINTR) continue;
    first_key = false;
    if (n == 1) return ends = 0, key;
    if (++ends > 20) die_of(SIGHUP);
    return EOF;
  }
}

/// A prefix key in the middle of a search (Ctrl-R Ctrl-X Enter) crashes readline 8.2 once the line
/// is done: there prefix keys end the search, as Escape does.
void end_searches_at_prefix_keys() {
  const char* own = rl_variable_value("isearch-terminators");
  std::string keys = own && *own ? own : "\033\012";
  Keymap map = rl_get_keymap();
  for (int key = 1; key < ' '; ++key) {
    char octal[8];
    std::snprintf(octal, sizeof octal, "\\%03o", unsigned(key));
    if (map[key].type == ISKMAP && keys.find(octal) == std::string::npos) keys += octal;
  }
  rl_variable_bind("isearch-terminators", keys.c_str());
}

/// Keys of ours, unless the user's inputrc has bound them.
void bind_keys() {
  if (rl_function_of_keyseq("\t", nullptr, nullptr) == rl_complete)
    rl_bind_key('\t', complete_or_indent);
  if (rl_function_of_keyseq("\x7f", nullptr, nullptr) == rl_rubout)
    rl_bind_key(0x7f, erase_or_unindent);
  if (rl_function_of_keyseq("\x04", nullptr, nullptr) == rl_delete) rl_bind_key(4, delete_or_end);
  rl_bind_keyseq_if_unbound("\\e\\C-m", insert_newline);
  rl_bind_keyseq_if_unbound("\\C-x\\C-e", edit_line);
  take_over_searches();
  rl_bind_keyseq("\\e[200~", begin_paste);
}

void set_up() {
  static bool done = false;
  if (done) return;
  done = true;
  rl_readline_name = "tilelab";  // for $if tilelab in an inputrc
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  // Before the user's inputrc is read, which may say otherwise: one Tab lists the candidates.
  rl_variable_bind("show-all-if-ambiguous", "on");
  rl_initialize();
  bind_keys();
  end_searches_at_prefix_keys();
  rl_getc_function = read_key;
  stifle_history(kept_history);
}

class ReadlineReader final : public LineReader {
 public:
  explicit ReadlineReader(Session& session) {
    set_up();
    set_completion_session(&session);
    std::vector<HistoryEntry> entries = session.history(true);
    size_t first = entries.size() > kept_history ? entries.size() - kept_history : 0;
    for (size_t i = first; i < entries.size(); ++i) add_history(entries[i].input);
  }

  Outcome read(const LineRequest& request, std::string& line) override {
    HISTORY_STATE* history = nullptr;
    if (!request.is_cell) history = hide_history();
    set_completion_context(request.is_cell, request.before, request.color);
    Outcome outcome = read_with_history(request, line);
    if (history) show_history(history);
    return outcome;
  }

  void add_history(const std::string& text) override {
    std::string entry = text;
    while (!entry.empty() && entry.back() == '\n') entry.pop_back();
    if (entry.empty() || entry == last_) return;
    ::add_history(entry.c_str());
    last_ = entry;
  }

  bool print_above(const std::string& text) override {
    std::lock_guard lock(output_mutex);
    if (!at_prompt) return false;
    output_waiting += text;
    PromptSignals::wake();
    return true;
  }

 private:
  static HISTORY_STATE* hide_history() {
    HISTORY_STATE* saved = history_get_history_state();
    HISTORY_STATE empty = {};
    history_set_history_state(&empty);
    return saved;
  }

  static void show_history(HISTORY_STATE* saved) {
    clear_history();
    history_set_history_state(saved);
    using_history();
    std::free(saved);
  }

  Outcome read_with_history(const LineRequest& request, std::string& line) {
    PromptSignals signals;
    line_done = line_ended = end_wanted = false;
    std::string prompt = request.prompt;
    if (request.color && request.is_cell)
      prompt = "\001\033[1;34m\002" + prompt + "\001\033[0m\002";
    rl_reset_screen_size();
    rl_callback_handler_install(prompt.c_str(), take_line);
    indentation = request.prefill;
    if (!request.prefill.empty()) {
      rl_insert_text(request.prefill.c_str());
      rl_redisplay();
    }
    set_at_prompt(true);
    Outcome outcome = loop(signals);
    set_at_prompt(false);
    if (outcome == Outcome::line) line = line_text;
    return outcome;
  }

  static void set_at_prompt(bool value) {
    std::lock_guard lock(output_mutex);
    at_prompt = value;
    if (!value && !output_waiting.empty()) {
      std::fwrite(output_waiting.data(), 1, output_waiting.size(), stdout);
      output_waiting.clear();
    }
  }

  static Outcome loop(PromptSignals& signals) {
    while (!line_done) {
      bool typed = signals.wait();
      for (int signal; (signal = PromptSignals::next()) != 0;) on_signal(signal);
      if (take_typed_interrupt()) {
        give_up_line("^C");
        return Outcome::interrupted;
      }
      first_key = typed;
      if (typed) rl_callback_read_char();
      if (end_wanted && !line_done) {
        give_up_line("");
        return Outcome::end;
      }
    }
    return line_ended ? Outcome::end : Outcome::line;
  }

  static void on_signal(int signal) {
    switch (signal) {
      case SIGINT: return;  // the loop asks for it
      case SIGWINCH: rl_resize_terminal(); return;
      case SIGTSTP:
        rl_deprep_terminal();
        stop_self();
        rl_prep_terminal(1);
        rl_forced_update_display();
        return;
      case PromptSignals::output_waits: print_waiting(); return;
      default:  // SIGTERM, SIGHUP: each cell is in the history file already
        rl_callback_handler_remove();
        die_of(signal);
    }
  }

  static void give_up_line(const char* mark) {
    rl_point = rl_end;
    rl_redisplay();
    std::fputs(mark, rl_outstream);
    rl_free_line_state();
    rl_callback_sigcleanup();
    rl_cleanup_after_signal();
    rl_replace_line("", 0);
    rl_crlf();
    rl_callback_handler_remove();
  }

  static void print_waiting() {
    std::string text;
    {
      std::lock_guard lock(output_mutex);
      text.swap(output_waiting);
    }
    if (text.empty()) return;
    rl_clear_visible_line();
    std::fwrite(text.data(), 1, text.size(), rl_outstream);
    if (text.back() != '\n') std::fputc('\n', rl_outstream);
    rl_on_new_line();
    rl_forced_update_display();
  }

  std::string last_;
};

}  // namespace

std::unique_ptr<LineReader> make_readline_reader(Session& session) {
  return std::make_unique<ReadlineReader>(session);
}

}  // namespace tilelab
