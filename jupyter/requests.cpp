// SPDX-License-Identifier: Apache-2.0
#include "jupyter/requests.h"

#include <limits.h>

#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/support/check.h"
#include "jupyter/bundle.h"
#include "jupyter/history_query.h"
#include "jupyter/incoming.h"

#ifndef TILELAB_VERSION
#define TILELAB_VERSION "0"
#endif

namespace tilelab::jupyter {

namespace {

bool is_json(const std::string& mime) {
  return mime.size() >= 4 && mime.compare(mime.size() - 4, 4, "json") == 0;
}

/// The data of a display: JSON types as JSON, everything else as text.
Json data_of(const MimeBundle& bundle) {
  Json data = Json::object();
  for (const auto& [mime, text] : bundle.parts) {
    std::optional<Json> parsed = is_json(mime) ? read_json(text) : std::nullopt;
    data[mime] = parsed ? std::move(*parsed) : Json(text);
  }
  return data;
}

Json metadata_of(const MimeBundle& bundle) { return read_object(bundle.metadata); }

Json error_content(const std::string& ename, const std::string& evalue,
                   const std::vector<std::string>& traceback) {
  return {{"ename", ename}, {"evalue", evalue}, {"traceback", traceback}};
}

Json error_reply(const std::string& ename, const std::string& evalue,
                 const std::vector<std::string>& traceback = {}) {
  Json reply = error_content(ename, evalue, traceback);
  reply["status"] = "error";
  return reply;
}

/// Runs `answer`; exceptions become an error reply: a client must always get one.
template <class Answer> Json guarded(Answer answer) {
  try {
    return answer();
  } catch (const Interrupted&) {
    return error_reply("KeyboardInterrupt", "");
  } catch (const std::bad_alloc&) {
    return error_reply("MemoryError", "");
  } catch (const std::exception& e) {
    return error_reply("InternalError", e.what());
  } catch (...) {
    return error_reply("InternalError", "an unknown exception");
  }
}

int code_points(const std::string& text) {
  int n = 0;
  for (char c : text) n += (c & 0xC0) != 0x80;
  return n;
}

/// A client's cursor as a position in the code; if out of range, its end.
int within(const std::string& code, int cursor) {
  int size = code_points(code);
  return cursor < 0 || cursor > size ? size : cursor;
}

Json history_reply(const History& entries, bool with_output) {
  Json rows = Json::array();
  for (const HistoryEntry& entry : entries) {
    Json input = entry.input;
    if (with_output) {
      Json output = entry.output.empty() ? Json() : Json(entry.output);
      input = Json::array({entry.input, std::move(output)});
    }
    rows.push_back(Json::array({entry.session, entry.line, std::move(input)}));
  }
  return {{"status", "ok"}, {"history", std::move(rows)}};
}

Json expressions_of(const ExecuteResult& result) {
  Json values = Json::object();
  for (const auto& expression : result.user_expressions) {
    if (expression.ok) {
      values[expression.name] = {{"status", "ok"},
                                 {"data", data_of(expression.value)},
                                 {"metadata", metadata_of(expression.value)}};
    } else {
      values[expression.name] = error_reply(expression.ename, expression.evalue);
    }
  }
  return values;
}

}  // namespace

Requests::Requests(Wire& wire, Interrupts& interrupts) : wire_(wire), interrupts_(interrupts) {}

void Requests::attach(Session& session) {
  session_ = &session;
  banner_ = session.banner();
  version_ = python_version();
  can_debug_ = session.can_debug();
}

/// As reported by the embedded Python; a front end checks only the first digit.
std::string Requests::python_version() {
  ExecuteOptions options;
  options.silent = true;
  options.store_history = false;
  options.allow_stdin = false;
  options.user_expressions = {
      {"version", "'.'.join(map(str, __import__('sys').version_info[:3]))"}};
  ExecuteResult result = run("", options);
  if (result.user_expressions.empty() || !result.user_expressions[0].ok) return "3";
  const std::string* quoted = result.user_expressions[0].value.find("text/plain");
  return quoted && quoted->size() > 2 ? quoted->substr(1, quoted->size() - 2) : "3";
}

Requests::CellState Requests::cell() {
  std::lock_guard<std::mutex> lock(cell_mutex_);
  return cell_;
}

void Requests::set_cell(const CellState& state) {
  std::lock_guard<std::mutex> lock(cell_mutex_);
  cell_ = state;
}

void Requests::change_cell(bool CellState::*property, bool value) {
  std::lock_guard<std::mutex> lock(cell_mutex_);
  cell_.*property = value;
}

/// Entries that come between cells wait for the next one, as in ipykernel. Only the last of each
/// source is kept then, so that a timer cannot fill the memory.
void Requests::add_payload(Json entry) {
  std::lock_guard<std::mutex> lock(cell_mutex_);
  if (!cell_.runs)
    for (Json& kept : payload_)
      if (kept["source"] == entry["source"]) return kept.swap(entry);
  payload_.push_back(std::move(entry));
}

Json Requests::take_payload() {
  std::lock_guard<std::mutex> lock(cell_mutex_);
  return std::exchange(payload_, Json::array());
}

ExecuteResult Requests::run(const std::string& code, const ExecuteOptions& options) {
  ExecuteResult result;
  auto fail = [&](const std::string& ename, const std::string& evalue) {
    result = {};
    result.ok = false;
    result.count = last_count_;
    result.ename = ename;
    result.evalue = evalue;
    result.traceback = {ename + ": " + evalue};
  };
  try {
    Interrupts::Cell running(interrupts_, *session_);
    if (running.interrupted_early()) throw Interrupted();
    result = session_->execute(code, options, *this);
    change_cell(&CellState::allow_stdin, false);  // before `running` ends the questions of threads
  } catch (const Interrupted&) {
    fail("KeyboardInterrupt", "");
  } catch (const std::bad_alloc&) {
    fail("MemoryError", "");
  } catch (const std::exception& e) {
    fail("InternalError", e.what());
  } catch (...) {
    fail("InternalError", "an unknown exception");
  }
  return result;
}

Json Requests::execute(const std::string& code, bool silent, bool store_history,
                       const Json& user_expressions, bool allow_stdin) {
  ExecuteOptions options;
  options.silent = silent;
  options.store_history = store_history && !silent;
  options.allow_stdin = allow_stdin;
  if (user_expressions.is_object()) {
    for (const auto& [name, expression] : user_expressions.items())
      if (expression.is_string()) options.user_expressions.emplace_back(name, expression);
  }
  set_cell({true, silent, allow_stdin, false});
  finish_output();  // from threads that wrote after the last cell
  limit_.begin("cell " + std::to_string(session_->next_count()));
  ExecuteResult result = run(code, options);
  finish_output();
  if (!result.ok && !cell().error_shown) error(result.ename, result.evalue, result.traceback);
  set_cell({});
  last_count_ = result.count;
  if (result.exit) {
    exit_asked_ = true;
    exit_status_ = result.exit_status;
    add_payload({{"source", "ask_exit"}, {"keepkernel", false}});
  }
  Json reply = result.ok ? Json{{"status", "ok"}}
                         : error_reply(result.ename, result.evalue, result.traceback);
  reply["payload"] = take_payload();
  reply["user_expressions"] = expressions_of(result);
  return reply;
}

int Requests::next_count() const { return session_->next_count(); }

Json Requests::complete(const std::string& code, int cursor) {
  return guarded([&]() -> Json {
    Interrupts::Cell running(interrupts_, *session_);
    Completions found = session_->complete(code, within(code, cursor));
    Json matches = Json::array(), typed = Json::array();
    for (const Completion& match : found.matches) {
      matches.push_back(match.text);
      typed.push_back({{"start", found.begin},
                       {"end", found.end},
                       {"text", match.text},
                       {"type", match.type},
                       {"signature", match.signature}});
    }
    return {{"status", "ok"},
            {"matches", std::move(matches)},
            {"cursor_start", found.begin},
            {"cursor_end", found.end},
            {"metadata", {{"_jupyter_types_experimental", std::move(typed)}}}};
  });
}

Json Requests::inspect(const std::string& code, int cursor, int detail) {
  return guarded([&]() -> Json {
    Interrupts::Cell running(interrupts_, *session_);
    MimeBundle found = session_->inspect(code, within(code, cursor), detail);
    return {{"status", "ok"},
            {"found", !found.parts.empty()},
            {"data", data_of(limit_bundle(found))},
            {"metadata", metadata_of(found)}};
  });
}

Json Requests::is_complete(const std::string& code) {
  return guarded([&]() -> Json {
    Interrupts::Cell running(interrupts_, *session_);
    IsComplete answer = session_->is_complete(code);
    switch (answer.status) {
      case Completeness::complete: return {{"status", "complete"}};
      case Completeness::incomplete: return {{"status", "incomplete"}, {"indent", answer.indent}};
      case Completeness::invalid: return {{"status", "invalid"}};
      case Completeness::unknown: break;
    }
    return {{"status", "unknown"}};
  });
}

Json Requests::history_tail(int n, bool output) {
  return guarded(
      [&] { return history_reply(jupyter::history_tail(session_->history(true), n), output); });
}

Json Requests::history_range(int session, int start, int stop, bool output) {
  return guarded([&] {
    History all = session == 0 ? History() : session_->history(true);
    return history_reply(
        jupyter::history_range(all, session_->history(false), session, start, stop), output);
  });
}

Json Requests::history_search(const std::string& pattern, bool output, int n, bool unique) {
  return guarded([&] {
    return history_reply(jupyter::history_search(session_->history(true), pattern, n, unique),
                         output);
  });
}

Json Requests::kernel_info() const {
  Json language = {{"name", "python"},
                   {"version", version_},
                   {"mimetype", "text/x-python"},
                   {"file_extension", ".py"},
                   {"pygments_lexer", "ipython3"},
                   {"codemirror_mode", {{"name", "ipython"}, {"version", 3}}},
                   {"nbconvert_exporter", "python"}};
  Json links = Json::array({{{"text", "TileLang"}, {"url", "https://tilelang.com"}},
                            {{"text", "Python"}, {"url", "https://docs.python.org/3"}},
                            {{"text", "NumPy"}, {"url", "https://numpy.org/doc/stable"}}});
  return {{"status", "ok"},
          {"implementation", "tilelab"},
          {"implementation_version", TILELAB_VERSION},
          {"language_info", std::move(language)},
          {"banner", banner_},
          {"debugger", can_debug_},
          {"supported_features", can_debug_ ? Json::array({"debugger"}) : Json::array()},
          {"help_links", std::move(links)}};
}

bool Requests::comm_arrived(const CommMessage& message) {
  set_cell({true, false, false, false});
  finish_output();
  limit_.begin("a widget");
  Json done = guarded([&]() -> Json {
    Interrupts::Cell running(interrupts_, *session_);
    return session_->comm(message, *this);
  });
  finish_output();
  if (done.is_object()) error(text_of(done, "ename"), text_of(done, "evalue"), {});
  set_cell({});
  return !done.is_boolean() || done.get<bool>();
}

Json Requests::comm_info(const std::string& target) {
  return guarded([&]() -> Json {
    Json comms = Json::parse(session_->comms(target), nullptr, false);
    return {{"status", "ok"}, {"comms", comms.is_object() ? std::move(comms) : Json::object()}};
  });
}

Json Requests::debug(const Json& request) {
  Json response = guarded([&]() -> Json {
    std::optional<Json> read =
        read_json(session_->debug(request.dump(-1, ' ', false, Json::error_handler_t::replace)));
    return read ? std::move(*read) : error_reply("InternalError", "no response of the debugger");
  });
  if (response.contains("type")) return response;
  return {{"type", "response"},
          {"request_seq", request.contains("seq") ? request["seq"] : Json(0)},
          {"success", false},
          {"command", text_of(request, "command")},
          {"message", text_of(response, "evalue")}};
}

void Requests::debugging_client_gone() {
  guarded([&]() -> Json {
    session_->debugging_client_gone();
    return {};
  });
}

void Requests::end_debugging() {
  guarded([&]() -> Json {
    session_->end_debugging();
    return {};
  });
}

void Requests::debug_event(const std::string& event) {
  wire_.publish("debug_event", read_object(event));
}

bool Requests::color_errors() const {
  const char* none = std::getenv("NO_COLOR");
  return !none || !*none;
}

void Requests::stream(const std::string& name, const std::string& text) {
  wire_.stream(name, limit_.take(text));
}

/// Summarizes withheld text of the cell before anything that ends the cell.
void Requests::finish_output() { wire_.stream("stdout", limit_.finish()); }

void Requests::display(const MimeBundle& bundle, const std::string& display_id, bool update) {
  Json transient = Json::object();
  if (!display_id.empty()) transient["display_id"] = display_id;
  wire_.publish(update ? "update_display_data" : "display_data",
                {{"data", data_of(limit_bundle(bundle))},
                 {"metadata", metadata_of(bundle)},
                 {"transient", std::move(transient)}});
}

void Requests::result(int count, const MimeBundle& bundle) {
  if (cell().silent) return;
  wire_.publish("execute_result", {{"execution_count", count},
                                   {"data", data_of(limit_bundle(bundle))},
                                   {"metadata", metadata_of(bundle)}});
}

void Requests::error(const std::string& ename, const std::string& evalue,
                     const std::vector<std::string>& traceback) {
  change_cell(&CellState::error_shown, true);
  finish_output();
  wire_.publish("error", error_content(ename, evalue, traceback));
}

void Requests::clear_output(bool wait) {
  limit_.forget();
  wire_.publish("clear_output", {{"wait", wait}});
}

std::string Requests::input(const std::string& prompt, bool password) {
  std::lock_guard<std::mutex> one_question(question_mutex_);
  if (!cell().allow_stdin)
    throw std::runtime_error(cell().runs ? "input() is not supported by this front end"
                                         : "input() is available only while a cell runs");
  try {
    return wire_.ask(prompt, password);
  } catch (const Interrupted&) {
    if (cell().allow_stdin) throw;
    throw std::runtime_error("the cell ended before this question was answered");
  }
}

void Requests::page(const MimeBundle& bundle) {
  add_payload({{"source", "page"}, {"data", data_of(limit_bundle(bundle))}, {"start", 0}});
}

void Requests::set_next_input(const std::string& text, bool replace) {
  add_payload({{"source", "set_next_input"}, {"text", text}, {"replace", replace}});
}

}  // namespace tilelab::jupyter
