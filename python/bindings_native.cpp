// SPDX-License-Identifier: Apache-2.0
// Kernels compiled by the system's compiler, in tilelab._core.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "codegen/cpu/native.h"
#include "core/support/interrupt.h"
#include "core/support/progress.h"
#include "python/compilation.h"
#include "python/runs.h"

namespace tilelab::python {
namespace {

/// (the compiled function, or None; diagnostics; the compiler's error)
Object compile_native(const FuncObject& flat, const Object& progress) {
  Diagnostics sink;
  std::string problem;
  std::vector<std::shared_ptr<cpu::NativeFunction>> made;
  Progress far;
  auto work = [&](const std::atomic<bool>& stop) {
    const InterruptScope interrupt(&stop);
    const ProgressScope scope(&far);
    try {
      made = cpu::NativeFunction::make({flat.func}, sink, &problem);
    } catch (const Cancelled&) {  // `serve` has set the Python error
    }
  };
  if (!serve(work, [&] { return report_progress(progress, far); })) throw PythonError();
  return tuple_of(made.empty() ? nullptr : made[0], diagnostics_list(sink), problem);
}

Object run_native(const cpu::NativeFunction& self, const std::vector<sim::Argument>& arguments,
                  bool not_finite, const Object& progress) {
  sim::RunOptions options;
  options.not_finite = not_finite;
  return served_run(arguments, options, progress,
                    [&](auto given, const auto& chosen) { return self.run(given, chosen); });
}

}  // namespace

void bind_native(const Object& module) {
  add_class<cpu::NativeFunction>(module, "NativeFunction",
                                 {method<run_native>("run", "arguments, not_finite?, progress?")});
  add_functions(module, {function<compile_native>("compile_native", "flat, progress?"),
                         function<cpu::compiler>("native_compiler")});
}

}  // namespace tilelab::python
