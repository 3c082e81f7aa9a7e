// SPDX-License-Identifier: Apache-2.0
// The session: sends cells to tilelab._session.shell in the embedded Python, which returns data.
#include "session/session.h"

#include <unistd.h>

#include <new>
#include <stdexcept>
#include <utility>

#include "core/support/check.h"
#include "core/support/escape.h"
#include "core/support/function_ref.h"
#include "core/support/memory_reserve.h"
#include "core/support/text.h"
#include "python/interpreter.h"
#include "session/command.h"
#include "session/devices.h"
#include "session/program.h"
#include "session/state.h"
#include "session/text_of_bytes.h"
#include "session/text_position.h"
#include "views/shown.h"

namespace tilelab {
namespace {

using python::Value;

constexpr const char* shell_module = "tilelab._session.shell";
constexpr const char* command_room = "tilelab._commands";

/// Calls the Python side. Its entry points raise nothing, so an exception is a bug of tilelab,
/// except for an interrupt, which may arrive while an entry point reports how the user's code
/// ended.
Value call_shell(const char* function, const std::vector<Value>& arguments,
                 const char* module = shell_module) {
  python::CallResult result = python::call(module, function, arguments);
  if (result.interrupted) throw Interrupted();
  if (!result.ok) throw InternalError(std::string(function) + ": " + result.error);
  return std::move(result.value);
}

Value::Dict execute_arguments(const ExecuteOptions& options, int count, std::string name) {
  Value::List expressions;
  for (const auto& [key, text] : options.user_expressions)
    expressions.push_back(Value::List{key, text});
  return {{"count", count},
          {"store", options.store_history},
          {"name", std::move(name)},
          {"expressions", std::move(expressions)}};
}

MimeBundle packed_bundle(const Value& pair) {
  if (pair.list().size() != 2) return {};
  return to_bundle(pair.list()[0], pair.list()[1].text());
}

/// Whether a candidate can be listed and inserted: a terminal or the line would act on others.
bool is_one_word(const std::string& text) {
  return terminal_text(text) == text && text.find_first_of("\n\t") == std::string::npos;
}

std::vector<std::string> lines_of(const Value& list) {
  std::vector<std::string> lines;
  for (const Value& line : list.list()) lines.push_back(line.text());
  return lines;
}

void read_user_expressions(const Value& list, ExecuteResult& result) {
  for (const Value& item : list.list()) {
    ExecuteResult::UserExpression expression;
    expression.name = item["name"].text();
    expression.ok = item["error"].is_none();
    expression.value = packed_bundle(item["value"]);
    expression.ename = item["error"]["ename"].text();
    expression.evalue = item["error"]["evalue"].text();
    result.user_expressions.push_back(std::move(expression));
  }
}

void read_outcome(const Value& answer, ExecuteResult& result) {
  const Value& error = answer["error"];
  result.exit = answer["exit"].boolean();
  result.exit_status = int(answer["status"].integer());
  read_user_expressions(answer["user_expressions"], result);
  if (error.is_none()) return;
  result.ok = false;
  result.ename = error["ename"].text();
  result.evalue = error["evalue"].text();
  result.traceback = lines_of(error["traceback"]);
}

class PythonSession final : public Session {
 public:
  explicit PythonSession(const SessionOptions& options) : state_(session_state()) {
    keep_memory_reserve();
    state_.session = this;
    state_.options = options;
    state_.history = History(options.history_file);
    add_host_module();
    std::string error = python::start({options.argv});
    if (!error.empty()) throw std::runtime_error("Python failed to start: " + error);
    call_shell("start", {Value::Dict{{"interactive", options.interactive},
                                     {"streams", options.replace_streams}}});
    call_shell("register", {}, command_room);
    if (options.capture_descriptors) start_capture();
    if (options.replace_streams) watch_forks();
  }

  ~PythonSession() override {
    python::finish();  // exit handlers may still print
    state_.history.compact();
    state_.capture.reset();
    state_.session = nullptr;
    state_.frontend = nullptr;
  }

  ExecuteResult execute(const std::string& code, const ExecuteOptions& options,
                        Frontend& frontend) override {
    state_.frontend = &frontend;
    ExecuteResult result;
    try {
      read_outcome(run_cell(code, options), result);
    } catch (const Interrupted&) {
      result.ok = false;
      result.ename = "KeyboardInterrupt";
      result.traceback = {"KeyboardInterrupt"};
    } catch (const std::bad_alloc&) {
      release_memory_reserve();
      result.ok = false;
      result.ename = "MemoryError";
      result.traceback = {"MemoryError"};
    } catch (const std::exception& e) {
      result.ok = false;
      result.ename = "InternalError";
      result.evalue = e.what();
      result.traceback = {"a bug in tilelab; the session continues", e.what()};
    }
    result.count = state_.count;
    end_cell(result);
    if (is_forked()) _exit(1);  // the entry point did not reach the exit of a forked child
    return result;
  }

  bool comm(const CommMessage& message, Frontend& frontend) override {
    state_.frontend = &frontend;
    Value::List buffers;
    for (const std::string& bytes : message.buffers) buffers.push_back(text_of_bytes(bytes));
    bool taken;
    {
      python::Gil gil;
      python::Interruptible interruptible;
      taken = call_shell("comm_arrived", {message.type, message.header, message.content,
                                          message.metadata, std::move(buffers)})
                  .boolean();
    }
    if (state_.capture) state_.capture->drain();
    frontend.flush();
    return taken;
  }

  std::string comms(const std::string& target) override {
    return answered<Value>([&] { return call_shell("comms_of", {target}); }).text();
  }

  Completions complete(const std::string& code, int cursor) override {
    return answered<Completions>([&] {
      Completions completions;
      if (complete_as_command(code, cursor, completions)) return completions;
      return complete_in_python("complete", code, cursor);
    });
  }

  MimeBundle inspect(const std::string& code, int cursor, int detail) override {
    return answered<MimeBundle>([&] {
      return to_bundle(call_shell("inspect", {code, cursor, detail}), "");
    });
  }

  IsComplete is_complete(const std::string& code) override {
    Value answer = answered<Value>([&] { return call_shell("is_complete", {code}); });
    const std::string& status = answer["status"].text();
    IsComplete result;
    result.status = status == "complete"     ? Completeness::complete
                    : status == "incomplete" ? Completeness::incomplete
                    : status == "invalid"    ? Completeness::invalid
                                             : Completeness::unknown;
    result.indent = answer["indent"].text();
    return result;
  }

  std::vector<HistoryEntry> history(bool all_sessions) const override {
    std::vector<HistoryEntry> entries;
    if (all_sessions) entries = state_.history.earlier();
    for (HistoryEntry entry : state_.history.own()) {
      entry.session = all_sessions ? state_.history.session() : 0;
      entries.push_back(std::move(entry));
    }
    return entries;
  }

  int next_count() const override { return state_.count + 1; }

  bool can_debug() override {
    return answered<Value>([&] { return call_shell("can_debug", {}); }).boolean();
  }
  std::string debug(const std::string& request) override {
    if (!std::exchange(debugs_, true)) call_shell("start_debugging", {});
    return state_.debug_channel.ask(request);
  }
  void debugging_client_gone() override { debug(""); }
  void end_debugging() override {
    state_.debug_channel.close();
    call_shell("end_debugging", {});
  }

  void interrupt() override { python::interrupt(); }
  void expect_interrupts() override { python::expect_interrupts(); }

  std::string banner() const override {
    std::string text = "tilelab " TILELAB_VERSION ", Python " + python::version() +
                       "   %help lists commands, Ctrl-D exits\n" + where_kernels_run() + "\n";
    for (const std::string& note : {python::start_note(), state_.history.problem()})
      if (!note.empty()) text += "note: " + note + "\n";
    return text;
  }

 private:
  /// The answer to a query of the front end. A bug of tilelab fails the query, not the session; an
  /// interrupt is propagated, as the user may mean the whole line.
  template <class Answer> static Answer answered(FunctionRef<Answer()> question) {
    try {
      python::Gil gil;
      python::Interruptible interruptible;
      return question();
    } catch (const std::exception&) {
      return Answer();
    }
  }

  /// With the GIL, which guards the session's state: threads of the user read it at any time.
  Value run_cell(const std::string& code, const ExecuteOptions& options) {
    python::Gil gil;
    begin_cell(code, options);
    std::string name = options.name.empty() ? cell_name(options) : options.name;
    python::Interruptible interruptible;
    Value answer = call_shell("execute", {code, execute_arguments(options, state_.count, name)});
    if (options.store_history && !state_.last_result.empty())
      state_.history.set_output(state_.last_result);
    return answer;
  }

  void begin_cell(const std::string& code, const ExecuteOptions& options) {
    set_page_columns(size_t(state_.frontend->width()));
    state_.silent = options.silent;
    state_.allow_stdin = options.allow_stdin;
    state_.last_result.clear();
    if (options.store_history) {
      ++state_.count;
      state_.history.add(state_.count, code);
    }
  }

  void end_cell(const ExecuteResult& result) {
    if (state_.capture) state_.capture->drain();
    state_.silent = false;
    if (!result.ok) state_.frontend->error(result.ename, result.evalue, result.traceback);
    state_.frontend->flush();
    if (result.ename != "MemoryError") refill_memory_reserve();
  }

  std::string cell_name(const ExecuteOptions& options) {
    if (options.store_history) return "cell " + std::to_string(state_.count);
    return "unnumbered cell " + std::to_string(++unnumbered_);
  }

  void start_capture() {
    state_.capture = std::make_unique<Capture>([](const char* stream, const std::string& text) {
      if (Frontend* frontend = session_state().frontend) frontend->stream(stream, text);
    });
  }

  Completions complete_in_python(const char* function, const std::string& code, int cursor) {
    Value answer = call_shell(function, {code, cursor});
    Completions completions;
    completions.begin = int(answer["begin"].integer(cursor));
    completions.end = int(answer["end"].integer(cursor));
    for (const Value& match : answer["matches"].list()) {
      const Value::List& fields = match.list();
      if (fields.size() == 3 && is_one_word(fields[0].text()))
        completions.matches.push_back(
            {fields[0].text(), fields[1].text(), terminal_text(fields[2].text())});
    }
    return completions;
  }

  /// Completes a line that starts with % or :. False: it is Python, or a Python word in it.
  bool complete_as_command(const std::string& code, int cursor, Completions& completions) {
    size_t end = byte_offset(code, cursor);
    size_t start = code.rfind('\n', end ? end - 1 : 0);
    start = start == std::string::npos || end == 0 ? 0 : start + 1;
    CommandCompletion found = complete_command(std::string_view(code).substr(start, end - start));
    if (!found.is_command || found.kind == "code" || found.kind == "name") return false;
    if (found.kind == "file" || found.kind == "directory") {
      completions = complete_in_python("complete_file", found.word, code_points(found.word));
      completions.begin = cursor - code_points(found.word);
      completions.end = cursor;
      return true;
    }
    completions.begin = cursor - code_points(found.word);
    completions.end = cursor;
    completions.matches = std::move(found.matches);
    return true;
  }

  SessionState& state_;
  int unnumbered_ = 0;
  bool debugs_ = false;  // for the thread that calls debug()
};

}  // namespace

int run_program(Session&, const Program& program) {
  static const char* const kinds[] = {"file", "code", "module"};
  Value::List argv;
  for (const std::string& argument : program.argv) argv.push_back(argument);
  python::Gil gil;
  python::Interruptible interruptible;
  return int(call_shell("run_program", {kinds[program.kind], program.text, argv}).integer());
}

void begin_interactive(Session&) {
  call_shell("begin_interactive", {});
  watch_forks();
}

std::unique_ptr<Session> make_session(const SessionOptions& options) {
  CHECK(!session_state().session, "one session a process");
  return std::make_unique<PythonSession>(options);
}

}  // namespace tilelab
