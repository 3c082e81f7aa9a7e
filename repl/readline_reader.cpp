// SPDX-License-Identifier: Apache-2.0
// GNU readline through its callback interface. Its blocking call keeps the line on Ctrl-C and its
// event hook swallows keys; so our own loop polls the keyboard and the pipe of signals.
#include <poll.h>
#include <stdio.h>  // readline's headers need FILE
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

#include <readline/history.h>
#include <readline/readline.h>

#include "repl/line_reader.h"
#include "repl/readline_complete.h"
#include "repl/signals.h"

namespace tilelab {
namespace {

constexpr int kept_history = 2000;
constexpr int indent_width = 4;

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

std::string read_file(const char* path) {
  std::string text;
  if (FILE* file = std::fopen(path, "r")) {
    char buffer[4096];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) > 0;) text.append(buffer, n);
    std::fclose(file);
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// Ctrl-X Ctrl-E: the line, or block, in $VISUAL or $EDITOR.
int edit_line(int, int) {
  char path[] = "/tmp/tilelab_XXXXXX.py";
  int descriptor = mkstemps(path, 3);
  if (descriptor < 0) return 1;
  size_t size = strlen(rl_line_buffer);
  bool written = write(descriptor, rl_line_buffer, size) == ssize_t(size);
  close(descriptor);
  const char* editor = std::getenv("VISUAL");
  if (!editor || !*editor) editor = std::getenv("EDITOR");
  if (!editor || !*editor) editor = "vi";
  rl_deprep_terminal();
  int status = written ? std::system((std::string(editor) + " " + path).c_str()) : -1;
  rl_prep_terminal(1);
  if (status == 0) {
    rl_replace_line(read_file(path).c_str(), 0);
    rl_point = rl_end;
  }
  unlink(path);
  rl_on_new_line();
  rl_redisplay();
  return 0;
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
  rl_bind_keyseq_if_unbound("\\e[5~", rl_history_search_backward);
  rl_bind_keyseq_if_unbound("\\e[6~", rl_history_search_forward);
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
    Outcome outcome = loop();
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

  static Outcome loop() {
    pollfd wait[2] = {{0, POLLIN, 0}, {PromptSignals::descriptor(), POLLIN, 0}};
    while (!line_done) {
      if (poll(wait, 2, -1) < 0) continue;
      for (int signal; (signal = PromptSignals::next()) != 0;)
        if (on_signal(signal)) return Outcome::interrupted;
      if (wait[0].revents) rl_callback_read_char();
      if (end_wanted && !line_done) {
        give_up_line("");
        return Outcome::end;
      }
    }
    return line_ended ? Outcome::end : Outcome::line;
  }

  /// True: the line is given up.
  static bool on_signal(int signal) {
    switch (signal) {
      case SIGINT: give_up_line("^C"); return true;
      case SIGWINCH: rl_resize_terminal(); return false;
      case SIGTSTP:
        rl_deprep_terminal();
        stop_self();
        rl_prep_terminal(1);
        rl_forced_update_display();
        return false;
      case PromptSignals::output_waits: print_waiting(); return false;
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
