// SPDX-License-Identifier: Apache-2.0
// The module _tilelab_host: the C++ interface for the Python side of a session. All functions run
// with the GIL held; those that wait for the user release it.
#include <unistd.h>

#include <cstdio>
#include <optional>
#include <stdexcept>

#include "core/support/escape.h"
#include "core/support/function_ref.h"
#include "core/support/memory_reserve.h"
#include "python/interpreter.h"
#include "session/command.h"
#include "session/state.h"
#include "session/text_of_bytes.h"
#include "views/shown.h"

namespace tilelab {

using python::HostError;
using python::Value;
using Arguments = std::vector<Value>;

SessionState& session_state() {
  static SessionState state;
  return state;
}

MimeBundle to_bundle(const Value& parts, const std::string& metadata) {
  MimeBundle bundle;
  for (const auto& [mime, data] : parts.dict()) bundle.parts.emplace_back(mime, data.text());
  bundle.metadata = metadata;
  return bundle;
}

namespace {

const Value& at(const Arguments& arguments, size_t i) {
  static const Value none;
  return i < arguments.size() ? arguments[i] : none;
}

/// Calls the front end, after flushing text of C code.
void show(FunctionRef<void(Frontend&)> action) {
  SessionState& state = session_state();
  if (!state.frontend) return;
  auto run = [&] { action(*state.frontend); };
  state.capture ? state.capture->in_order(run) : run();
}

Value host_write(const Arguments& arguments) {
  SessionState& state = session_state();
  const std::string &name = at(arguments, 0).text(), &text = at(arguments, 1).text();
  if (!state.frontend) {
    std::fwrite(text.data(), 1, text.size(), name == "stderr" ? stderr : stdout);
    return {};
  }
  show([&](Frontend& frontend) { frontend.stream(name, text); });
  return {};
}

Value host_flush(const Arguments&) {
  show([](Frontend& frontend) { frontend.flush(); });
  return {};
}

/// A program has no front end: displayed objects are printed, in order with other output.
Value print_bundle(const MimeBundle& bundle) {
  const std::string* text = bundle.find("text/plain");
  if (!text || text->empty()) return {};
  std::string line = text->back() == '\n' ? text->substr(0, text->size() - 1) : *text;
  python::call("builtins", "print", {line});
  return {};
}

Value host_display(const Arguments& arguments) {
  MimeBundle bundle = to_bundle(at(arguments, 0), at(arguments, 1).text());
  if (!session_state().frontend) return print_bundle(bundle);
  show([&](Frontend& frontend) {
    frontend.display(bundle, at(arguments, 2).text(), at(arguments, 3).boolean());
  });
  return {};
}

Value host_result(const Arguments& arguments) {
  MimeBundle bundle = to_bundle(at(arguments, 0), at(arguments, 1).text());
  SessionState& state = session_state();
  if (!state.frontend) return print_bundle(bundle);
  if (const std::string* text = bundle.find("text/plain")) state.last_result = *text;
  if (!state.silent) show([&](Frontend& frontend) { frontend.result(state.count, bundle); });
  return {};
}

Value host_clear_output(const Arguments& arguments) {
  show([&](Frontend& frontend) { frontend.clear_output(at(arguments, 0).boolean()); });
  return {};
}

Value host_page(const Arguments& arguments) {
  MimeBundle bundle = to_bundle(at(arguments, 0), "");
  if (!session_state().frontend) return print_bundle(bundle);
  show([&](Frontend& frontend) { frontend.page(bundle); });
  return {};
}

Value host_set_next_input(const Arguments& arguments) {
  show([&](Frontend& frontend) {
    frontend.set_next_input(at(arguments, 0).text(), at(arguments, 1).boolean());
  });
  return {};
}

Value host_input(const Arguments& arguments) {
  SessionState& state = session_state();
  if (!state.frontend || !state.allow_stdin)
    throw HostError{"RuntimeError",
                    "this front end has no standard input: input() is not available"};
  std::string prompt = at(arguments, 0).text();
  bool password = at(arguments, 1).boolean();
  if (state.capture) state.capture->drain();
  if (python::take_interrupt()) throw HostError{"KeyboardInterrupt", ""};
  auto ask = [&, frontend = state.frontend] {  // read with the GIL: the session may end meanwhile
    python::NoGil others_run;
    return frontend->input(prompt, password);
  };
  try {
    return ask();
  } catch (const Interrupted&) {
    python::take_interrupt();  // the same one, if it was also sent as a signal
    throw HostError{"KeyboardInterrupt", ""};
  } catch (const EndOfInput&) {
    throw HostError{"EOFError", "the input ended"};
  } catch (const std::runtime_error& e) {
    throw HostError{"RuntimeError", e.what()};
  }
}

Value host_isatty(const Arguments& arguments) {
  return !session_state().capture && isatty(int(at(arguments, 0).integer())) != 0;
}

/// Whether output goes to a page, where a carriage return redraws the line.
Value host_captures(const Arguments&) { return session_state().capture != nullptr; }

Value host_width(const Arguments&) {
  SessionState& state = session_state();
  return state.frontend ? state.frontend->width() : 80;
}

Value host_pages(const Arguments&) {
  SessionState& state = session_state();
  return state.frontend && state.frontend->pages();
}

Value host_color(const Arguments&) {
  SessionState& state = session_state();
  return state.frontend && state.frontend->color();
}

Value host_has_input(const Arguments&) {
  return session_state().frontend && session_state().allow_stdin;
}

Value host_color_errors(const Arguments&) {
  SessionState& state = session_state();
  return state.frontend ? state.frontend->color_errors() : isatty(2) != 0;
}

Value host_terminal_text(const Arguments& arguments) {
  return terminal_text(at(arguments, 0).text(), TerminalColors::kept);
}

Value host_release_memory(const Arguments&) {
  release_memory_reserve();
  return {};
}

/// comm(type, content, metadata, [buffer as Latin-1 text])
Value host_comm(const Arguments& arguments) {
  CommMessage message{
      at(arguments, 0).text(), "", at(arguments, 1).text(), at(arguments, 2).text(), {}};
  for (const Value& buffer : at(arguments, 3).list())
    message.buffers.push_back(bytes_of_text(buffer.text()));
  show([&](Frontend& frontend) { frontend.comm(message); });
  return {};
}

/// debug_event(event as JSON): from threads of the debugger, while a cell may hold what orders
/// output.
Value host_debug_event(const Arguments& arguments) {
  if (Frontend* frontend = session_state().frontend) frontend->debug_event(at(arguments, 0).text());
  return {};
}

/// next_debug_request(): waits; None at the end of the session. "": the last client has gone.
Value host_next_debug_request(const Arguments&) {
  std::optional<std::string> request;
  {
    python::NoGil others_run;
    request = session_state().debug_channel.next();
  }
  return request ? Value(*request) : Value();
}

Value host_debug_reply(const Arguments& arguments) {
  session_state().debug_channel.reply(at(arguments, 0).text());
  return {};
}

Value host_request_header(const Arguments&) {
  SessionState& state = session_state();
  return state.frontend ? state.frontend->request_header() : std::string();
}

Value host_takes_code(const Arguments& arguments) {
  const Command* command = find_command(at(arguments, 0).text());
  return command && (command->kinds & (takes_code | takes_expressions));
}

/// Rows for `%help` in Python and for the generated documentation.
Value host_commands(const Arguments&) {
  Value::List rows;
  for (const Command& command : commands())
    rows.push_back(Value::Dict{{"name", command.name},
                               {"usage", command.usage},
                               {"doc", command.doc},
                               {"help", command_help(command)},
                               {"line", bool(command.kinds & line_command)},
                               {"cell", bool(command.kinds & cell_command)}});
  return rows;
}

Value entries_to_value(const std::vector<HistoryEntry>& entries) {
  Value::List rows;
  for (const HistoryEntry& entry : entries)
    rows.push_back(Value::List{entry.session, entry.line, entry.input, entry.output});
  return rows;
}

/// history(all): [(session, line, input, output)]
Value host_history(const Arguments& arguments) {
  return entries_to_value(session_state().session->history(at(arguments, 0).boolean()));
}

Value failure(std::string message) { return Value::Dict{{"command_error", std::move(message)}}; }

Value parsed_call(const CommandCall& call) {
  Value::List args;
  for (const std::string& arg : call.args) args.push_back(arg);
  Value::Dict options;
  for (const auto& [name, value] : call.options) options.emplace_back(name, value);
  return Value::Dict{{"python", call.name},
                     {"args", args},
                     {"options", options},
                     {"line", call.line},
                     {"cell", call.cell ? Value(*call.cell) : Value()},
                     {"lines_above", call.lines_above}};
}

/// Runs a C++ handler and returns {text, html, json, page} or {command_error}.
Value run_handler(const Command& command, CommandCall& call) {
  CommandOutput output;
  {
    // A handler may take long; code inside it that needs Python takes the GIL.
    python::NoGil others_run;
    output = command.handler(call);
  }
  if (!output.error.empty()) return failure(output.error);
  return Value::Dict{{"text", output.text},
                     {"html", output.html},
                     {"json", output.json},
                     {"as_json", call.has("--json")},
                     {"page", output.page}};
}

/// command(name, line, cell or None, lines_above): parses; runs a C++ handler, or returns the
/// parsed call for a Python one.
Value host_command(const Arguments& arguments) {
  const std::string& name = at(arguments, 0).text();
  const Command* command = find_command(name);
  if (!command) return failure(unknown_command(name));
  SessionState& state = session_state();
  CommandCall call;
  bool is_cell = !at(arguments, 2).is_none();
  if (is_cell && !(command->kinds & cell_command))
    return failure("%" + name + " is not a cell command; write it with one %");
  std::string error = parse_command(*command, at(arguments, 1).text(), call);
  if (!error.empty()) return failure(error);
  if (call.has("--help")) return Value::Dict{{"text", hanging(command_page(*command))}};
  if (!is_cell && !(command->kinds & line_command))
    return failure("%" + name + " needs a cell; write it as %%" + name);
  if (is_cell) call.cell = at(arguments, 2).text();
  call.lines_above = int(at(arguments, 3).integer());
  call.session = state.session;
  call.frontend = state.frontend;
  call.width = state.frontend ? state.frontend->width() : 80;
  call.color = state.frontend && state.frontend->color();
  return command->handler == in_python ? parsed_call(call) : run_handler(*command, call);
}

}  // namespace

void add_host_module() {
  python::add_module("_tilelab_host", {{"write", host_write},
                                       {"flush", host_flush},
                                       {"display", host_display},
                                       {"result", host_result},
                                       {"clear_output", host_clear_output},
                                       {"page", host_page},
                                       {"pages", host_pages},
                                       {"set_next_input", host_set_next_input},
                                       {"input", host_input},
                                       {"isatty", host_isatty},
                                       {"captures", host_captures},
                                       {"width", host_width},
                                       {"color", host_color},
                                       {"color_errors", host_color_errors},
                                       {"comm", host_comm},
                                       {"debug_event", host_debug_event},
                                       {"next_debug_request", host_next_debug_request},
                                       {"debug_reply", host_debug_reply},
                                       {"has_input", host_has_input},
                                       {"terminal_text", host_terminal_text},
                                       {"release_memory", host_release_memory},
                                       {"request_header", host_request_header},
                                       {"takes_code", host_takes_code},
                                       {"commands", host_commands},
                                       {"history", host_history},
                                       {"command", host_command}});
}

}  // namespace tilelab
