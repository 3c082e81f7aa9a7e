// SPDX-License-Identifier: Apache-2.0
#include "python/call_arguments.h"

#include <algorithm>

namespace tilelab::python {
namespace {

constexpr int64_t kLargest = int64_t{1} << 56;  // elements of a new output

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
  if (PyFloat_CheckExact(value)) return out = PyFloat_AsDouble(value), true;
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

host::TensorMemory memory_of(const host::Value& tensor) {
  const int64_t item = bytes(tensor.dtype);
  const auto rank = static_cast<size_t>(tensor.rank);
  return {tensor.data, item, item, {tensor.shape, rank}, {tensor.strides, rank}};
}

bool share_memory(const host::Value& a, const host::Value& b) {
  return a.data < static_cast<const char*>(b.data) + b.bytes &&
         b.data < static_cast<const char*>(a.data) + a.bytes &&
         host::overlap(memory_of(a), memory_of(b));
}

/// Whether an array has the shape and strides of the last call's, and an address that fits.
bool has_layout(const ForeignArray& array, const host::Value& last) {
  if (array.rank != last.rank) return false;
  for (int32_t d = 0; d < last.rank; ++d)
    if (array.shape[d] != last.shape[d] || array.strides[d] != last.strides[d] * array.unit)
      return false;
  const auto address = reinterpret_cast<uintptr_t>(array.data);
  return last.bytes == 0 || (address && address % uintptr_t(bytes(array.dtype)) == 0);
}

}  // namespace

CallArguments::CallArguments(const CallSignature& signature)
    : arguments_(signature.parameters()),
      tensors_(signature.parameters()),
      extents_(2 * signature.extents_),
      dims_(signature.dims().size()),
      made_(signature.required_.outputs().size()) {}

void CallArguments::clear() {
  for (Owned& made : made_) made = {};
}

void CallArguments::forget() {
  std::fill(dims_.begin(), dims_.end(), std::nullopt);
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
    PyList_SetItem(list, Py_ssize_t(i), made_[i].get());
  return one ? made_[0].get() : list;
}

CallSignature::CallSignature(const Func& func) : required_(func) {
  for (const host::Parameter& p : required_.parameters()) extents_ += p.shape.size();
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
  for (size_t i = 0; i < parameters(); ++i) {
    const host::Parameter& p = required_.parameters()[i];
    host::Value& to = out.arguments_[i];
    if (to.fresh) continue;
    PyObject* value = *values++;
    if (!p.tensor) {
      if (!read_number(p, value, to, out)) return false;
      continue;
    }
    ForeignArray array;
    if (!describe_array(value, array) || array.memory != out.memory_ ||
        array.device != out.device_ || array.dtype != out.tensors_[i].dtype ||
        (p.written && !array.writable) || !has_layout(array, to))
      return false;
    to.data = array.data;
  }
  return true;
}

bool CallSignature::take_new(PyObject* const* values, size_t count, Memory where,
                             CallArguments& out) const {
  const bool all = count == parameters();
  if (!all && count + required_.outputs().size() != parameters()) return false;
  out.memory_ = where;
  for (size_t i = 0; i < parameters(); ++i) {
    const host::Parameter& p = required_.parameters()[i];
    host::Value& to = out.arguments_[i];
    to.dtype = p.dtype, to.tensor = p.tensor, to.fresh = p.output && !all;
    if (to.fresh) continue;
    PyObject* value = *values++;
    if (!p.tensor) {
      if (!read_number(p, value, to, out)) return false;
      continue;
    }
    ForeignArray array;
    if (!describe_array(value, array) || array.memory != where) return false;
    if (out.any_ && array.device != out.device_) return false;
    out.device_ = array.device;
    out.any_ = true;
    out.torch_ |= array.torch;
    out.tensors_[i] = {array.dtype, memory_of(array), array.writable};
  }
  return fits(out);
}

/// Whether all tensors are as the function requires; if so, stores where they are.
bool CallSignature::fits(CallArguments& out) const {
  const auto given = [&](size_t i) -> const host::TensorMemory* {
    const host::Value& a = out.arguments_[i];
    return a.fresh || !a.tensor ? nullptr : &out.tensors_[i].memory;
  };
  if (!required_.bind(given, out.dims_)) return false;
  if (std::find(out.dims_.begin(), out.dims_.end(), std::nullopt) != out.dims_.end()) return false;
  int64_t* extents = out.extents_.data();
  for (size_t i = 0; i < parameters(); ++i) {
    const host::Parameter& p = required_.parameters()[i];
    host::Value& to = out.arguments_[i];
    const size_t rank = p.shape.size();
    to.rank = int32_t(rank), to.shape = extents, to.strides = extents + rank;
    if (const host::TensorMemory* memory = given(i)) {
      if (required_.problem(p, out.tensors_[i], out.dims_)) return false;
      to.data = const_cast<void*>(memory->data);
      to.bytes = host::reach(*memory);
      for (size_t d = 0; d < rank; ++d) {
        extents[d] = memory->shape[d];
        extents[rank + d] = memory->stride(d);
      }
    }
    extents += 2 * rank;
  }
  return true;
}

bool CallSignature::make_outputs(CallArguments& out) const {
  const std::vector<size_t>& outputs = required_.outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const host::Parameter& p = required_.parameters()[outputs[i]];
    host::Value& to = out.arguments_[outputs[i]];
    if (!to.fresh) continue;
    if (p.pairs != Pairs::none) return false;  // a dtype that only torch has
    out.made_[i] = make_output(p, to, out);
    if (!out.made_[i]) return false;
  }
  return true;
}

bool CallSignature::read_number(const host::Parameter& parameter, PyObject* value, host::Value& to,
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
  return host::learn(out.dims_[*parameter.dim], integer);
}

bool CallSignature::overlap(const CallArguments& given) const {
  for (const auto& [read, written] : required_.separate()) {
    const host::Value &a = given.arguments_[read], &b = given.arguments_[written];
    if (!a.fresh && !b.fresh && share_memory(a, b)) return true;
  }
  return false;
}

Owned CallSignature::make_output(const host::Parameter& parameter, host::Value& to,
                                 const CallArguments& out) const {
  auto* extents = const_cast<int64_t*>(to.shape);
  int64_t count = 1;
  for (size_t i = parameter.shape.size(); i-- > 0;) {
    auto extent = required_.value(parameter.shape[i], out.dims_);
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
