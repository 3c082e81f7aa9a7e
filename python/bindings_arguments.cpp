// SPDX-License-Identifier: Apache-2.0
// Parameters of functions, and arguments for them, between Python and core.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <set>

#include "core/elaborate/elaborate.h"
#include "core/host/aliasing.h"
#include "core/host/tensor_memory.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "python/compilation.h"
#include "python/runs.h"
#include "python/used_names.h"

namespace py = pybind11;

namespace tilelab::python {
namespace {

/// A shape entry: an int, or the expression's text.
py::object extent_object(const Expr& expr) {
  if (auto value = int_value(expr)) return py::int_(*value);
  if (const Name* name = as<Name>(expr)) return py::str(name->id.str());
  return py::str("(" + elaborate::expr_text(expr) + ")");
}

/// (dim, index, is a stride, times, plus, per, a kernel uses it) of the dims that the host section
/// derives from a tensor.
py::list binds_of(const Func& func, Symbol tensor, const std::set<Symbol>& used) {
  py::list out;
  walk(*func.body, [&](const Node& node) {
    if (const Bind* b = as<Bind>(&node); b && b->buffer == tensor)
      out.append(py::make_tuple(b->name.str(), b->dim, b->stride, b->times, b->plus, b->per,
                                used.count(b->name) != 0));
    return node.kind == Kind::Seq;
  });
  return out;
}

}  // namespace

py::list parameters_of(const Func& func) {
  const std::set<Symbol> used = used_in_kernels(func), written = host::written_tensors(func);
  py::list out;
  for (size_t i = 0; i < func.params.size(); ++i) {
    const Param& param = to<Param>(func.params[i]);
    py::dict one;
    one["name"] = param.name.str();
    one["dtype"] = std::string(tilelang_name(param.dtype));
    one["bytes"] = bytes(param.dtype);
    const Buffer* memory = as<Buffer>(param.tensor);
    one["pairs"] = memory && memory->pairs;
    py::object shape = py::none(), strides = py::none();
    if (const Buffer* buffer = as<Buffer>(param.tensor)) {
      py::list extents, steps;
      for (const Expr& e : buffer->shape) extents.append(extent_object(e));
      for (const Expr& e : buffer->strides) steps.append(extent_object(e));
      shape = py::tuple(extents);
      strides = py::tuple(steps);
    }
    one["shape"] = shape;
    one["strides"] = strides;
    one["binds"] = binds_of(func, param.name, used);
    one["used"] = used.count(param.name) != 0;
    one["written"] = written.count(param.name) != 0;
    one["span"] = place(param.span);
    out.append(std::move(one));
  }
  return out;
}

sim::Argument argument_of(const py::tuple& described) {
  auto dtype = dtype_from_name(described[0].cast<std::string>());
  CHECK(dtype, "an argument's dtype");
  if (described.size() == 2) {
    if (is_float(*dtype))
      return sim::scalar_argument(*dtype, encode_float(*dtype, described[1].cast<double>()));
    const auto number = static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(described[1].ptr()));
    return sim::scalar_argument(*dtype, static_cast<uint64_t>(wrap_int(*dtype, number)));
  }
  sim::Argument out;
  out.tensor = true;
  out.dtype = *dtype;
  // Python passes an address as an integer.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  out.data = reinterpret_cast<void*>(described[1].cast<uintptr_t>());
  out.shape = described[2].cast<std::vector<int64_t>>();
  out.strides = described[3].cast<std::vector<int64_t>>();
  out.bytes = described[4].cast<int64_t>();
  out.fresh = described.size() > 5 && described[5].cast<bool>();
  return out;
}

namespace {

const char* name_of(host::LayoutFault fault) {
  switch (fault) {
    case host::LayoutFault::none: return "";
    case host::LayoutFault::no_memory: return "no memory";
    case host::LayoutFault::misaligned: return "misaligned";
    case host::LayoutFault::fractional_stride: return "fractional stride";
    case host::LayoutFault::negative_stride: return "negative stride";
    case host::LayoutFault::large_stride: return "large stride";
    case host::LayoutFault::shared_elements: return "shared elements";
  }
  UNREACHABLE("a fault");
}

}  // namespace

void bind_arguments(py::module_& core) {
  core.def("layout_problem", [](uintptr_t address, int64_t item, int64_t unit,
                                const std::vector<int64_t>& shape,
                                const std::vector<int64_t>& strides, bool written) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* data = reinterpret_cast<const void*>(address);
    const auto [fault, dim] = host::layout_problem({data, item, unit, shape, strides}, written);
    return py::make_tuple(name_of(fault), dim);
  });
}

}  // namespace tilelab::python
