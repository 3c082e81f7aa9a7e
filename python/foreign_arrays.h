// SPDX-License-Identifier: Apache-2.0
// Locates the elements of NumPy's and torch's arrays without calling into Python. Neither library
// is needed to build or to run this: an array implies that its library is loaded.
#pragma once

#include <Python.h>

#include <cstdint>
#include <utility>

#include "core/ir/dtype.h"

namespace tilelab::python {

/// An owned reference; released with the GIL held.
class Owned {
 public:
  Owned() = default;
  explicit Owned(PyObject* stolen) : object_(stolen) {}
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owned() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

/// The memory space of an array.
enum class Memory : uint8_t { host, cuda, musa };

struct ForeignArray {
  DType dtype = DType::f32;
  void* data = nullptr;
  int32_t rank = 0;
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;
  int64_t unit = 1;  // stride units per element: NumPy counts bytes
  bool writable = true, torch = false;
  Memory memory = Memory::host;
  int device = -1;  // GPU ordinal; -1: host memory
};

/// False: not an array class of these libraries, or of a kind that kernels do not support. The
/// result is valid until `object` is resized or freed. Sets no Python error.
bool describe_array(PyObject* object, ForeignArray& out);

/// A new array in host memory, poisoned: NaN, or 0xA5 in every byte, to reveal elements that a
/// kernel does not write. Null, without a Python error: the library is not loaded or has no such
/// type.
Owned poisoned_array(bool of_torch, DType dtype, const int64_t* shape, int32_t rank);
/// A new uninitialized tensor of torch on a GPU. Null on failure.
Owned gpu_tensor(Memory memory, int device, DType dtype, const int64_t* shape, int32_t rank);
/// torch's current stream of an NVIDIA GPU. False: this torch does not provide it without Python.
bool cuda_stream_of_torch(int device, void** out);
/// Whether the program has imported torch.
bool torch_is_loaded();
/// "cuda" or "musa".
const char* name_of(Memory gpu);

}  // namespace tilelab::python
