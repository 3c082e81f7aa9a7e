// SPDX-License-Identifier: Apache-2.0
#include "python/call_arguments.h"

#include <algorithm>

#include "core/host/aliasing.h"
#include "core/host/tensor_memory.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab::python {
namespace {

constexpr int64_t kLargest = int64_t{1} << 56;  // elements of a new output

/// bool, int8 and uint8 are interchangeable, as in arguments.py.
bool same_dtype(DType a, DType b) {
  auto byte = [](DType t) { return t == DType::bool_ || t == DType::i8 || t == DType::u8; };
  return a == b || (byte(a) && byte(b));
}

bool read_integer(PyObject* value, DType dtype, int64_t& out) {
  if (!PyLong_CheckExact(value) && !PyBool_Check(value)) return false;
  int overflow = 0;
  out = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow) return false;
  if (dtype == DType::bool_) return out == 0 || out == 1;
  if (dtype == DType::u64) return out >= 0;
  return out >= min_int(dtype) && out <= max_int(dtype);
}

bool read_float(PyObject* value, double& out) {
  if (PyFloat_CheckExact(value)) return out = PyFloat_AS_DOUBLE(value), true;
  int64_t number = 0;
  if (!read_integer(value, DType::i64, number)) return false;
  out = static_cast<double>(number);
  return true;
}

host::TensorMemory memory_of(const ForeignArray& array) {
  const int64_t item = bytes(array.dtype);
  const auto rank = static_cast<size_t>(array.rank);
  return {array.data, item, item / array.unit, {array.shape, rank}, {array.strides, rank}};
}

host::TensorMemory memory_of(const CallArgument& tensor) {
  const int64_t item = bytes(tensor.dtype);
  const auto rank = static_cast<size_t>(tensor.rank);
  return {tensor.data, item, item, {tensor.shape, rank}, {tensor.strides, rank}};
}

bool share_memory(const CallArgument& a, const CallArgument& b) {
  return a.data < static_cast<const char*>(b.data) + b.bytes &&
         b.data < static_cast<const char*>(a.data) + a.bytes &&
         host::overlap(memory_of(a), memory_of(b));
}

}  // namespace

CallArguments::CallArguments(const CallSignature& signature)
    : arguments_(signature.parameters_.size()),
      extents_(2 * signature.extents_),
      names_(signature.names_.size()),
      known_(signature.names_.size()),
      made_(signature.outputs_.size()) {}

void CallArguments::clear() {
  for (Owned& made : made_) made = {};
}

void CallArguments::forget() {
  std::fill(known_.begin(), known_.end(), false);
  taken_ = device_ = -1;
  torch_ = any_ = false;
}

PyObject* CallArguments::returned(bool as_list) const {
  if (made_.empty() || !made_[0]) Py_RETURN_NONE;
  const bool one = made_.size() == 1 && !as_list;
  PyObject* list = one ? nullptr : PyList_New(Py_ssize_t(made_.size()));
  if (!one && !list) return nullptr;
  for (const Owned& made : made_) Py_INCREF(made.get());
  for (size_t i = 0; list && i < made_.size(); ++i)
    PyList_SET_ITEM(list, Py_ssize_t(i), made_[i].get());
  return one ? made_[0].get() : list;
}

// ---- the signature

CallSignature::CallSignature(const Func& func) {
  for (const Stmt& stmt : func.params) {
    const Param& param = to<Param>(stmt);
    Parameter made;
    made.dtype = param.dtype;
    if (const Buffer* buffer = as<Buffer>(param.tensor)) {
      made.tensor = true;
      made.dtype = buffer->dtype;
      made.pairs = buffer->pairs;
      for (const Expr& e : buffer->shape) made.shape.push_back(extent(e));
      for (const Expr& e : buffer->strides) made.strides.push_back(extent(e));
      extents_ += made.shape.size();
    } else if (!is_float(param.dtype)) {
      made.name = number_of(param.name);
    }
    parameters_.push_back(std::move(made));
  }
  for (int64_t i : func.outputs) {
    parameters_[size_t(i)].output = true;
    outputs_.push_back(size_t(i));
  }
  read_host_section(func);
  must_differ_ = host::separate_tensors(func);
}

int CallSignature::number_of(Symbol name) {
  auto it = std::find(names_.begin(), names_.end(), name);
  if (it == names_.end()) it = names_.insert(it, name);
  return int(it - names_.begin());
}

CallSignature::Extent CallSignature::extent(const Expr& expr) {
  Extent out;
  if (auto value = int_value(expr))
    out.constant = *value;
  else if (const Name* name = as<Name>(expr))
    out.name = number_of(name->id);
  else
    out.expr = expr;
  return out;
}

/// What the host section derives from tensors, and which it declares written.
void CallSignature::read_host_section(const Func& func) {
  auto parameter = [&](Symbol name) -> Parameter* {
    for (size_t i = 0; i < parameters_.size(); ++i)
      if (to<Param>(func.params[i]).name == name) return &parameters_[i];
    return nullptr;
  };
  for (Symbol name : host::written_tensors(func)) parameter(name)->written = true;
  if (!func.body) return;
  walk(*func.body, [&](const Node& node) {
    if (const Bind* b = as<Bind>(&node))
      if (Parameter* p = parameter(b->buffer))
        p->binds.push_back(
            {number_of(b->name), size_t(b->dim), b->stride, b->times, b->plus, b->per});
    return node.kind == Kind::Seq;
  });
}

// ---- a call

bool CallSignature::take(PyObject* const* values, size_t count, Memory where,
                         CallArguments& out) const {
  if (out.taken_ == int64_t(count) && out.memory_ == where && take_again(values, out)) return true;
  out.forget();
  if (!take_new(values, count, where, out)) return false;
  out.taken_ = int64_t(count);
  return true;
}

/// Values equal in kind to those of the last take_new(), with other addresses and numbers: derived
/// data stay valid.
bool CallSignature::take_again(PyObject* const* values, CallArguments& out) const {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    CallArgument& to = out.arguments_[i];
    if (to.fresh) continue;
    PyObject* value = *values++;
    if (!p.tensor) {
      if (!read_number(p, value, to, out)) return false;
      continue;
    }
    ForeignArray array;
    if (!describe_array(value, array) || !takes(p, array, out) || array.rank != to.rank)
      return false;
    for (int32_t d = 0; d < to.rank; ++d)
      if (array.shape[d] != to.shape[d] || array.strides[d] != to.strides[d] * array.unit)
        return false;
    if (to.bytes > 0 &&
        (!array.data || reinterpret_cast<uintptr_t>(array.data) % uintptr_t(bytes(to.dtype)) != 0))
      return false;
    to.data = array.data;
  }
  return true;
}

bool CallSignature::take_new(PyObject* const* values, size_t count, Memory where,
                             CallArguments& out) const {
  const bool all = count == parameters_.size();
  if (!all && count + outputs_.size() != parameters_.size()) return false;
  out.memory_ = where;
  int64_t* extents = out.extents_.data();
  for (size_t i = 0, given = 0; i < parameters_.size(); ++i) {
    const Parameter& p = parameters_[i];
    out.arguments_[i].fresh = p.output && !all;
    if (!out.arguments_[i].fresh && !read(p, values[given++], out.arguments_[i], extents, out))
      return false;
    extents += 2 * p.shape.size();
  }
  if (!bind(out)) return false;
  extents = out.extents_.data();
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!out.arguments_[i].fresh && !fits(parameters_[i], out.arguments_[i], out)) return false;
    out.arguments_[i].shape = extents;
    extents += 2 * parameters_[i].shape.size();
  }
  return true;
}

bool CallSignature::make_outputs(CallArguments& out) const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    CallArgument& to = out.arguments_[outputs_[i]];
    if (!to.fresh) continue;
    if (parameters_[outputs_[i]].pairs) return false;  // a dtype that only torch has
    out.made_[i] = make_output(parameters_[outputs_[i]], to, out);
    if (!out.made_[i]) return false;
  }
  return true;
}

bool CallSignature::read_number(const Parameter& parameter, PyObject* value, CallArgument& to,
                                CallArguments& out) {
  if (is_float(parameter.dtype)) {
    double number = 0;
    if (!read_float(value, number)) return false;
    to.bits = encode_float(parameter.dtype, number);
    return true;
  }
  int64_t integer = 0;
  if (!read_integer(value, parameter.dtype, integer)) return false;
  to.bits = static_cast<uint64_t>(integer);
  return out.learn(parameter.name, integer);
}

/// Checks everything of a tensor except its extents.
bool CallSignature::takes(const Parameter& parameter, const ForeignArray& array,
                          const CallArguments& out) {
  return same_dtype(array.dtype, parameter.dtype) && (array.writable || !parameter.written) &&
         array.memory == out.memory_ && (array.device == out.device_ || !out.any_);
}

bool CallSignature::read(const Parameter& parameter, PyObject* value, CallArgument& to,
                         int64_t* extents, CallArguments& out) const {
  to.dtype = parameter.dtype;
  if (!parameter.tensor) return read_number(parameter, value, to, out);
  ForeignArray array;
  if (!describe_array(value, array) || !takes(parameter, array, out)) return false;
  if (size_t(array.rank) != parameter.shape.size()) return false;
  out.device_ = array.device;
  out.any_ = true;
  out.torch_ |= array.torch;
  to.tensor = true;
  to.data = array.data;
  to.rank = array.rank;
  to.shape = extents, to.strides = extents + to.rank;
  const host::TensorMemory memory = memory_of(array);
  if (host::layout_problem(memory, parameter.written).fault != host::LayoutFault::none)
    return false;
  for (int32_t i = 0; i < to.rank; ++i) {
    extents[i] = array.shape[i];
    extents[to.rank + i] = array.strides[i] / array.unit;
  }
  to.bytes = host::reach(memory);
  return true;
}

bool CallSignature::overlap(const CallArguments& given) const {
  for (const auto& [constant, written] : must_differ_) {
    const CallArgument &a = given.arguments_[constant], &b = given.arguments_[written];
    if (!a.fresh && !b.fresh && share_memory(a, b)) return true;
  }
  return false;
}

bool CallArguments::learn(int name, int64_t value) {
  const auto i = static_cast<size_t>(name);
  if (known_[i]) return names_[i] == value;
  names_[i] = value;
  return known_[i] = true;
}

/// Derives names from the tensors. False: two of them disagree, or a name is undetermined.
bool CallSignature::bind(CallArguments& out) const {
  for (size_t p = 0; p < parameters_.size(); ++p) {
    const CallArgument& tensor = out.arguments_[p];
    if (tensor.fresh || !tensor.tensor) continue;
    for (const Bound& b : parameters_[p].binds) {
      if (b.index >= size_t(tensor.rank) || b.times == 0) return false;
      const int64_t size = (b.stride ? tensor.strides : tensor.shape)[b.index] * b.per - b.plus;
      if (size % b.times != 0 || !out.learn(b.name, size / b.times)) return false;
    }
    for (size_t i = 0; i < parameters_[p].shape.size(); ++i)
      if (int name = parameters_[p].shape[i].name; name >= 0 && !out.learn(name, tensor.shape[i]))
        return false;
  }
  return std::find(out.known_.begin(), out.known_.end(), false) == out.known_.end();
}

std::optional<int64_t> CallSignature::value(const Extent& extent,
                                            const CallArguments& given) const {
  if (extent.name >= 0) return given.names_[size_t(extent.name)];
  if (!extent.expr) return extent.constant;
  return evaluate(extent.expr, [&](Symbol name) -> std::optional<int64_t> {
    auto it = std::find(names_.begin(), names_.end(), name);
    if (it == names_.end()) return std::nullopt;
    return given.names_[size_t(it - names_.begin())];
  });
}

bool CallSignature::fits(const Parameter& parameter, const CallArgument& argument,
                         const CallArguments& out) const {
  if (!argument.tensor) return true;
  uint64_t dense = 1;
  for (size_t i = parameter.shape.size(); i-- > 0;) {
    const int64_t extent = argument.shape[i];
    if (value(parameter.shape[i], out) != extent) return false;
    const auto wanted =
        parameter.strides.empty() ? static_cast<int64_t>(dense) : value(parameter.strides[i], out);
    if (extent > 1 && argument.bytes > 0 && wanted != argument.strides[i]) return false;
    dense *= static_cast<uint64_t>(extent);
  }
  return true;
}

Owned CallSignature::make_output(const Parameter& parameter, CallArgument& to,
                                 const CallArguments& out) const {
  auto* extents = const_cast<int64_t*>(to.shape);
  to.dtype = parameter.dtype;
  to.rank = int32_t(parameter.shape.size());
  to.tensor = true;
  to.strides = extents + to.rank;
  int64_t count = 1;
  for (size_t i = parameter.shape.size(); i-- > 0;) {
    auto extent = value(parameter.shape[i], out);
    if (!extent || *extent < 0) return {};
    extents[i] = *extent;
    extents[size_t(to.rank) + i] = count;
    if (__builtin_mul_overflow(count, *extent, &count) || count > kLargest) return {};
  }
  const bool torch = out.torch_ || (!out.any_ && torch_is_loaded());
  Owned made = out.device_ >= 0 ? gpu_tensor(out.memory_, out.device_, to.dtype, extents, to.rank)
                                : poisoned_array(torch, to.dtype, extents, to.rank);
  ForeignArray array;
  if (!made || !describe_array(made.get(), array)) return {};
  to.data = array.data;
  to.bytes = count * bytes(to.dtype);
  return made;
}

}  // namespace tilelab::python
