// SPDX-License-Identifier: Apache-2.0
// The arguments of a call, read without running any Python: NumPy arrays, torch tensors, numbers.
// Shared by all ways to run kernels (the simulator, a driver's launch):
//
//   CallSignature signature(func);                      // once, when the kernel is made
//   CallArguments given(signature);
//   if (!signature.take(values, count, Memory::host, given) || !signature.make_outputs(given))
//     ...  // the slow path in arguments.py
//   given.all()[i].data, .bits ...                      // one per parameter, outputs included
//   return given.returned();
//
// A fast path for common values. `describe` of arguments.py, which asks the same host::Signature,
// accepts all other valid values (DLPack, None, subclasses, NumPy's scalars) and diagnoses the
// invalid ones. A refusal here therefore means: use the slow path.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/host/signature.h"
#include "python/foreign_arrays.h"

namespace tilelab::python {

/// The items of a tuple in an array, borrowed.
class TupleItems {
 public:
  explicit TupleItems(PyObject* tuple) : size_(static_cast<size_t>(PyTuple_Size(tuple))) {
    if (size_ > few_.size()) many_.resize(size_), first_ = many_.data();
    for (size_t i = 0; i < size_; ++i)
      first_[i] = PyTuple_GetItem(tuple, static_cast<Py_ssize_t>(i));
  }
  TupleItems(const TupleItems&) = delete;
  PyObject* const* first() const { return first_; }
  size_t size() const { return size_; }

 private:
  size_t size_;
  std::array<PyObject*, 16> few_;
  std::vector<PyObject*> many_;
  PyObject** first_ = few_.data();
};

class CallSignature;

/// The result of take(): plain data, and the created outputs. The caller owns the values.
class CallArguments {
 public:
  explicit CallArguments(const CallSignature& signature);
  /// Releases the outputs. Keeps derived data: the next call often has values of the same kind.
  void clear();
  /// In the order of the function's parameters; valid as long as this.
  std::span<const host::Value> all() const { return arguments_; }
  /// Values of CallSignature::dims(): dynamic extents and strides, integer parameters.
  const host::Dims& dims() const { return dims_; }
  /// The GPU of all tensors; -1 in host memory.
  int device() const { return device_; }
  /// The result of the call: the created outputs, as one object or, if there are several (or
  /// `as_list`), as a list; otherwise None. A new reference; null: a Python error.
  PyObject* returned(bool as_list = false) const;

 private:
  friend class CallSignature;
  /// Resets to the initial state.
  void forget();

  std::vector<host::Value> arguments_;
  std::vector<host::Tensor> tensors_;  // of take_new(), in the terms of their libraries
  std::vector<int64_t> extents_;       // shapes and strides
  host::Dims dims_;
  std::vector<Owned> made_;
  Memory memory_ = Memory::host;
  int64_t taken_ = -1;  // values of the last take(); -1: none, or it failed
  int device_ = -1;
  bool torch_ = false;  // a tensor of torch was among the values
  bool any_ = false;    // a tensor was
};

/// The requirements of a function's parameters. Immutable; needs the GIL.
class CallSignature {
 public:
  explicit CallSignature(const Func& func);

  /// Reads all parameters except outputs. False: needs the slow path; no Python error is set.
  /// `values` are those of the parameters other than outputs, or of all. Tensors must be in
  /// `where`, and on the same GPU.
  bool take(PyObject* const* values, size_t count, Memory where, CallArguments& out) const;
  /// Whether tensors of a call share memory that the kernel's code assumes to be separate.
  bool overlap(const CallArguments& given) const;
  /// Creates the outputs that take() did not get. In host memory they are poisoned, to reveal
  /// elements that a kernel does not write.
  bool make_outputs(CallArguments& out) const;

  const std::vector<Symbol>& dims() const { return required_.dims(); }
  size_t parameters() const { return required_.parameters().size(); }

 private:
  friend class CallArguments;
  bool take_again(PyObject* const* values, CallArguments& out) const;
  bool take_new(PyObject* const* values, size_t count, Memory where, CallArguments& out) const;
  static bool read_number(const host::Parameter& parameter, PyObject* value, host::Value& to,
                          CallArguments& out);
  bool fits(CallArguments& out) const;
  Owned make_output(const host::Parameter& parameter, host::Value& to,
                    const CallArguments& out) const;

  host::Signature required_;
  size_t extents_ = 0;  // of all shapes together
};

}  // namespace tilelab::python
