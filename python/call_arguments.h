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
// A fast path for common values. It never accepts more than `describe` of arguments.py, which
// accepts all other valid values (DLPack, None, subclasses, NumPy's scalars) and diagnoses the
// invalid ones. A refusal here therefore means: use the slow path.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/ir/func.h"
#include "python/foreign_arrays.h"

namespace tilelab::python {

/// One parameter's value. Valid as long as its CallArguments.
struct CallArgument {
  DType dtype = DType::i32;  // the parameter's
  bool tensor = false;
  bool fresh = false;    // an output created by this call; in host memory it is poisoned
  int32_t rank = 0;      // of a tensor, like the following
  void* data = nullptr;  // address of its first element
  int64_t bytes = 0;     // from there to the end of its last element; 0: empty
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;  // elements
  uint64_t bits = 0;  // of a number; integers sign- or zero-extended to 64, floats encoded
};

class CallSignature;

/// The result of take(): plain data, and the created outputs. The caller owns the values.
class CallArguments {
 public:
  explicit CallArguments(const CallSignature& signature);
  /// Releases the outputs. Keeps derived data: the next call often has values of the same kind.
  void clear();
  /// In the order of the function's parameters.
  std::span<const CallArgument> all() const { return arguments_; }
  /// Values of CallSignature::names(): dynamic extents and strides, integer parameters.
  std::span<const int64_t> names() const { return names_; }
  /// The GPU of all tensors; -1 in host memory.
  int device() const { return device_; }
  /// The result of the call: the created outputs, as one object or, if there are several (or
  /// `as_list`), as a list; otherwise None. A new reference; null: a Python error.
  PyObject* returned(bool as_list = false) const;

 private:
  friend class CallSignature;
  /// Resets to the initial state.
  void forget();
  /// False: the name already has another value.
  bool learn(int name, int64_t value);

  std::vector<CallArgument> arguments_;
  std::vector<int64_t> extents_;  // shapes and strides
  std::vector<int64_t> names_;
  std::vector<bool> known_;  // which of the names
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

  /// Names determined by the values of a call, in the order of CallArguments::names().
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
  std::vector<size_t> outputs_;                         // positions, in the order of the results
  std::vector<std::pair<size_t, size_t>> must_differ_;  // of separate_tensors()
  size_t extents_ = 0;                                  // of all shapes together
};

}  // namespace tilelab::python
