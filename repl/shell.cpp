// SPDX-License-Identifier: Apache-2.0
#include "repl/shell.h"

#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>

#include "core/support/text.h"
#include "core/support/width.h"
#include "repl/cell_text.h"
#include "repl/crash.h"
#include "repl/signals.h"
#include "repl/transcript.h"

namespace tilelab {
namespace {

/// A block inserted as a whole (pasted, recalled, %load'ed) needs no empty line at its end.
bool is_whole(Session& session, const std::string& code, bool in_one_piece) {
  IsComplete answer = session.is_complete(code);
  if (answer.status != Completeness::incomplete) return true;
  return in_one_piece && session.is_complete(code + "\n").status == Completeness::complete;
}

class TerminalShell {
 public:
  TerminalShell(Session& session, TerminalFrontend& frontend)
      : session_(session), frontend_(frontend) {}

  int run() {
    std::optional<int> status;
    while (!status) {
      try {
        status = step();
      } catch (const Interrupted&) {
        frontend_.stream("stdout", "\n");  // Ctrl-C between Enter and the cell: drop the cell
      } catch (const std::exception& e) {
        frontend_.stream("stderr", std::string("a bug in tilelab: ") + e.what() + "\n");
      }
    }
    return *status;
  }

 private:
  /// Reads and runs one cell, or those of a pasted session; returns the exit status if the session
  /// ends.
  std::optional<int> step() {
    std::string cell;
    if (!read_cell(cell)) {
      std::fputs("\n", stdout);
      return 0;
    }
    // The empty line that ended a block is not part of it.
    while (!cell.empty() && only_blanks(cell.substr(cell.rfind('\n') + 1)) &&
           cell.find('\n') != std::string::npos)
      cell.resize(cell.rfind('\n'));
    std::vector<std::string> cells = cells_of(cell);
    for (const std::string& code : cells) {
      if (cells.size() > 1) frontend_.stream("stdout", echo_of(code));
      if (strip(code).empty()) continue;
      if (code[0] != ' ') frontend_.add_history(code);
      set_running_cell(session_.next_count());
      ExecuteResult result = session_.execute(code, {}, frontend_);
      set_running_cell(0);
      if (result.exit) return result.exit_status;
      frontend_.end_line();
      if (!result.ok) break;
    }
    return std::nullopt;
  }

  /// If several cells were entered at once, echoes each above its output.
  std::string echo_of(const std::string& code) const {
    std::string text = prompt();
    for (char c : code) text += c == '\n' ? "\n" + continuation() : std::string(1, c);
    return text + "\n";
  }

  std::string prompt() const { return "tl[" + std::to_string(session_.next_count()) + "]> "; }

  std::string continuation() const {
    std::string first = prompt();
    return std::string(first.size() - 4, ' ') + "... ";
  }

  /// False at the end of the input. An abandoned cell is empty.
  bool read_cell(std::string& cell) {
    std::string line, indent;
    LineRequest request{prompt(), continuation(), frontend_.take_next_input(),
                        "",       true,           frontend_.color()};
    for (bool first = true;; first = false) {
      switch (frontend_.read(request, line)) {
        case LineReader::Outcome::interrupted: cell.clear(); return true;
        case LineReader::Outcome::end: cell.clear(); return !first;
        case LineReader::Outcome::line: break;
      }
      // A line of blanks is the empty line that ends a block.
      if (strip(line).empty()) line.clear();
      cell += first ? line : "\n" + line;
      if (frontend_.reads_cells()) return true;
      if (is_whole(session_, cell, line.find('\n') != std::string::npos)) return true;
      request.prompt = continuation();
      request.before = cell + "\n";
      request.prefill = session_.is_complete(cell).indent;
    }
  }

  Session& session_;
  TerminalFrontend& frontend_;
};

/// Cells from a pipe. A block continues over empty lines until a line that starts a new statement,
/// so that a script runs as with python3.
class PipeShell {
 public:
  PipeShell(Session& session, TerminalFrontend& frontend, bool keep_going)
      : session_(session), frontend_(frontend), keep_going_(keep_going) {}

  int run() try {
    std::string cell, line;
    for (int number = 1;; ++number) {
      LineReader::Outcome outcome = frontend_.read({}, line);
      constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
      if (number == 1 && line.starts_with(byte_order_mark)) line.erase(0, byte_order_mark.size());
      if (outcome == LineReader::Outcome::interrupted) throw Interrupted();
      if (outcome == LineReader::Outcome::end) break;
      if (!valid_utf8(line)) return reject_encoding(number);
      if (ends_before(cell, line) && !execute(cell)) return status_;
      cell += line + "\n";
      if (ends_with_this_line(cell, line) && !execute(cell)) return status_;
    }
    if (!strip(cell).empty()) execute(cell);
    return status_;
  } catch (const Interrupted&) {
    frontend_.stream("stderr", "KeyboardInterrupt\n");
    return 130;
  }

 private:
  /// The first line of a statement that another clause may follow: `if x: pass`, `else: pass`.
  static bool may_have_another_clause(const std::string& line) {
    return starts_with_word(line, {"if", "elif", "else", "for", "while", "try", "except", "async"});
  }

  static bool starts_with_word(const std::string& line, std::initializer_list<const char*> words) {
    for (const char* word : words) {
      size_t size = std::char_traits<char>::length(word);
      if (line.rfind(word, 0) == 0 &&
          (line.size() == size ||
           !(std::isalnum(static_cast<unsigned char>(line[size])) || line[size] == '_')))
        return true;
    }
    return false;
  }

  static bool is_cell_command(const std::string& cell) { return cell.rfind("%%", 0) == 0; }

  /// Whether the line starts a new statement after a complete block.
  bool ends_before(const std::string& cell, const std::string& line) {
    bool indented = line.empty() || line[0] == ' ' || line[0] == '\t' || line[0] == '#';
    if (cell.empty() || indented || is_cell_command(cell)) return false;
    if (starts_with_word(line, {"else", "elif", "except", "finally"})) return false;
    return session_.is_complete(cell).status == Completeness::complete;
  }

  /// No block is open. Does not recompile a long block for each of its indented lines.
  bool ends_with_this_line(std::string& cell, const std::string& line) {
    std::string_view text = strip(cell);
    if (text.empty()) cell.clear();
    if (text.empty() || text[0] == '#') return false;
    if (is_cell_command(cell)) return line.empty();
    if (cell.size() > 2000 && (line.empty() || line[0] == ' ' || line[0] == '\t')) return false;
    if (line.empty()) return false;
    Completeness status = session_.is_complete(cell.substr(0, cell.size() - 1)).status;
    bool open = status == Completeness::complete &&
                (may_have_another_clause(line) || may_have_another_clause(cell));
    return status != Completeness::incomplete && !open;
  }

  /// The encoding of a program may be another one, but cells run before all lines have been read.
  int reject_encoding(int number) {
    frontend_.stream("stderr", "tilelab: line " + std::to_string(number) +
                                   " of the standard input is not UTF-8; run a program in "
                                   "another encoding as tilelab -\n");
    return 1;
  }

  /// False: the shell ends with status_.
  bool execute(std::string& cell) {
    ExecuteResult result = session_.execute(cell, {}, frontend_);
    cell.clear();
    frontend_.flush();
    if (result.exit) status_ = result.exit_status;
    if (!result.ok) status_ = result.ename == "KeyboardInterrupt" ? 130 : 1;
    return !result.exit && (result.ok || keep_going_);
  }

  Session& session_;
  TerminalFrontend& frontend_;
  bool keep_going_;
  int status_ = 0;
};

std::string init_file() {
  const char *config = std::getenv("XDG_CONFIG_HOME"), *home = std::getenv("HOME");
  if (config && *config) return std::string(config) + "/tilelab/init.py";
  return home && *home ? std::string(home) + "/.config/tilelab/init.py" : "";
}

/// Runs the user's init.py as an unnumbered cell; an error in it is shown and the shell continues.
void run_init_file(Session& session, TerminalFrontend& frontend) {
  std::string path = init_file();
  std::ifstream file(path);
  if (path.empty() || !file) return;
  std::stringstream text;
  text << file.rdbuf();
  ExecuteOptions options;
  options.silent = true;
  options.store_history = false;
  options.name = path;
  session.execute(text.str(), options, frontend);
}

}  // namespace

int run_shell(Session& session, TerminalFrontend& frontend, const ShellOptions& options,
              ShellInterrupts& interrupts) {
  interrupts.listen();
  std::unique_ptr<LineReader> reader;
  if (isatty(0) && isatty(1)) reader = make_readline_reader(session);
  if (!reader) reader = make_plain_reader();
  frontend.set_reader(std::move(reader));
  if (options.run_init && isatty(0)) run_init_file(session, frontend);
  int status = 0;
  if (isatty(0)) {
    report_crashes();
    if (!options.quiet) frontend.stream("stdout", session.banner());
    frontend.flush();
    if (!options.first.empty()) session.execute(options.first, {}, frontend);
    status = TerminalShell(session, frontend).run();
  } else {
    status = PipeShell(session, frontend, options.keep_going).run();
  }
  return status;
}

}  // namespace tilelab
