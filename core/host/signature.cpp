// SPDX-License-Identifier: Apache-2.0
#include "core/host/signature.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/fold.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"
#include "core/targets/target.h"

namespace tilelab::host {

Signature::Signature(const Func& func) {
  for (const Stmt& stmt : func.params) {
    const Param& param = to<Param>(stmt);
    Parameter& made = parameters_.emplace_back();
    made.dtype = param.dtype;
    if (const Buffer* buffer = as<Buffer>(param.tensor)) {
      made.tensor = true;
      made.dtype = buffer->dtype;
      made.pairs = buffer->pairs, made.pointers = buffer->pointers;
      for (const Expr& e : buffer->shape) made.shape.push_back(extent_of(e));
      for (const Expr& e : buffer->strides) made.strides.push_back(extent_of(e));
    } else if (!is_float(param.dtype)) {
      made.dim = dim_of(param.name);
    }
  }
  for (int64_t i : func.outputs) {
    parameters_[size_t(i)].output = true;
    outputs_.push_back(size_t(i));
  }
  if (func.body) read_host_section(func);
  const Target* target = find_target(func.target);
  if (!target || target->family == Family::cpu) return;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Buffer* read = as<Buffer>(to<Param>(func.params[i]).tensor);
    if (!read || read->aliased || parameters_[i].written) continue;
    for (size_t j = 0; j < parameters_.size(); ++j)
      if (parameters_[j].written) separate_.emplace_back(i, j);
  }
}

size_t Signature::dim_of(Symbol name) {
  auto it = std::find(dims_.begin(), dims_.end(), name);
  if (it == dims_.end()) it = dims_.insert(it, name);
  return size_t(it - dims_.begin());
}

Extent Signature::extent_of(const Expr& expr) {
  Extent out;
  if (auto value = int_value(expr))
    out.constant = *value;
  else if (const Name* name = as<Name>(expr))
    out.dim = dim_of(name->id);
  else
    out.expr = expr;
  return out;
}

/// What the host section derives from tensors, and which it declares written.
void Signature::read_host_section(const Func& func) {
  auto parameter = [&](Symbol name) -> Parameter* {
    for (size_t i = 0; i < parameters_.size(); ++i)
      if (to<Param>(func.params[i]).name == name) return &parameters_[i];
    return nullptr;
  };
  for_each_of_host(
      func,
      [&](const Bind& b) {
        if (Parameter* p = parameter(b.buffer))
          p->binds.push_back({dim_of(b.name), size_t(b.dim), b.stride, b.times, b.plus, b.per});
      },
      [&](const CheckTensor& check) {
        if (Parameter* p = check.write ? parameter(check.buffer) : nullptr) p->written = true;
      });
}

bool Signature::bind(FunctionRef<const TensorMemory*(size_t)> given, Dims& dims) const {
  bool consistent = true;
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (const TensorMemory* tensor = given(i))
      for (const Bound& b : parameters_[i].binds) {
        if (b.index >= tensor->shape.size()) continue;  // of another rank
        const int64_t size = b.stride ? tensor->stride(b.index) : tensor->shape[b.index];
        const int64_t sum = size * b.per - b.plus;
        consistent &= learn(dims[b.dim], floor_div(sum, b.times)) && sum % b.times == 0;
      }
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (const TensorMemory* tensor = given(i))
      for (size_t d = 0; d < std::min(parameters_[i].shape.size(), tensor->shape.size()); ++d)
        if (const auto dim = parameters_[i].shape[d].dim)
          consistent &= learn(dims[*dim], tensor->shape[d]);
  return consistent;
}

std::optional<int64_t> Signature::value(const Extent& extent, const Dims& dims) const {
  if (extent.dim) return dims[*extent.dim];
  if (!extent.expr) return extent.constant;
  return evaluate(extent.expr, [&](Symbol name) -> std::optional<int64_t> {
    auto it = std::find(dims_.begin(), dims_.end(), name);
    return it == dims_.end() ? std::nullopt : dims[size_t(it - dims_.begin())];
  });
}

Problem Signature::size_problem(const Parameter& parameter, const TensorMemory& given,
                                const Dims& dims) const {
  bool empty = false;
  for (size_t d = 0; d < parameter.shape.size(); ++d) {
    const auto wanted = value(parameter.shape[d], dims);
    if (wanted && *wanted != given.shape[d]) return {"extent", d, *wanted, given.shape[d]};
    empty |= given.shape[d] == 0;
  }
  Problem found;  // of the first dimension that has one
  uint64_t dense = 1;
  for (size_t d = parameter.shape.size(); d-- > 0 && !empty;) {
    const auto wanted = parameter.strides.empty() ? std::optional(static_cast<int64_t>(dense))
                                                  : value(parameter.strides[d], dims);
    if (given.shape[d] > 1 && wanted && *wanted != given.stride(d))
      found = {"stride", d, *wanted, given.stride(d)};
    dense *= static_cast<uint64_t>(given.shape[d]);
  }
  return found;
}

namespace {

/// Parameters declared as bool, int8 or uint8 take tensors of all three, and addresses are int64 or
/// uint64.
bool takes_dtype(const Parameter& parameter, std::optional<DType> given) {
  const auto byte = [](DType t) { return t == DType::bool_ || t == DType::i8 || t == DType::u8; };
  if (!given) return false;
  if (parameter.pointers && *given == DType::u64) return true;
  if (parameter.pairs != Pairs::none) return byte(*given) && *given != DType::bool_;
  return *given == parameter.dtype || (byte(*given) && byte(parameter.dtype));
}

}  // namespace

Problem Signature::problem(const Parameter& parameter, const Tensor& given,
                           const Dims& dims) const {
  const auto rank = static_cast<int64_t>(given.memory.shape.size());
  if (parameter.shape.size() != given.memory.shape.size())
    return {"rank", 0, int64_t(parameter.shape.size()), rank};
  if (!takes_dtype(parameter, given.dtype)) return {"dtype"};
  const Problem layout = layout_problem(given.memory, parameter.written);
  if (layout.what == "fractional stride") return layout;  // so there are no strides to compare
  if (const Problem found = size_problem(parameter, given.memory, dims)) return found;
  if (layout) return layout;
  return {parameter.written && !given.writable ? "read-only" : ""};
}

}  // namespace tilelab::host
