// SPDX-License-Identifier: Apache-2.0
// Kernels compiled by the system's compiler, in tilelab._core.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "codegen/cpu/library.h"
#include "codegen/cpu/native.h"
#include "core/support/interrupt.h"
#include "core/support/progress.h"
#include "python/compilation.h"
#include "python/results.h"
#include "python/runs.h"
#include "python/served_work.h"

namespace py = pybind11;

namespace tilelab::python {
namespace {

/// (the compiled function, or None; diagnostics; the compiler's error)
py::tuple compile_native(const FuncObject& flat, const py::object& progress) {
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
  if (!serve(work, [&] { return report_progress(progress, far); })) throw py::error_already_set();
  return py::make_tuple(made.empty() ? nullptr : made[0], diagnostics_list(sink), problem);
}

py::dict run_native(const cpu::NativeFunction& self, const py::list& described, bool not_finite,
                    const py::object& progress) {
  sim::RunOptions options;
  options.not_finite = not_finite;
  return served_run(described, options, progress, [&](auto arguments, const auto& chosen) {
    return self.run(arguments, chosen);
  });
}

}  // namespace

void bind_native(py::module_& m) {
  py::class_<cpu::NativeFunction, std::shared_ptr<cpu::NativeFunction>>(m, "NativeFunction")
      .def("run", &run_native, py::arg("arguments"), py::arg("not_finite") = false,
           py::arg("progress") = py::none());
  m.def("compile_native", &compile_native, py::arg("flat"), py::arg("progress") = py::none());
  m.def("native_compiler", &cpu::compiler);
}

}  // namespace tilelab::python
