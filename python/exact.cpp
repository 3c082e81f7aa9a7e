// SPDX-License-Identifier: Apache-2.0
// Func.in_float64, and arrays of any dtype as float64: the reference of `%check --exact`.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/instrument/float64_shadow.h"
#include "core/sim/sim.h"
#include "python/compilation.h"
#include "python/runs.h"

namespace py = pybind11;

namespace tilelab::python {
namespace {

py::list lines_of(const std::vector<Span>& spans) {
  py::list out;
  std::vector<std::pair<uint32_t, uint32_t>> seen;
  for (const Span& span : spans) {
    const std::pair<uint32_t, uint32_t> key{uint32_t(span.file), span.line};
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    seen.push_back(key);
    py::dict one = place(span);
    one["text"] = span.known() ? source_line(span.file, span.line) : "";
    out.append(std::move(one));
  }
  return out;
}

/// (function or None, lines that round, lines with fast functions, the obstacle). `lines`: source
/// lines whose statements round as they do in the kernel; None: all.
py::tuple in_float64_of(const FuncObject& self, const std::optional<std::vector<uint32_t>>& lines) {
  const InFloat64 made = in_float64(*self.func, [&](const Span& span) {
    return !lines || std::find(lines->begin(), lines->end(), span.line) != lines->end();
  });
  py::object func = py::none();
  if (made.func) func = py::cast(FuncObject{made.func, nullptr, false});
  return py::make_tuple(func, lines_of(made.rounds), lines_of(made.fast), made.problem,
                        place(made.where));
}

/// The elements of a described tensor, row-major, as bytes of float64.
py::bytes as_float64(const py::tuple& described) {
  const sim::Argument tensor = argument_of(described);
  const auto size = static_cast<int64_t>(bytes(tensor.dtype));
  std::vector<double> out;
  std::vector<int64_t> at(tensor.shape.size(), 0);
  int64_t count = 1;
  for (int64_t extent : tensor.shape) count *= extent;
  out.reserve(static_cast<size_t>(count));
  const auto* data = static_cast<const uint8_t*>(tensor.data);
  for (int64_t n = 0; n < count; ++n) {
    int64_t offset = 0;
    for (size_t d = 0; d < at.size(); ++d)
      offset += at[d] * (tensor.strides.empty() ? 0 : tensor.strides[d]);
    uint64_t bits = 0;
    std::memcpy(&bits, data + offset * size, static_cast<size_t>(size));
    out.push_back(decode_float(tensor.dtype, bits));
    for (size_t d = at.size(); d-- > 0 && ++at[d] == tensor.shape[d];) at[d] = 0;
  }
  return {reinterpret_cast<const char*>(out.data()), out.size() * sizeof(double)};
}

/// The distance from 1 to the next number of a dtype.
double epsilon(const std::string& name) {
  const DType dtype = dtype_from_name(name).value();
  return decode_float(dtype, encode_float(dtype, 1) + 1) - 1;
}

}  // namespace

void bind_exact(py::module_& m, py::class_<FuncObject>& func) {
  m.def("as_float64", &as_float64, py::arg("described"));
  m.def("epsilon", &epsilon, py::arg("dtype"));
  func.def("in_float64", &in_float64_of, py::arg("lines") = py::none());
}

}  // namespace tilelab::python
