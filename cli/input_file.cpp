// SPDX-License-Identifier: Apache-2.0
#include "cli/input_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "cli/subcommand.h"
#include "core/diagnostics/allow.h"
#include "core/diagnostics/render.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/support/check.h"
#include "core/support/escape.h"
#include "core/support/text.h"
#include "core/targets/target.h"
#include "python/interpreter.h"
#include "session/session.h"

namespace tilelab {
namespace {

std::optional<std::string> read_text(const std::string& path) {
  std::FILE* file = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (!file) return std::nullopt;
  std::string text;
  char piece[65536];
  while (size_t n = std::fread(piece, 1, sizeof piece, file)) text.append(piece, n);
  bool bad = std::ferror(file);
  if (file != stdin) std::fclose(file);
  return bad ? std::nullopt : std::optional(text);
}

Input failed(std::string problem, int status = 1) {
  Input input;
  input.problem = std::move(problem);
  input.status = status;
  return input;
}

Input functions_of(const std::string& name, const std::string& text) {
  Input input;
  Diagnostics sink;
  input.functions = read_ir_file(name, text, sink);
  for (const FuncRef& func : input.functions) verify(*func, limits_of(*func), sink);
  std::fputs(show_messages(sink).c_str(), stderr);
  if (!sink.ok() || input.functions.empty())
    return failed(name + ": " + (sink.ok() ? "no function" : summary(sink)));
  return input;
}

std::FILE* results = nullptr;

void leave_output_to_results() {
  if (results) return;
  std::fflush(stdout);
  int own = fcntl(1, F_DUPFD_CLOEXEC, 3);
  if (own < 0 || !(results = fdopen(own, "w"))) return;
  dup2(2, 1);
}

/// Runs the file in an embedded Python and returns the IR text of its kernels.
Input python_kernels(const InputRequest& request) {
  std::string unknown;  // reported before the file runs
  if (!request.target.empty() && request.target != "auto" &&
      !parse_target(request.target, &unknown))
    return failed(unknown, 2);
  SessionOptions options;
  options.interactive = false;
  options.replace_streams = false;
  options.argv = {request.file};
  leave_output_to_results();
  static std::unique_ptr<Session> session = make_session(options);
  python::Value::List constants, shapes;
  for (const std::string& constant : request.constants) constants.emplace_back(constant);
  for (const std::string& shape : request.shapes) shapes.emplace_back(shape);
  python::CallResult made =
      python::call("tilelab._commands.batch", "kernel_texts",
                   {request.file, request.kernel, constants, shapes, request.target});
  if (made.interrupted) throw Interrupted();
  CHECK(made.ok, made.error);
  if (!made.value["problem"].text().empty())
    return failed(made.value["problem"].text(), int(made.value["status"].integer(1)));
  const std::string said = terminal_text(made.value["said"].text(), TerminalColors::kept);
  std::fputs(said.c_str(), stderr);
  Input input;
  for (const python::Value& text : made.value["texts"].list()) {
    Input one = functions_of("<ir>", text.text());
    if (!one.problem.empty()) return one;
    input.functions.insert(input.functions.end(), one.functions.begin(), one.functions.end());
  }
  for (const python::Value& name : made.value["kernels"].list())
    input.kernels.push_back(name.text());
  return input;
}

/// The only requested function, retargeted if the file leaves the target open.
Input choose(Input input, const InputRequest& request) {
  std::vector<std::string> names;
  for (const FuncRef& func : input.functions) names.push_back(func->name.str());
  if (!request.kernel.empty()) {
    std::erase_if(input.functions,
                  [&](const FuncRef& f) { return f->name.str() != request.kernel; });
    if (input.functions.empty())
      return failed(request.file + " has no kernel " + request.kernel + "; it has " +
                    join(names, ", "));
  }
  std::vector<std::string> constants = request.constants;
  constants.insert(constants.end(), request.shapes.begin(), request.shapes.end());
  if (!constants.empty())
    return failed(
        "IR text declares its constants in its header: " + constants[0] + " cannot be set", 2);
  if (request.target.empty()) return input;
  std::string problem;
  const Target* target = parse_target(request.target, &problem);
  if (!target) return failed(problem, 2);
  for (FuncRef& func : input.functions) {
    if (func->target == target->name) continue;
    if (!func->after.empty())
      return failed(func->name.str() + " was compiled for " + func->target + " (after " +
                    func->after + "); compile its elaborated text for " +
                    std::string(target->name));
    func = for_target(func, *target);
  }
  return input;
}

}  // namespace

void InputRequest::take_file(const std::string& word) {
  size_t colon = word.rfind(':');
  file = word;
  if (colon == std::string::npos || access(word.c_str(), F_OK) == 0) return;
  file = word.substr(0, colon);
  kernel = word.substr(colon + 1);
}

std::FILE* result_stream() { return results ? results : stdout; }

int fail(const char* subcommand, const std::string& problem, int status) {
  complain(" " + std::string(subcommand) + ": " + problem);
  return status;
}

std::string show_messages(const Diagnostics& sink, const Func* func) {
  const Attr* allowed = func ? find_attr(func->configs, kAllowed) : nullptr;
  const Diagnostics shown = without_allowed(sink, allowed ? allowed->string : "");
  if (shown.empty()) return "";
  StyledText text = render(shown);
  return isatty(2) ? text.ansi() : text.plain();
}

bool is_ir_file(const std::string& path) {
  std::optional<std::string> text = read_text(path);
  return text && has_ir_header(*text);
}

Input read_input(const InputRequest& request) {
  std::optional<std::string> text = read_text(request.file);
  if (!text) return failed("cannot read " + request.file, 2);
  if (!has_ir_header(*text)) return python_kernels(request);
  return choose(functions_of(request.file, *text), request);
}

}  // namespace tilelab
