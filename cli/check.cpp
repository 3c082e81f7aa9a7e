// SPDX-License-Identifier: Apache-2.0
// `tilelab check FILE`: runs a program with every detector; IR text gets random arguments.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <random>

#include "cli/input_file.h"
#include "cli/subcommand.h"
#include "core/ir/build.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/sim/sim.h"
#include "core/support/text.h"
#include "python/interpreter.h"
#include "session/program.h"
#include "session/session.h"
#include "views/report_view.h"

namespace tilelab {
namespace {

/// Arguments of a function all of whose extents are constants; values in [-1, 1), integers in
/// [0, 8). Owns their memory.
struct RandomArguments {
  std::vector<std::vector<uint64_t>> memory;
  std::vector<sim::Argument> arguments;

  /// "" or the reason why there are none.
  std::string fill(const Func& func) {
    std::mt19937_64 random(1);
    for (const Stmt& stmt : func.params) {
      const Param& param = to<Param>(stmt);
      const Buffer* tensor = as<Buffer>(param.tensor);
      if (!tensor)
        return "parameter " + param.name.str() + " is a scalar; call the kernel in a Python file";
      std::vector<int64_t> shape;
      int64_t count = 1;
      for (const Expr& extent : tensor->shape) {
        std::optional<int64_t> value = int_value(extent);
        if (!value)
          return "tensor " + param.name.str() +
                 " has dynamic extents; call the kernel in a Python file";
        shape.push_back(*value);
        count *= *value;
      }
      add(param.dtype, std::move(shape), count, random);
    }
    return "";
  }

 private:
  void add(DType dtype, std::vector<int64_t> shape, int64_t count, std::mt19937_64& random) {
    size_t size = size_t(bytes(dtype));
    memory.emplace_back((size_t(count) * size + 7) / 8 + 1);
    char* data = reinterpret_cast<char*>(memory.back().data());
    for (int64_t i = 0; i < count; ++i) {
      double unit = double(random() >> 11) * 0x1p-52 - 1;
      uint64_t value = is_float(dtype)         ? encode_float(dtype, unit)
                       : dtype == DType::bool_ ? random() & 1
                                               : random() & 7;
      __builtin_memcpy(data + size_t(i) * size, &value, size);
    }
    arguments.push_back(sim::tensor_argument(dtype, std::move(shape), data));
  }
};

/// The function at its level and at the lower ones: the last snapshot of each.
std::vector<FuncRef> levels_of(const FuncRef& func, Diagnostics& said) {
  std::vector<FuncRef> out = {func};
  const PipelineResult made = run_passes_on_text(func, said);
  for (const Snapshot& snapshot : made.snapshots) {
    if (snapshot.func->level != out.back()->level)
      out.push_back(snapshot.func);
    else if (out.size() > 1)
      out.back() = snapshot.func;
  }
  return out;
}

/// Runs a level on the arguments, with every detector.
CheckedRun check_level(const Func& func, double seconds, std::string& problem) {
  RandomArguments random;
  CheckedRun run{std::string(name(func.level)), {}};
  problem = random.fill(func);
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  options.seconds = seconds;
  options.not_finite = true;
  if (problem.empty()) run.result = sim::run(func, random.arguments, options);
  return run;
}

/// Adds the levels that the passes could not produce, with the reason.
void add_missing(const Func& last, const Diagnostics& said, std::vector<CheckedRun>& runs) {
  for (int level = static_cast<int>(last.level) + 1; level <= static_cast<int>(Level::flat);
       ++level) {
    CheckedRun& run = runs.emplace_back();
    run.level = name(static_cast<Level>(level));
    run.result.status = sim::RunResult::Status::refused;
    run.result.error = "no pass produced it";
    for (const Diagnostic& d : said.all())
      if (d.is_error()) run.result.error = d.message, run.result.error_span = d.span;
  }
}

int check_function(const FuncRef& func, double seconds) {
  Diagnostics said;
  std::vector<CheckedRun> runs;
  const std::vector<FuncRef> levels = levels_of(func, said);
  for (const FuncRef& level : levels) {
    std::string problem;
    runs.push_back(check_level(*level, seconds, problem));
    if (!problem.empty()) return fail("check", problem, 1);
  }
  add_missing(*levels.back(), said, runs);
  if (!said.ok()) std::fputs(show_messages(said).c_str(), stderr);
  const Shown shown = show_report(runs, sim::Watch::all(), func->name.str(), said);
  std::fputs((isatty(1) ? shown.ansi : shown.text).c_str(), stdout);
  bool good = said.ok();
  for (const CheckedRun& run : runs) good &= run.result.ok();
  return good ? 0 : 1;
}

int check_program(const std::vector<std::string>& arguments, bool every_block) {
  SessionOptions options;
  options.interactive = false;
  options.replace_streams = false;
  options.argv = arguments;
  std::unique_ptr<Session> session = make_session(options);
  python::CallResult ready =
      python::call("tilelab._commands.batch", "watch_everything", {python::Value(every_block)});
  if (!ready.ok) return fail("check", ready.error, 1);
  int status = run_program(*session, {Program::file, arguments[0], arguments});
  python::CallResult report = python::call("tilelab._commands.batch", "report", {});
  if (!report.ok) return fail("check", report.error, 1);
  return status ? status : int(report.value.integer(1));
}

}  // namespace

int check(const std::vector<std::string>& words) {
  constexpr double kSeconds = 10;  // per level, as %check
  const bool every_block = !words.empty() && words[0] == "--all";
  const std::vector<std::string> arguments(words.begin() + every_block, words.end());
  if (arguments.empty() || arguments[0].rfind("--", 0) == 0)
    return fail("check", "no file; see tilelab check --help", 2);
  InputRequest request;
  request.take_file(arguments[0]);
  if (access(request.file.c_str(), R_OK) != 0)
    return fail("check", "cannot read " + request.file, 2);
  if (!is_ir_file(request.file)) return check_program(arguments, every_block);
  Input input = read_input(request);
  if (!input.problem.empty()) return fail("check", input.problem, input.status);
  int status = 0;
  for (const FuncRef& func : input.functions)
    status |= check_function(func, every_block ? 0 : kSeconds);
  return status;
}

}  // namespace tilelab
