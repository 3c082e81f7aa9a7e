// SPDX-License-Identifier: Apache-2.0
#include "tests/mutants/run_text.h"

#include "codegen/codegen.h"
#include "core/diagnostics/render.h"
#include "core/ir/build.h"
#include "core/ir/text/print.h"
#include "core/ir/verify/verify.h"
#include "core/ir_text/ir_text.h"
#include "core/passes/pipeline/pipeline.h"
#include "core/sim/sim.h"
#include "core/support/check.h"
#include "core/support/interrupt.h"
#include "core/targets/target.h"

namespace tilelab::test {
namespace {

constexpr int64_t largest_tensor = 1 << 20;  // elements: mutants have any extents

/// Arguments of a function: a dim without a number is 40.
struct Arguments {
  std::vector<std::vector<uint64_t>> memory;
  std::vector<sim::Argument> arguments;

  bool fill(const Func& func) {
    for (const Stmt& stmt : func.params) {
      const Param& param = to<Param>(stmt);
      const Buffer* tensor = as<Buffer>(param.tensor);
      if (!tensor) {
        arguments.push_back(sim::scalar_argument(param.dtype, 3));
        continue;
      }
      std::vector<int64_t> shape;
      int64_t count = 1;
      for (const Expr& extent : tensor->shape) {
        shape.push_back(int_value(extent).value_or(40));
        if (shape.back() < 0 || shape.back() > largest_tensor) return false;
        count *= shape.back();
        if (count > largest_tensor) return false;
      }
      memory.emplace_back(size_t(count) + 2);
      for (size_t i = 0; i < memory.back().size(); ++i) memory.back()[i] = 0x3C003C00u + i % 5;
      arguments.push_back(sim::tensor_argument(param.dtype, shape, memory.back().data()));
    }
    return true;
  }
};

void simulate(const Func& func, const std::atomic<bool>* stop) {
  Arguments arguments;
  if (!arguments.fill(func)) return;
  sim::RunOptions options;
  options.watch = sim::Watch::all();
  options.threads = 1;
  options.seconds = 0.05;  // after which no block begins
  options.interrupt = stop;
  sim::run(func, arguments.arguments, options);
}

void run_function(const FuncRef& func, const std::atomic<bool>* stop, Outcome& out) {
  Diagnostics sink;
  PipelineOptions options;
  options.interrupt = stop;
  options.throws = true;
  PipelineResult result = run_passes_on_text(func, sink, options);
  render(sink);
  if (result.interrupted) return;
  out.reached = Reached::passes;
  if (!result.ok && sink.ok()) out.broken = "passes refuse without a word";
  Level last = Level::flat;
  bool first = true;
  for (const Snapshot& snapshot : result.snapshots) {  // one of each level
    if (!snapshot.func || (!first && snapshot.func->level == last)) continue;
    first = false;
    last = snapshot.func->level;
    simulate(*snapshot.func, stop);
  }
  out.reached = Reached::run;
  if (!result.ok || result.func()->level != Level::flat) return;
  const Target* target = find_target(result.func()->target);
  if (!target) return;
  Diagnostics said;
  if (!codegen::render(*result.func(), *target, {true, true, true}, said) && said.ok())
    out.broken = "the code generator refuses without a word";
  render(said);
  out.reached = Reached::code;
}

}  // namespace

Outcome run_text(const std::string& text, const std::atomic<bool>* stop) {
  Outcome out;
  try {
    Diagnostics sink;
    FuncRef func = read_ir("<mutant>", text, sink);
    render(sink);
    if (!func) {
      if (sink.ok()) out.broken = "refused without a word";
      return out;
    }
    out.reached = Reached::read;
    if (!verify(*func, limits_of(*func), sink)) {
      if (sink.ok()) out.broken = "the verifier refuses without a word";
      render(sink);
      return out;
    }
    InterruptScope scope(stop);
    run_function(func, stop, out);
  } catch (const InternalError& error) {
    out.broken = error.what();
  } catch (const Cancelled&) {
  }
  return out;
}

std::vector<std::string> snapshots_of(const std::string& text) {
  std::vector<std::string> texts;
  Diagnostics sink;
  FuncRef func = read_ir("<corpus>", text, sink);
  if (!func || !verify(*func, limits_of(*func), sink)) return texts;
  PipelineResult result = run_passes(func, sink);
  for (const Snapshot& snapshot : result.snapshots)
    if (snapshot.func && (texts.empty() || snapshot.changed))
      texts.push_back(print(*snapshot.func));
  return texts;
}

}  // namespace tilelab::test
