// SPDX-License-Identifier: Apache-2.0
// Disabled warnings, for code that shows warnings and for %warnings.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "core/diagnostics/allow.h"

namespace py = pybind11;

namespace tilelab::python {

void bind_allow(py::module_& m) {
  m.def("is_allowed", [](const std::string& name, const std::string& file, uint32_t line,
                         const std::string& in_kernel) {
    Span at;
    if (line > 0) at = {source_id(file), line, 1, line, 1};
    return is_allowed(name, at, in_kernel);
  });
  m.def("allowed_everywhere", &allowed_everywhere);
  m.def("allow_everywhere", &allow_everywhere);
  m.def("unknown_warning", &unknown_warning);
}

}  // namespace tilelab::python
