// SPDX-License-Identifier: Apache-2.0
#include "python/checks.h"

#include <pybind11/stl.h>

#include "core/check/check.h"
#include "core/sim/sim.h"
#include "python/results.h"
#include "python/runs.h"
#include "python/served_work.h"

namespace py = pybind11;

namespace tilelab::python {

py::dict check_made_up(const FuncObject& self, const py::list& described) {
  std::vector<sim::Argument> arguments;
  for (auto item : described) arguments.push_back(argument_of(item.cast<py::tuple>()));
  std::map<Symbol, int64_t> sizes;
  if (!arguments.empty())
    sim::run_host(*self.func, arguments, [&](const sim::Launch& launch, sim::RunResult&) {
      for (const auto& [name, scalar] : launch.scalars)
        if (!is_float(scalar.dtype)) sizes[name] = int64_t(scalar.bits);
    });
  SampleCheck made;
  if (!serve([&](const std::atomic<bool>&) { made = check_sample(*self.func, sizes); },
             [] { return true; }))
    throw py::error_already_set();
  warn_of_overlap(*self.func, arguments, made.warnings);
  py::dict out;
  out["warnings"] = diagnostics_list(made.warnings);
  out["unchecked"] = made.unchecked;
  return out;
}

}  // namespace tilelab::python
