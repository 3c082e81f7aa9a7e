// SPDX-License-Identifier: Apache-2.0
// GNU readline by its plain call, with a function of ours that it gets every key from: there, and
// nowhere else, are signals looked at, the window's size taken and text of other threads shown,
// whatever readline is in the middle of. (Its callback interface keeps searches, arguments and key
// sequences in a state between two keys, which 8.2 loses when they end in each other.)
#include <poll.h>
#include <stdio.h>  // readline's headers need FILE
#include <termios.h>
#include <unistd.h>

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

// Readline has one state in a process, and so have we.
std::string indentation;  // what the prompt put there, until the user has typed
std::mutex output_mutex;
std::string output_waiting;
bool at_prompt = false;
bool given_up = false;  // by Ctrl-C: until the line has ended there are no keys
const char* end_of_paste = "";
bool end_wanted = false;  // Ctrl-D on a line that has only its indentation

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

/// Shows that the line ends here without having been entered.
void give_up_line(const char* mark) {
  rl_point = rl_end;
  rl_redisplay();
  std::fputs(mark, rl_outstream);
  rl_free_line_state();
  rl_crlf();
}

/// Ctrl-D gives a block up although the prompt has put an indentation there.
int delete_or_end(int count, int key) {
  if (rl_end == 0 || indentation != rl_line_buffer) return rl_delete(count, key);
  end_wanted = true;
  give_up_line("");
  rl_done = 1;
  return 0;
}

int insert_newline(int, int) { return rl_insert_text("\n") >= 0 ? 0 : 1; }

/// A pasted block brings its own indentation; the one that the prompt offered goes.
int begin_paste(int count, int key) {
  if (!indentation.empty() && indentation == rl_line_buffer) rl_replace_line("", 0), rl_point = 0;
  return rl_bracketed_paste_begin(count, key);
}

/// A read never waits (poll does): Ctrl-C empties the terminal's queue, so the key that poll has
/// seen may be gone, and a read that waited would take the next one and sleep through the signal.
void prepare_terminal(int eight_bits) {
  rl_prep_terminal(eight_bits);
  termios mode;
  if (tcgetattr(0, &mode) != 0) return;
  mode.c_cc[VMIN] = mode.c_cc[VTIME] = 0;
  tcsetattr(0, TCSANOW, &mode);
}

/// Ctrl-X Ctrl-E: the line, or block, in the user's editor.
int edit_line(int, int) {
  rl_deprep_terminal();
  std::optional<std::string> text = edit_in_editor(rl_line_buffer);
  prepare_terminal(1);
  if (text) {
    rl_replace_line(text->c_str(), 0);
    rl_point = rl_end;
  }
  rl_on_new_line();
  rl_redisplay();
  return text ? 0 : 1;
}

void print_waiting() {
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

void on_signal_while_reading(int signal) {
  switch (signal) {
    case SIGINT: return;  // read_key asks for it
    case SIGWINCH: rl_resize_terminal(); return;
    case SIGTSTP:
      rl_deprep_terminal();
      stop_self();
      prepare_terminal(1);
      rl_forced_update_display();
      return;
    case PromptSignals::output_waits: print_waiting(); return;
    default:  // SIGTERM, SIGHUP: each cell is in the history file already
      rl_deprep_terminal();
      die_of(signal);
  }
}

/// What readline is told when the line is given up. What waits for a key in the middle of a command
/// gets the end of a paste (a paste that just stops is taken with what lies behind it in memory;
/// other commands end with the first key), then EOF. The line itself ends.
int no_key() {
  if (!RL_ISSTATE(RL_STATE_READCMD)) return *end_of_paste ? *end_of_paste++ : EOF;
  give_up_line("^C");
  return READERR;
}

/// A key. What was typed before a Ctrl-C goes with its line, what comes behind it stays for the
/// next. A terminal that is gone keeps nothing busy.
int read_key(FILE*) {
  while (!given_up) {
    int events = PromptSignals::wait();
    for (int signal; (signal = PromptSignals::next()) != 0;) on_signal_while_reading(signal);
    given_up = take_typed_interrupt();
    if (!events || given_up) continue;
    unsigned char key = 0;
    bool typed = ::read(0, &key, 1) == 1;
    given_up = take_typed_interrupt();
    if (typed && !given_up) return key;
    if (!typed && (events & (POLLHUP | POLLERR | POLLNVAL))) die_of(SIGHUP);
  }
  return no_key();
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
  rl_prep_term_function = prepare_terminal;
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
    given_up = end_wanted = false;
    end_of_paste = "\033[201~";
    std::string prompt = request.prompt;
    if (request.color && request.is_cell)
      prompt = "\001\033[1;34m\002" + prompt + "\001\033[0m\002";
    rl_reset_screen_size();
    indentation = request.prefill;
    rl_startup_hook = insert_indentation;
    set_at_prompt(true);
    char* text = readline(prompt.c_str());
    set_at_prompt(false);
    if (given_up) forget_keys();
    bool entered = text && !given_up && !end_wanted;
    if (entered) line = text;
    std::free(text);
    return entered ? Outcome::line : given_up ? Outcome::interrupted : Outcome::end;
  }

  static int insert_indentation() {
    rl_insert_text(indentation.c_str());
    return 0;
  }

  /// What a macro or a key sequence still had to say when the line was given up.
  static void forget_keys() {
    while (rl_read_key() >= 0) continue;
  }

  static void set_at_prompt(bool value) {
    std::lock_guard lock(output_mutex);
    at_prompt = value;
    if (!value && !output_waiting.empty()) {
      std::fwrite(output_waiting.data(), 1, output_waiting.size(), stdout);
      output_waiting.clear();
    }
  }

  std::string last_;
};

}  // namespace

std::unique_ptr<LineReader> make_readline_reader(Session& session) {
  return std::make_unique<ReadlineReader>(session);
}

}  // namespace tilelab
