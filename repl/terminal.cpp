// SPDX-License-Identifier: Apache-2.0
// Output uses C's stdio, like C code in the process: so the order is right without capturing.
#include "repl/terminal.h"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "core/support/environment.h"
#include "core/support/escape.h"
#include "repl/signals.h"
#include "views/shown.h"

namespace tilelab {
namespace {

winsize window() {
  winsize size = {};
  if (ioctl(1, TIOCGWINSZ, &size) != 0) size = {};
  if (size.ws_col == 0) {
    const char* columns = std::getenv("COLUMNS");
    size.ws_col = static_cast<unsigned short>(columns ? std::atoi(columns) : 0);
  }
  if (size.ws_col == 0) size.ws_col = 80;
  return size;
}

/// $TILELAB_PAGER, $PAGER, or less if available. Without user options less leaves short text on the
/// screen and shows colors.
std::string pager_command() {
  std::string command = "if command -v less >/dev/null; then less; else cat; fi";
  for (const char* name : {"PAGER", "TILELAB_PAGER"})
    if (const char* value = std::getenv(name); value && *value) command = value;
  return std::getenv("LESS") ? command : "LESS=FRX; export LESS; " + command;
}

/// Whether the pager has started. Its exit status is ignored: users quit pagers early.
bool show_in_pager(const std::string& text) {
  FILE* pager = popen(pager_command().c_str(), "w");
  if (!pager) return false;
  std::fwrite(text.data(), 1, text.size(), pager);
  if (text.back() != '\n') std::fputc('\n', pager);
  int status = pclose(pager);
  bool begun = !WIFEXITED(status) || (WEXITSTATUS(status) != 126 && WEXITSTATUS(status) != 127);
  take_typed_interrupt();  // Ctrl-C was for the pager
  return begun;
}

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return !term || std::strcmp(term, "dumb") == 0;
}

/// Messages are wrapped between words; code and its markers are unchanged.
bool is_message(const std::string& line) {
  size_t first = 0;
  while (line.compare(first, 1, "\033") == 0)
    first = std::min(line.find('m', first), line.size()) + 1;
  return isatty(2) && first < line.size() && line[first] != ' ';
}

bool longer_than_screen(const std::string& text) {
  winsize size = window();
  return size.ws_row > 0 && std::count(text.begin(), text.end(), '\n') >= size.ws_row - 1;
}

/// Holds the keyboard during its lifetime.
class Reading {
 public:
  explicit Reading(Keyboard& keyboard) : keyboard_(keyboard) {
    if (!keyboard.take()) throw std::runtime_error("input() is unavailable while the prompt reads");
  }
  ~Reading() { keyboard_.give_back(); }
  Reading(const Reading&) = delete;

 private:
  Keyboard& keyboard_;
};

}  // namespace

bool wants_color(ColorMode mode, int descriptor) {
  if (mode != ColorMode::automatic) return mode == ColorMode::always;
  if (environment_flag("CLICOLOR_FORCE") || environment_flag("FORCE_COLOR")) return true;
  const char* none = std::getenv("NO_COLOR");
  return isatty(descriptor) && !(none && *none) && !is_dumb();
}

TerminalFrontend::TerminalFrontend(ColorMode mode, bool pager)
    : color_(wants_color(mode, 1)), pager_(pager && isatty(0) && isatty(1)) {}

TerminalFrontend::~TerminalFrontend() {
  constexpr int patience_ms = 1000;
  PromptSignals::end_reads();
  // Only a read from a pipe cannot be ended; its thread keeps its reader.
  if (!keyboard_.wait_until_free(isatty(0) ? patience_ms : 0)) static_cast<void>(reader_.release());
}

LineReader::Outcome TerminalFrontend::read(const LineRequest& request, std::string& line) {
  Reading reading(keyboard_);
  if (request.is_cell)
    for (const std::string& entry : std::exchange(new_history_, {})) reader_->add_history(entry);
  return reader_->read(request, line);
}

void TerminalFrontend::stream(const std::string& name, const std::string& text) {
  if (text.empty()) return;
  if (keyboard_.reads_elsewhere() && reader_->print_above(text)) return;
  FILE* to = name == "stderr" ? stderr : stdout;
  if (to == stderr) std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), to);
  line_open_ = text.back() != '\n';
  // A terminal user expects progress dots immediately.
  if (to == stdout && (line_open_ || text.find('\r') != std::string::npos) && isatty(1))
    std::fflush(stdout);
}

void TerminalFrontend::flush() { std::fflush(stdout); }

void TerminalFrontend::end_line() {
  if (line_open_ && isatty(1)) std::fputc('\n', stdout);
  line_open_ = false;
  std::fflush(stdout);
}

void TerminalFrontend::print(const std::string& text) {
  if (text.empty()) return;
  if (line_open_) stream("stdout", "\n");
  stream("stdout", text.back() == '\n' ? text : text + "\n");
}

void TerminalFrontend::display(const MimeBundle& bundle, const std::string&, bool) {
  if (const std::string* text = bundle.find("text/plain")) print(*text);
}

void TerminalFrontend::result(int, const MimeBundle& bundle) {
  const std::string* text = bundle.find("text/plain");
  if (text) print(isatty(1) ? terminal_text(*text, TerminalColors::kept) : *text);
}

void TerminalFrontend::error(const std::string&, const std::string&,
                             const std::vector<std::string>& traceback) {
  if (line_open_) stream("stdout", "\n");
  std::string text;
  for (const std::string& line : traceback)
    text += (is_message(line) ? hanging(line) : line) + "\n";
  stream("stderr", terminal_text(text, TerminalColors::kept));
}

void TerminalFrontend::clear_output(bool) {
  if (isatty(1)) stream("stdout", "\r\033[2K");
  line_open_ = false;
}

std::string TerminalFrontend::input(const std::string& prompt, bool password) {
  if (!reader_) throw std::runtime_error("no standard input");
  Reading reading(keyboard_);
  std::fflush(stdout);
  std::string line;
  switch (ask(prompt, password, line)) {
    case LineReader::Outcome::interrupted: throw Interrupted();
    case LineReader::Outcome::end: throw EndOfInput();
    case LineReader::Outcome::line: break;
  }
  return line;
}

LineReader::Outcome TerminalFrontend::ask(const std::string& prompt, bool password,
                                          std::string& line) {
  if (password && isatty(0)) return ask_password(prompt, line);
  if (!isatty(0)) std::fputs(prompt.c_str(), stdout), std::fflush(stdout);
  LineRequest request;
  request.prompt = prompt;
  request.is_cell = false;
  line_open_ = false;
  return reader_->read(request, line);
}

LineReader::Outcome TerminalFrontend::ask_password(const std::string& prompt, std::string& line) {
  termios saved;
  if (tcgetattr(0, &saved) != 0) throw std::runtime_error("the terminal cannot hide input");
  termios hidden = saved;
  hidden.c_lflag &= ~tcflag_t(ECHO);
  tcsetattr(0, TCSAFLUSH, &hidden);  // before the prompt, after which the user may type
  std::fputs(prompt.c_str(), stdout);
  std::fflush(stdout);
  std::unique_ptr<LineReader> plain = make_plain_reader();
  LineReader::Outcome outcome = plain->read({}, line);
  tcsetattr(0, TCSAFLUSH, &saved);
  if (outcome != LineReader::Outcome::interrupted) std::fputs("\n", stdout);
  return outcome;
}

void TerminalFrontend::page(const MimeBundle& bundle) {
  const std::string* plain = bundle.find("text/plain");
  if (!plain) return;
  const std::string text = terminal_text(*plain, TerminalColors::kept);
  bool paged = pager_ && !is_dumb() && longer_than_screen(text);
  std::fflush(stdout);
  if (!paged || !show_in_pager(text)) print(text);
}

void TerminalFrontend::set_next_input(const std::string& text, bool replace) {
  next_input_ = replace ? text : next_input_ + text;
  while (!next_input_.empty() && next_input_.back() == '\n') next_input_.pop_back();
}

/// A pipe or a file has no width: views use the page width there.
int TerminalFrontend::width() const {
  return isatty(1) || std::getenv("COLUMNS") ? window().ws_col : 100;
}

}  // namespace tilelab
