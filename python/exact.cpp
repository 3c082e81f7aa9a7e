// SPDX-License-Identifier: Apache-2.0
// Func.in_float64, and arrays of any dtype as float64: the reference of `%check --exact`.
#include <algorithm>
#include <cstring>
#include <optional>

#include "core/instrument/float64_shadow.h"
#include "core/sim/sim.h"
#include "python/compilation.h"
#include "python/runs.h"

namespace tilelab::python {
namespace {

Object lines_of(const std::vector<Span>& spans) {
  std::vector<Object> out;
  std::vector<std::pair<uint32_t, uint32_t>> seen;
  for (const Span& span : spans) {
    const std::pair<uint32_t, uint32_t> key{uint32_t(span.file), span.line};
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    seen.push_back(key);
    out.push_back(line_of(span));
  }
  return object_of(out);
}

/// (function or None, lines that round, lines with fast functions, the obstacle). `lines`: source
/// lines whose statements round as they do in the kernel; None: all.
Object in_float64_of(const FuncObject& self, const std::optional<std::vector<uint32_t>>& lines) {
  const InFloat64 made = in_float64(*self.func, [&](const Span& span) {
    return !lines || std::find(lines->begin(), lines->end(), span.line) != lines->end();
  });
  std::optional<FuncObject> func;
  if (made.func) func = {made.func, nullptr, false};
  return tuple_of(func, lines_of(made.rounds), lines_of(made.fast), made.problem,
                  place(made.where));
}

/// The elements of a described tensor, row-major, as bytes of float64.
Object as_float64(const sim::Argument& tensor) {
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
  return bytes_object(out.data(), out.size() * sizeof(double));
}

/// The distance from 1 to the next number of a dtype.
double epsilon_of(const std::string& name) {
  const DType dtype = dtype_from_name(name).value();
  return decode_float(dtype, encode_float(dtype, 1) + 1) - 1;
}

}  // namespace

void bind_exact(const Object& module, Members& func) {
  add_functions(module, {function<as_float64>("as_float64", "described"),
                         function<epsilon_of>("epsilon", "dtype")});
  func.push_back(method<in_float64_of>("in_float64", "lines?"));
}

}  // namespace tilelab::python
