// SPDX-License-Identifier: Apache-2.0
// Parameters of functions, and arguments for them, between Python and core.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <set>

#include "core/elaborate/elaborate.h"
#include "core/host/signature.h"
#include "core/ir/build.h"
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

}  // namespace

py::list parameters_of(const Func& func) {
  const std::set<Symbol> used = used_in_kernels(func);
  const host::Signature required(func);
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
    one["used"] = used.count(param.name) != 0;
    one["written"] = required.parameters()[i].written;
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

/// A tensor as arguments.py describes it: (dtype, bytes of an element, address, shape, strides,
/// bytes of their unit, writable).
struct Described {
  Described(const py::tuple& t, bool pairs)
      : shape(t[3].cast<std::vector<int64_t>>()), strides(t[4].cast<std::vector<int64_t>>()) {
    CHECK(strides.size() == shape.size(), "the strides of an argument");
    const auto dtype = t[0].cast<std::string>();
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* data = reinterpret_cast<const void*>(t[2].cast<uintptr_t>());
    tensor = {pairs && dtype == "float4_e2m1fn_x2" ? DType::u8 : dtype_from_name(dtype),
              {data, t[1].cast<int64_t>(), t[5].cast<int64_t>(), shape, strides},
              t[6].cast<bool>()};
  }

  std::vector<int64_t> shape, strides;
  host::Tensor tensor;
};

/// The first dim that kernels use and nothing determines, as a problem; other such dims become 0.
py::object missing(const Func& func, const host::Signature& required, host::Dims& dims) {
  for (size_t i = 0; i < required.parameters().size(); ++i)
    for (const host::Bound& bound : required.parameters()[i].binds) {
      const Symbol name = required.dims()[bound.dim];
      if (dims[bound.dim]) continue;
      if (used_in_kernels(func).count(name)) return py::make_tuple("missing", i, name.str(), 0, 0);
      dims[bound.dim] = 0;
    }
  return py::none();
}

std::vector<std::vector<std::optional<int64_t>>> shapes(const host::Signature& required,
                                                        const host::Dims& dims) {
  std::vector<std::vector<std::optional<int64_t>>> out;
  for (const host::Parameter& parameter : required.parameters()) {
    std::vector<std::optional<int64_t>>& shape = out.emplace_back();
    for (const host::Extent& extent : parameter.shape)
      shape.push_back(required.value(extent, dims));
  }
  return out;
}

}  // namespace

py::tuple check_arguments(const FuncObject& self, const py::list& given) {
  const host::Signature required(*self.func);
  const std::vector<host::Parameter>& parameters = required.parameters();
  host::Dims dims(required.dims().size());
  std::vector<std::unique_ptr<Described>> tensors(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (given[i].is_none()) continue;
    if (parameters[i].tensor)
      tensors[i] = std::make_unique<Described>(given[i].cast<py::tuple>(), parameters[i].pairs);
    else if (parameters[i].dim)
      dims[*parameters[i].dim] =
          static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(py::object(given[i]).ptr()));
  }
  required.bind([&](size_t i) { return tensors[i] ? &tensors[i]->tensor.memory : nullptr; }, dims);
  py::object problem = missing(*self.func, required, dims);
  for (size_t i = 0; i < parameters.size() && problem.is_none(); ++i)
    if (tensors[i])
      if (const auto p = required.problem(parameters[i], tensors[i]->tensor, dims))
        problem = py::make_tuple(std::string(p.what), i, p.dim, p.wanted, p.given);
  return py::make_tuple(shapes(required, dims), problem);
}

py::object shapes_with(const FuncObject& self, const py::dict& values) {
  const host::Signature required(*self.func);
  host::Dims dims;
  for (const Symbol dim : required.dims()) {
    const py::str name(dim.str());
    dims.push_back(values.contains(name) ? std::optional(values[name].cast<int64_t>())
                                         : std::nullopt);
  }
  return py::cast(shapes(required, dims));
}

}  // namespace tilelab::python
