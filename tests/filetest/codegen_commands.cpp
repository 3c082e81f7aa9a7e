// SPDX-License-Identifier: Apache-2.0
// Commands on kernels that end in generated code (see kernel_commands.cpp for the arguments):
//   codegen [target=T] [host=1] [ptx=1]   the device code, or the host section, or PTX
#include "codegen/codegen.h"
#include "codegen/ptx/ptx.h"
#include "core/passes/pass.h"
#include "core/targets/target.h"
#include "tests/filetest/filetest.h"

namespace tilelab::filetest {
namespace {

Outcome codegen_command(const Test& test) {
  Diagnostics sink;
  FuncRef func = function_of(test, sink);
  if (!func) return outcome_of(sink);
  PipelineResult result = run_passes(func, sink);
  if (!result.ok) return outcome_of(sink);
  if (!test.get("ptx").empty()) {
    std::string why;
    std::string text = codegen::write_ptx(*result.func(), *find_target(result.func()->target), &why)
                           .value_or("no PTX for " + why + "\n");
    return outcome_of(sink, text.c_str());  // without the 0 for the driver
  }
  codegen::RenderOptions options;
  options.host = !test.get("host").empty();
  options.kernels = !options.host;
  const Func& flat = *result.func();
  auto rendered = codegen::render(flat, *find_target(flat.target), options, sink);
  return outcome_of(sink, rendered ? rendered->text : "");
}

AddCommand add_codegen("codegen", &codegen_command);

}  // namespace
}  // namespace tilelab::filetest
