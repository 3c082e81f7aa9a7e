// SPDX-License-Identifier: Apache-2.0
// `tilelab check FILE`: a program with every detector on; IR text on random arguments.
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <random>

#include "cli/input_file.h"
#include "cli/subcommand.h"
#include "core/ir/build.h"
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

  /// "" or why there are none.
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
                 " has extents that a call decides; call the kernel in a Python file";
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

int check_function(const Func& func) {
  RandomArguments random;
  if (std::string problem = random.fill(func); !problem.empty()) return fail("check", problem, 1);
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  sim::RunResult result = sim::run(func, random.arguments, options);
  bool good = result.ok();
  CheckedRun run{std::string(name(func.level)), std::move(result)};
  Shown shown = show_report({&run, 1}, options.watch, func.name.str());
  std::fputs((isatty(1) ? shown.ansi : shown.text).c_str(), stdout);
  return good ? 0 : 1;
}

int check_program(const std::vector<std::string>& arguments) {
  SessionOptions options;
  options.interactive = false;
  options.replace_streams = false;
  options.argv = arguments;
  std::unique_ptr<Session> session = make_session(options);
  python::CallResult ready = python::call("tilelab._commands.batch", "watch_everything", {});
  if (!ready.ok) return fail("check", ready.error, 1);
  int status = run_program(*session, {Program::file, arguments[0], arguments});
  python::CallResult report = python::call("tilelab._commands.batch", "report", {});
  if (!report.ok) return fail("check", report.error, 1);
  return status ? status : int(report.value.integer(1));
}

}  // namespace

int check(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0].rfind("--", 0) == 0)
    return fail("check", "no file; see tilelab check --help", 2);
  InputRequest request;
  request.take_file(arguments[0]);
  if (access(request.file.c_str(), R_OK) != 0)
    return fail("check", "cannot read " + request.file, 1);
  if (!is_ir_file(request.file)) return check_program(arguments);
  Input input = read_input(request);
  if (!input.problem.empty()) return fail("check", input.problem, input.status);
  int status = 0;
  for (const FuncRef& func : input.functions) status |= check_function(*func);
  return status;
}

}  // namespace tilelab
