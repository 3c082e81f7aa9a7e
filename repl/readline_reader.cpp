// SPDX-License-Identifier: Apache-2.0
// GNU readline by its blocking call, with a custom function that reads every key: only there
// signals are checked, the window's size is read and text of other threads is shown, whatever state
// readline is in. (Its callback interface keeps searches, arguments and key sequences in a state
// between keys, which 8.2 corrupts when one ends another.)
#include <errno.h>
#include <poll.h>
#include <stdio.h>  // readline's headers need FILE
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <utility>

#include <readline/history.h>
#include <readline/readline.h>

#include "core/support/interrupt.h"
#include "core/support/width.h"
#include "repl/line_reader.h"
#include "repl/readline_display.h"
#include "repl/readline_history.h"
#include "repl/readline_keys.h"
#include "repl/signals.h"

namespace tilelab {
namespace {

constexpr int kept_history = 2000;

// Readline has one state per process, and so does this file.
std::mutex output_mutex;
std::string output_waiting;
bool at_prompt = false;
bool abandoned = false;  // by Ctrl-C or the end of the input: no keys until the line has ended
bool input_ended = false;
const char* end_of_paste = "";

/// Prints complete lines: print() writes each of its arguments by itself.
void print_waiting() {
  std::string text;
  {
    std::lock_guard lock(output_mutex);
    const size_t end = output_waiting.rfind('\n') + 1;  // 0: none
    text = output_waiting.substr(0, end);
    output_waiting.erase(0, end);
  }
  if (text.empty()) return;
  displays_cells() ? clear_cell() : void(rl_clear_visible_line());
  std::fwrite(text.data(), 1, text.size(), rl_outstream);
  rl_on_new_line();
  rl_forced_update_display();
}

void on_signal_while_reading(int signal) {
  switch (signal) {
    case SIGINT: return;  // read_key handles it
    case SIGWINCH:
      if (displays_cells()) resize_cell();
      rl_resize_terminal();
      return;
    case SIGTSTP:
      restore_terminal();
      stop_self();
      prepare_terminal(1);
      forget_cell();
      rl_forced_update_display();
      return;
    case PromptSignals::output_waits: print_waiting(); return;
    default:  // SIGTERM, SIGHUP: each cell is in the history file already
      restore_terminal();
      end_by_signal(signal);
  }
}

/// The input for readline after the line is abandoned. A command that waits for a key gets the end
/// of a paste (an unterminated paste would read beyond its buffer; other commands end with the
/// first key), then EOF, which ends the line.
int abandoned_input() {
  if (!RL_ISSTATE(RL_STATE_READCMD)) return *end_of_paste ? *end_of_paste++ : EOF;
  abandon_line("^C");
  return READERR;
}

/// Reads a key. Input before a Ctrl-C is dropped with its line, input after it is kept for the
/// next. A closed terminal returns EOF immediately.
int read_key(FILE*) {
  if (int key = repeated_key(); key >= 0) return key;
  while (!abandoned) {
    int events = PromptSignals::wait();
    for (int signal; (signal = PromptSignals::next()) != 0;) on_signal_while_reading(signal);
    abandoned = take_typed_interrupt();
    if (abandoned || (!events && !PromptSignals::reads_ended())) continue;
    unsigned char key = 0;
    const ssize_t size = events ? ::read(0, &key, 1) : 0;
    abandoned = take_typed_interrupt();
    if (abandoned || (size < 0 && (errno == EINTR || errno == EAGAIN))) continue;
    if (size != 1 && (events & (POLLHUP | POLLERR | POLLNVAL))) end_by_signal(SIGHUP);
    // A cell may have replaced descriptor 0: a library that makes a daemon puts /dev/null there.
    input_ended = abandoned = size != 1 || !isatty(0);
    if (!abandoned) return note_key(char(key)), key;
  }
  return abandoned_input();
}

void set_up() {
  static bool done = false;
  if (done) return;
  done = true;
  rl_readline_name = "tilelab";  // for $if tilelab in an inputrc
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  // Before the user's inputrc is read, which may override it: one Tab lists the candidates, and
  // within a word the rest of the word is not duplicated.
  rl_variable_bind("show-all-if-ambiguous", "on");
  rl_variable_bind("skip-completed-text", "on");
  // Backspace, Ctrl-U and Ctrl-W have custom bindings, which readline would override.
  rl_variable_bind("bind-tty-special-chars", "off");
  rl_initialize();
  bind_keys();
  rl_getc_function = read_key;
  rl_prep_term_function = prepare_terminal;
  rl_deprep_term_function = restore_terminal;
  stifle_history(kept_history);
}

/// The start of the last rows of a long prompt. Readline overruns its buffer for a prompt's 256
/// rows, so the first rows are only printed.
size_t last_rows(const std::string& prompt) {
  constexpr size_t most_bytes = 200;  // a row each, on the narrowest terminal
  int rows = 0, columns = 0, column = 0;
  rl_get_screen_size(&rows, &columns);
  size_t begin = prompt.rfind('\n') + 1;
  for (size_t at = begin; prompt.size() - begin > most_bytes && at < prompt.size();) {
    const size_t character = at;
    const int width = char_width(next_char(prompt, at));
    if (column + width > columns) begin = character, column = 0;
    column += width;
  }
  return prompt.size() > most_bytes ? begin : 0;
}

class ReadlineReader final : public LineReader {
 public:
  explicit ReadlineReader(Session& session) : session_(session) {
    set_up();
    set_completion_session(&session);
    std::vector<HistoryEntry> entries = session.history(true);
    size_t first = entries.size() > kept_history ? entries.size() - kept_history : 0;
    for (size_t i = first; i < entries.size(); ++i) add_history(entries[i].input);
  }

  bool reads_cells() const override { return can_display_cells(); }

  Outcome read(const LineRequest& request, std::string& line) override {
    HISTORY_STATE* history = nullptr;
    if (!request.is_cell) history = hide_history();
    set_completion_context(request.is_cell, request.before, request.color);
    begin_history();
    Outcome outcome =
        request.is_cell && reads_cells() ? read_cell(request, line) : read_line(request, line);
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

  Outcome read_cell(const LineRequest& request, std::string& cell) {
    CellDisplay display{request.prompt, request.continuation, request.color, ""};
    set_cell_display(&display);
    editing() = {&session_, true, "", false, false, "", false};
    prefill_ = request.prefill.empty() ? std::exchange(next_, "") : request.prefill;
    Outcome outcome = read_text(request.prompt, cell);
    set_cell_display(nullptr);
    next_ = editing().next;
    // A block abandoned by Ctrl-D is dropped like one abandoned by Ctrl-C.
    return editing().end_wanted ? Outcome::interrupted : outcome;
  }

  Outcome read_line(const LineRequest& request, std::string& line) {
    editing() = {&session_, false, request.prefill, false, false, "", false};
    prefill_ = request.prefill;
    const size_t begin = last_rows(request.prompt);
    std::fwrite(request.prompt.data(), 1, begin, rl_outstream);
    if (begin > 0 && request.prompt[begin - 1] != '\n') std::fputc('\n', rl_outstream);
    std::string prompt = request.prompt.substr(begin);
    if (request.color && request.is_cell)
      prompt = "\001\033[1;34m\002" + prompt + "\001\033[0m\002";
    return read_text(prompt, line);
  }

  Outcome read_text(const std::string& prompt, std::string& text) {
    PromptSignals signals;
    abandoned = input_ended = false;
    begin_changes();
    end_of_paste = "\033[201~";
    rl_reset_screen_size();
    rl_startup_hook = insert_prefill;
    set_at_prompt(true);
    char* typed = readline(prompt.c_str());
    set_at_prompt(false);
    if (abandoned) forget_keys();
    bool entered = typed && !abandoned && !editing().end_wanted;
    if (entered) text = typed;
    std::free(typed);
    if (entered) return Outcome::line;
    return abandoned && !input_ended ? Outcome::interrupted : Outcome::end;
  }

  /// Without cell editing, pasted lines bring their indentation.
  static int insert_prefill() {
    bool pasted = !editing().whole_cells && is_pasted_text();
    if (!pasted) rl_insert_text(prefill_.c_str());
    return 0;
  }

  /// Discards the rest of a macro or key sequence of an abandoned line.
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

  Session& session_;
  std::string last_, next_;
  static inline std::string prefill_;
};

}  // namespace

std::unique_ptr<LineReader> make_readline_reader(Session& session) {
  return std::make_unique<ReadlineReader>(session);
}

}  // namespace tilelab
