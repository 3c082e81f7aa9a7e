// SPDX-License-Identifier: Apache-2.0
// Parameters of functions, and arguments for them, between Python and core.
#include <map>
#include <memory>
#include <set>

#include "core/elaborate/elaborate.h"
#include "core/host/row_multiples.h"
#include "core/host/signature.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "python/compilation.h"
#include "python/runs.h"

namespace tilelab::python {
namespace {

/// A shape entry: an int, or the expression's text.
Object extent_object(const Expr& expr) {
  if (auto value = int_value(expr)) return object_of(*value);
  if (const Name* name = as<Name>(expr)) return object_of(name->id.str());
  return object_of("(" + elaborate::expr_text(expr) + ")");
}

Object extents_object(const std::vector<Expr>& extents) {
  return checked(PyList_AsTuple(raw(list_of(extents, extent_object))));
}

/// A number's low 64 bits.
int64_t low_bits(PyObject* number) {
  return static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(number));
}

/// The dtype of which a byte of the tensor holds two; "" if it holds one.
std::string pairs_of(const Buffer& tensor) {
  if (tensor.pairs == Pairs::none) return "";
  return tilelang_name(*dtype_from_name(name(tensor.pairs)));
}

/// Every name that a function's kernels use, including through views of `viewed` names.
std::set<Symbol> used_with_views(const Func& func, const std::set<Symbol>& viewed) {
  std::set<Symbol> out;
  walk(*func.body, [&](const Node& node) {
    if (const View* n = as<View>(&node)) {
      if (viewed.count(n->name) == 0) return false;
      out.insert(n->buffer);
    }
    if (const Name* n = as<Name>(&node)) out.insert(n->id);
    if (const Load* n = as<Load>(&node)) out.insert(n->buffer);
    if (const Region* n = as<Region>(&node)) out.insert(n->buffer);
    if (const Store* n = as<Store>(&node)) out.insert(n->buffer);
    if (const TensorMap* n = as<TensorMap>(&node)) out.insert(n->buffer);
    return node.kind != Kind::Check && node.kind != Kind::CheckTensor;
  });
  return out;
}

/// Every name that a function's kernels use, for which a call must provide a value. An unused view
/// needs neither its memory nor its extents. Iterates to a fixpoint: views may be of views.
std::set<Symbol> used_in_kernels(const Func& func) {
  std::set<Symbol> out = used_with_views(func, {});
  for (size_t before = out.size() + 1; before != out.size();) {
    before = out.size();
    out = used_with_views(func, out);
  }
  return out;
}

}  // namespace

Object parameters_of(const Func& func) {
  const std::set<Symbol> used = used_in_kernels(func);
  const host::Signature required(func);
  size_t i = 0;
  return list_of(func.params, [&](const Stmt& node) {
    const Param& param = to<Param>(node);
    const Buffer* buffer = as<Buffer>(param.tensor);
    return dict_of("name", param.name.str(), "dtype", tilelang_name(param.dtype), "bytes",
                   bytes(param.dtype), "pairs", buffer ? pairs_of(*buffer) : "", "shape",
                   buffer ? extents_object(buffer->shape) : none(), "strides",
                   buffer ? extents_object(buffer->strides) : none(), "used",
                   used.count(param.name) != 0, "written", required.parameters()[i++].written,
                   "span", place(param.span));
  });
}

void read(const Object& described, sim::Argument& out) {
  const std::vector<Object> parts = items_of(raw(described));
  auto dtype = dtype_from_name(read_as<std::string>(parts.at(0)));
  CHECK(dtype, "an argument's dtype");
  if (parts.size() == 2) {
    const uint64_t bits = is_float(*dtype)
                              ? encode_float(*dtype, read_as<double>(parts[1]))
                              : static_cast<uint64_t>(wrap_int(*dtype, low_bits(raw(parts[1]))));
    out = sim::scalar_argument(*dtype, bits);
    return;
  }
  out.tensor = true;
  out.dtype = *dtype;
  // Python passes an address as an integer.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  out.data = reinterpret_cast<void*>(read_as<uintptr_t>(parts.at(1)));
  out.shape = read_as<std::vector<int64_t>>(parts.at(2));
  out.strides = read_as<std::vector<int64_t>>(parts.at(3));
  out.bytes = read_as<int64_t>(parts.at(4));
  out.fresh = parts.size() > 5 && read_as<bool>(parts[5]);
}

namespace {

/// A tensor as arguments.py describes it: (dtype, bytes of an element, address, shape, strides,
/// bytes of their unit, writable).
struct DescribedTensor {
  explicit DescribedTensor(const Object& described, Pairs pairs) {
    using Parts = std::tuple<std::string, int64_t, uintptr_t, std::vector<int64_t>,
                             std::vector<int64_t>, int64_t, bool>;
    auto [dtype, size, address, extents, steps, unit, writable] = read_as<Parts>(described);
    CHECK(extents.size() == steps.size(), "the strides of an argument");
    shape = std::move(extents), strides = std::move(steps);
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* data = reinterpret_cast<const void*>(address);
    const bool floats = pairs == Pairs::e2m1 && dtype == "float4_e2m1fn_x2";
    tensor = {
        floats ? DType::u8 : dtype_from_name(dtype), {data, size, unit, shape, strides}, writable};
  }

  std::vector<int64_t> shape, strides;
  host::Tensor tensor;
};

/// The first dim that kernels use and nothing determines, as a problem; other such dims become 0.
Object missing(const Func& func, const host::Signature& required, host::Dims& dims) {
  for (size_t i = 0; i < required.parameters().size(); ++i)
    for (const host::Bound& bound : required.parameters()[i].binds) {
      const Symbol name = required.dims()[bound.dim];
      if (dims[bound.dim]) continue;
      if (used_in_kernels(func).count(name)) return tuple_of("missing", i, name.str(), 0, 0);
      dims[bound.dim] = 0;
    }
  return none();
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

Object check_arguments(const FuncObject& self, const std::vector<Object>& given) {
  const host::Signature required(*self.func);
  const std::vector<host::Parameter>& parameters = required.parameters();
  host::Dims dims(required.dims().size());
  std::vector<std::unique_ptr<DescribedTensor>> tensors(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (is_none(given.at(i))) continue;
    if (parameters[i].tensor)
      tensors[i] = std::make_unique<DescribedTensor>(given[i], parameters[i].pairs);
    else if (parameters[i].dim)
      dims[*parameters[i].dim] = low_bits(raw(given[i]));
  }
  required.bind([&](size_t i) { return tensors[i] ? &tensors[i]->tensor.memory : nullptr; }, dims);
  Object problem = missing(*self.func, required, dims);
  for (size_t i = 0; i < parameters.size() && is_none(problem); ++i)
    if (tensors[i])
      if (const auto p = required.problem(parameters[i], tensors[i]->tensor, dims))
        problem = tuple_of(p.what, i, p.dim, p.wanted, p.given);
  return tuple_of(shapes(required, dims), problem);
}

Object shapes_with(const FuncObject& self, const std::map<std::string, int64_t>& values) {
  const host::Signature required(*self.func);
  host::Dims dims;
  for (const Symbol dim : required.dims()) {
    const auto value = values.find(dim.str());
    dims.push_back(value == values.end() ? std::nullopt : std::optional(value->second));
  }
  return object_of(shapes(required, dims));
}

std::vector<std::string> aligned_dims(const FuncObject& self,
                                      const std::vector<sim::Argument>& given) {
  const std::vector<host::RowDim> rows = host::row_dims(*self.func);
  const host::Signature required(*self.func);
  host::Dims dims(required.dims().size());
  std::vector<host::TensorMemory> tensors;
  for (size_t i = 0; i < given.size(); ++i) {
    const sim::Argument& a = given[i];
    tensors.push_back({a.data, 1, 1, a.shape, a.strides});
    if (!a.tensor && required.parameters().at(i).dim)
      dims[*required.parameters()[i].dim] = static_cast<int64_t>(a.bits);
  }
  required.bind([&](size_t i) { return given[i].tensor ? &tensors[i] : nullptr; }, dims);
  std::vector<std::string> names;
  for (const host::RowDim& row : host::aligned_dims(rows, required, dims))
    names.push_back(row.name.str());
  return names;
}

}  // namespace tilelab::python
