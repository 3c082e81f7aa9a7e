// SPDX-License-Identifier: Apache-2.0
#include "python/runs.h"

#include "core/check/check.h"
#include "core/sim/sim.h"

namespace tilelab::python {

Object check_made_up(const FuncObject& self, const std::vector<sim::Argument>& arguments) {
  std::map<Symbol, int64_t> sizes;
  if (!arguments.empty())
    sim::run_host(*self.func, arguments, [&](const sim::Launch& launch, sim::RunResult&) {
      for (const auto& [name, scalar] : launch.scalars)
        if (!is_float(scalar.dtype)) sizes[name] = int64_t(scalar.bits);
    });
  SampleCheck made;
  if (!serve([&](const std::atomic<bool>&) { made = check_sample(*self.func, sizes); }))
    throw PythonError();
  warn_of_overlap(*self.func, arguments, made.warnings);
  return dict_of("warnings", diagnostics_list(made.warnings), "unchecked", made.unchecked);
}

}  // namespace tilelab::python
