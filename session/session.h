// SPDX-License-Identifier: Apache-2.0
// Shared by the shell and the notebook kernel: cells, commands, completion, history. A front end
// implements Frontend, owns one Session and calls it from one thread; only interrupt() may be
// called from another.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tilelab {

/// One value in several representations: {"text/plain", ...}, {"text/html", ...}, ...
/// Binary types (image/png) are base64, JSON types (application/json, ...+json) are JSON text.
/// text/plain is always present and complete.
struct MimeBundle {
  std::vector<std::pair<std::string, std::string>> parts;
  std::string metadata;  // JSON text, {mime: {...}}; "" = none

  bool empty() const { return parts.empty(); }
  const std::string* find(const std::string& mime) const {
    for (const auto& [type, data] : parts)
      if (type == mime) return &data;
    return nullptr;
  }
};

/// Thrown by Frontend::input when the user interrupts it; becomes Python's KeyboardInterrupt.
/// Thrown by Session's queries (complete, inspect, is_complete) and by make_session as well.
struct Interrupted {};
/// Thrown by Frontend::input at the end of the input (Ctrl-D); becomes Python's EOFError.
struct EndOfInput {};

/// A message between a widget of a cell and its view in a browser.
struct CommMessage {
  std::string type;                       // "comm_open", "comm_msg", "comm_close"
  std::string header, content, metadata;  // JSON text; the header of incoming messages
  std::vector<std::string> buffers;       // bytes
};

/// Receives a cell's output in order, without delaying any until the end of the cell. Calls never
/// overlap, except that stream() may be called while input() waits. They come from the thread that
/// called Session, except for stream() and display(): text of the user's threads, and of C code if
/// descriptors are captured, comes from other threads, and even between cells. A front end must
/// therefore live as long as the session.
class Frontend {
 public:
  virtual ~Frontend() = default;
  virtual void stream(const std::string& name, const std::string& text) = 0;  // "stdout", "stderr"
  /// Flushes what stream() keeps in a buffer of C's stdio.
  virtual void flush() {}
  virtual void display(const MimeBundle& bundle, const std::string& display_id, bool update) = 0;
  virtual void result(int count, const MimeBundle& bundle) = 0;
  /// Once for a cell that failed, silent or not; the last call of its cell except flush().
  virtual void error(const std::string& ename, const std::string& evalue,
                     const std::vector<std::string>& traceback) = 0;
  virtual void clear_output(bool wait) = 0;
  /// One line from the user. Throws Interrupted; throws std::runtime_error if there is no stdin.
  virtual std::string input(const std::string& prompt, bool password) = 0;
  /// Long text for a pager (help, %source of a long kernel).
  virtual void page(const MimeBundle& bundle) = 0;
  /// Whether page() shows long text by screens; output of commands then uses it too.
  virtual bool pages() const { return false; }
  /// Text for the next prompt or cell (%load, %%ir of an existing kernel).
  virtual void set_next_input(const std::string& text, bool replace) = 0;
  /// An event of the debugger, as JSON text. Comes from any thread.
  virtual void debug_event(const std::string&) {}
  /// Without comms, messages are dropped.
  virtual void comm(const CommMessage&) {}
  /// The header of the current request, as JSON text; "" without requests.
  virtual std::string request_header() const { return ""; }
  /// Columns of the terminal; 100 in a notebook.
  virtual int width() const { return 100; }
  /// Whether text/plain may have ANSI colors.
  virtual bool color() const { return false; }
  /// The same for tracebacks, which notebooks color although they have HTML for other output.
  virtual bool color_errors() const { return color(); }
};

struct ExecuteOptions {
  bool silent = false;  // no result(); other output as usual (as in ipykernel)
  bool store_history = true;
  bool allow_stdin = true;
  std::string name;  // of the cell's source ("" = "cell N"), as diagnostics show it
  std::vector<std::pair<std::string, std::string>> user_expressions;  // name, expression
};

struct ExecuteResult {
  bool ok = true;
  int count = 0;  // the cell's number
  std::string ename, evalue;
  std::vector<std::string> traceback;
  struct UserExpression {
    std::string name;
    bool ok = true;
    MimeBundle value;           // if ok
    std::string ename, evalue;  // if not
  };
  std::vector<UserExpression> user_expressions;
  bool exit = false;  // the user called exit(n)
  int exit_status = 0;
};

struct Completion {
  std::string text, type,
      signature;  // type: function, class, module, statement, command, kernel...
};

/// Candidates replace code points [begin, end) of the code.
struct Completions {
  std::vector<Completion> matches;
  int begin = 0, end = 0;
};

enum class Completeness { complete, incomplete, invalid, unknown };

struct IsComplete {
  Completeness status = Completeness::unknown;
  std::string indent;  // of the next line, with incomplete only
};

struct HistoryEntry {
  int session = 0, line = 0;
  std::string input, output;
};

struct SessionOptions {
  bool interactive = true;        // a terminal user: banners, history file, device notes
  std::string history_file;       // "" = none
  std::vector<std::string> argv;  // sys.argv of the embedded Python
  /// Sends text that C code and child processes write to file descriptors 1 and 2 to stream(). For
  /// a notebook; a terminal shows it anyway.
  bool capture_descriptors = false;
  /// The front end replaces sys.stdout, sys.stdin, input(); false for `tilelab script.py`.
  bool replace_streams = true;
};

class Session {
 public:
  virtual ~Session() = default;
  virtual ExecuteResult execute(const std::string& code, const ExecuteOptions& options,
                                Frontend& frontend) = 0;
  /// A comm message from the front end; false: no handler. Runs the user's code.
  virtual bool comm(const CommMessage&, Frontend&) { return false; }
  /// The open comms of a target ("" = all), as JSON text: {id: {"target_name": ...}}.
  virtual std::string comms(const std::string&) { return "{}"; }
  // Queries may be interrupted like cells; they throw only Interrupted.
  /// Cursor positions are Unicode code points.
  virtual Completions complete(const std::string& code, int cursor) = 0;
  /// detail 0: signature and documentation; 1: source as well. Empty bundle: nothing found.
  virtual MimeBundle inspect(const std::string& code, int cursor, int detail) = 0;
  virtual IsComplete is_complete(const std::string& code) = 0;
  /// Entries of this session and, with a history file, of earlier ones.
  virtual std::vector<HistoryEntry> history(bool all_sessions) const = 0;
  virtual int next_count() const = 0;  // the number of the next stored cell
  // Debugging by a front end, in the Debug Adapter Protocol. These come from one thread of their
  // own, since a reply may wait for the program that the debugger has stopped.
  /// Whether the session's Python has the debugger.
  virtual bool can_debug() { return false; }
  /// The response to a request; both are JSON text.
  virtual std::string debug(const std::string&) { return ""; }
  /// Lets the program continue after the last client has disconnected.
  virtual void debugging_client_gone() {}
  /// Ends the wait of debug(); from the thread that runs cells.
  virtual void end_debugging() {}
  /// Interrupts the running Python code, simulation or compilation. Thread-safe, does not wait.
  virtual void interrupt() = 0;
  /// From now on interrupt() concerns the next cell or query, if none runs.
  virtual void expect_interrupts() {}
  virtual std::string banner() const = 0;
};

/// Starts the embedded Python and a session in it; once per process, on the thread that will run
/// cells. Throws std::runtime_error, with a message for the user, if Python cannot start.
std::unique_ptr<Session> make_session(const SessionOptions& options);

}  // namespace tilelab
