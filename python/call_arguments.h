// SPDX-License-Identifier: Apache-2.0
// The arguments of a call, read without running any Python: NumPy arrays, torch tensors, numbers.
// For whatever runs kernels (the simulator, a driver's launch):
//
//   CallSignature signature(func);                      // once, when the kernel is made
//   CallArguments given(signature);
//   if (!signature.take(values, count, Memory::host, given) || !signature.make_outputs(given))
//     ...  // the road of arguments.py
//   given.all()[i].data, .bits ...                      // one for each parameter, outputs included
//   return given.returned();
//
// It takes what needs no thought and is never more liberal than `describe` of arguments.py, which
// takes everything else that is right (DLPack, None, subclasses, NumPy's scalars) and says what is
// wrong with the rest. So a refusal here is no message: it means "ask there".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ir/func.h"
#include "python/foreign_arrays.h"

namespace tilelab::python {

/// One parameter's value. Lives as long as the CallArguments that it is of.
struct CallArgument {
  DType dtype = DType::i32;  // the parameter's
  bool tensor = false;
  bool fresh = false;    // an output that this call made; in host memory it is poisoned
  int32_t rank = 0;      // of a tensor, with what follows
  void* data = nullptr;  // address of its first element
  int64_t bytes = 0;     // from there to behind its last element; 0: it has none
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;  // elements
  uint64_t bits = 0;  // of a number; integers sign- or zero-extended to 64, floats encoded
};

class CallSignature;

/// What take() has read: plain data, and the outputs that it made. The caller keeps the values.
class CallArguments {
 public:
  explicit CallArguments(const CallSignature& signature);
  /// Gives the outputs away. What was taken is kept: values of the same kind are soon taken again.
  void clear();
  /// In the order of the function's parameters.
  std::span<const CallArgument> all() const { return arguments_; }
  /// Values of CallSignature::names(): extents and strides of run time, integer parameters.
  std::span<const int64_t> names() const { return names_; }
  /// The GPU that all tensors are on; -1 in host memory.
  int device() const { return device_; }
  /// What the call gives to its caller: the outputs that it made, as one object or, where there
  /// are several (or `as_list`), as a list; None without. A new reference; null: a Python error.
  PyObject* returned(bool as_list = false) const;

 private:
  friend class CallSignature;
  /// As new.
  void forget();
  /// False: the name has another value already.
  bool learn(int name, int64_t value);

  std::vector<CallArgument> arguments_;
  std::vector<int64_t> extents_;  // shapes and strides
  std::vector<int64_t> names_;
  std::vector<bool> known_;  // which of the names
  std::vector<Owned> made_;
  Memory memory_ = Memory::host;
  int64_t taken_ = -1;  // values of the last take(); -1: none, or it refused them
  int device_ = -1;
  bool torch_ = false;  // a tensor of torch was among the values
  bool any_ = false;    // a tensor was
};

/// What a function's parameters ask of values. Immutable; needs the GIL.
class CallSignature {
 public:
  explicit CallSignature(const Func& func);

  /// Reads all but the outputs. False: something here needs the other road; no Python error is set.
  /// `values` are those of the parameters that are no outputs, or of all. Tensors must be in
  /// `where`, those of GPUs all on one.
  bool take(PyObject* const* values, size_t count, Memory where, CallArguments& out) const;
  /// Makes the outputs that take() was not given, beside its tensors. In host memory they are
  /// poisoned, so that what a kernel leaves out shows.
  bool make_outputs(CallArguments& out) const;

  /// Names that values of a call decide, in the order of CallArguments::names().
  const std::vector<Symbol>& names() const { return names_; }
  size_t parameters() const { return parameters_.size(); }

 private:
  friend class CallArguments;
  /// An entry of a shape: a constant, a name, or an expression of names.
  struct Extent {
    int64_t constant = 0;
    int name = -1;
    Expr expr;
  };
  /// sizes[index] * per = times * name + plus
  struct Bound {
    int name = 0;
    size_t index = 0;
    bool stride = false;
    int64_t times = 1, plus = 0, per = 1;
  };
  struct Parameter {
    DType dtype = DType::i32;
    bool tensor = false, written = false, output = false, pairs = false;
    int name = -1;  // of an integer
    std::vector<Extent> shape, strides;
    std::vector<Bound> binds;
  };

  int number_of(Symbol name);
  Extent extent(const Expr& expr);
  void read_host_section(const Func& func);
  std::optional<int64_t> value(const Extent& extent, const CallArguments& given) const;
  bool take_again(PyObject* const* values, CallArguments& out) const;
  bool take_new(PyObject* const* values, size_t count, Memory where, CallArguments& out) const;
  static bool read_number(const Parameter& parameter, PyObject* value, CallArgument& to,
                          CallArguments& out);
  static bool takes(const Parameter& parameter, const ForeignArray& array,
                    const CallArguments& out);
  bool read(const Parameter& parameter, PyObject* value, CallArgument& to, int64_t* extents,
            CallArguments& out) const;
  bool bind(CallArguments& out) const;
  bool fits(const Parameter& parameter, const CallArgument& argument,
            const CallArguments& out) const;
  Owned make_output(const Parameter& parameter, CallArgument& to, const CallArguments& out) const;

  std::vector<Parameter> parameters_;
  std::vector<Symbol> names_;
  std::vector<size_t> outputs_;  // positions, as the call returns them
  size_t extents_ = 0;           // of all shapes together
};

}  // namespace tilelab::python
