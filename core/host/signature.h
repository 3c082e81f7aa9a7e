// SPDX-License-Identifier: Apache-2.0
// What a function requires of the arguments of a call: the dims that tensors determine, and the
// dtype, shape, strides and access of each tensor. The calls with and without Python ask it, and
// arguments.py words its answers.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/host/tensor_memory.h"
#include "core/ir/func.h"
#include "core/support/function_ref.h"

namespace tilelab::host {

/// A parameter's value, or an output that the call creates.
struct Value {
  DType dtype = DType::i32;  // the parameter's
  bool tensor = false;
  bool fresh = false;    // created by this call; in host memory it is poisoned
  uint64_t bits = 0;     // of a number; integers sign- or zero-extended to 64, floats encoded
  void* data = nullptr;  // of a tensor, like the following: the first element
  int64_t bytes = 0;     // from there to the end of its last element; 0: empty
  int32_t rank = 0;
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;  // elements
};

/// A tensor argument, before it is accepted.
struct Tensor {
  std::optional<DType> dtype;  // none: one that kernels do not have
  TensorMemory memory;
  bool writable = true;
};

/// Values of the dims of a call, in the order of Signature::dims(); those determined so far.
using Dims = std::vector<std::optional<int64_t>>;
/// False: the dim has another value, which it keeps.
inline bool learn(std::optional<int64_t>& dim, int64_t value) {
  if (!dim) dim = value;
  return *dim == value;
}

/// An entry of a shape: a constant, a dim, or an expression of dims.
struct Extent {
  int64_t constant = 0;
  std::optional<size_t> dim;
  Expr expr;
};

/// size[index] * per = times * dim + plus
struct Bound {
  size_t dim = 0, index = 0;
  bool stride = false;
  int64_t times = 1, plus = 0, per = 1;
};

struct Parameter {
  DType dtype = DType::i32;
  bool tensor = false, written = false, output = false;
  Pairs pairs = Pairs::none;  // what each byte holds two of
  bool pointers = false;      // the elements are addresses
  std::optional<size_t> dim;  // of an integer
  std::vector<Extent> shape, strides;
  std::vector<Bound> binds;
};

/// Immutable.
class Signature {
 public:
  explicit Signature(const Func& func);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Symbol>& dims() const { return dims_; }
  const std::vector<size_t>& outputs() const { return outputs_; }  // in the order of the results
  /// Pairs of parameters, (read, written): the generated code assumes that what the kernel writes
  /// through the second does not change the first, which it only reads (`__restrict__`). None on
  /// the CPU, and none with a tensor of T.annotate_restrict_buffers.
  const std::vector<std::pair<size_t, size_t>>& separate() const { return separate_; }

  /// Learns dims from the given tensors: first those that the host section binds, then names in
  /// shapes. False: tensors contradict each other; the first one counts.
  bool bind(FunctionRef<const TensorMemory*(size_t)> given, Dims& dims) const;
  /// None if a dim in it is unknown.
  std::optional<int64_t> value(const Extent& extent, const Dims& dims) const;
  /// A layout problem, or "rank", "dtype", "extent", "stride" or "read-only". Extents with unknown
  /// dims fit.
  Problem problem(const Parameter& parameter, const Tensor& given, const Dims& dims) const;

 private:
  size_t dim_of(Symbol name);
  Extent extent_of(const Expr& expr);
  void read_host_section(const Func& func);
  Problem size_problem(const Parameter& parameter, const TensorMemory& given,
                       const Dims& dims) const;

  std::vector<Parameter> parameters_;
  std::vector<Symbol> dims_;
  std::vector<size_t> outputs_;
  std::vector<std::pair<size_t, size_t>> separate_;
};

}  // namespace tilelab::host
