// SPDX-License-Identifier: Apache-2.0
#include "python/foreign_arrays.h"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string>

namespace tilelab::python {
namespace {

/// A module that the program has imported; a borrowed reference, or null.
PyObject* loaded(const char* name) { return PyDict_GetItemString(PyImport_GetModuleDict(), name); }

Owned attribute(PyObject* object, const char* name) {
  Owned out(object ? PyObject_GetAttrString(object, name) : nullptr);
  if (!out) PyErr_Clear();
  return out;
}

// ---- NumPy

/// The beginning of PyArrayObject and of PyArray_Descr, which NumPy's ABI defines: the same in 1.x
/// and 2.x.
struct NumpyDescription {
  PyObject_HEAD PyObject* type_object;
  char kind, type, byte_order, flags;
  int type_number;
};
struct NumpyArray {
  PyObject_HEAD char* data;
  int rank;
  Py_ssize_t *shape, *strides;
  PyObject* base;
  NumpyDescription* description;
  int flags;
};
constexpr int kNumpyWriteable = 0x400;
static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));

/// By NumPy's type numbers; `long` has 64 bits here.
std::optional<DType> numpy_dtype(const NumpyDescription& description) {
  static_assert(sizeof(long) == 8);
  constexpr DType kNumbers[] = {DType::bool_, DType::i8,  DType::u8,  DType::i16, DType::u16,
                                DType::i32,   DType::u32, DType::i64, DType::u64, DType::i64,
                                DType::u64,   DType::f32, DType::f64};
  constexpr int kHalf = 23;
  if (description.byte_order != '=' && description.byte_order != '|') return std::nullopt;
  const int number = description.type_number;
  if (number == kHalf) return DType::f16;
  if (number < 0 || number >= int(std::size(kNumbers))) return std::nullopt;
  return kNumbers[number];
}

/// The class ndarray; keeps a reference once NumPy is loaded.
PyTypeObject* numpy_class() {
  static PyObject* held = nullptr;
  if (!held)
    if (PyObject* numpy = loaded("numpy")) held = PyObject_GetAttrString(numpy, "ndarray");
  if (!held) PyErr_Clear();
  return reinterpret_cast<PyTypeObject*>(held);
}

bool describe_numpy(PyObject* object, ForeignArray& out) {
  const auto& array = *reinterpret_cast<const NumpyArray*>(object);
  auto dtype = numpy_dtype(*array.description);
  if (!dtype) return false;
  out = {*dtype,
         array.data,
         array.rank,
         array.shape,
         array.strides,
         bytes(*dtype),
         (array.flags & kNumpyWriteable) != 0};
  return true;
}

// ---- torch

/// torch's C interface for compiled code (aoti_torch/c/shim.h), found in the library that the
/// program has loaded. A handle is the address of an at::Tensor, which is a single pointer, equal
/// to `Tensor._cdata`: that gives its offset in the Python object. Dense tensors are recognized by
/// the implementation class of a new one; others (sparse ones, those of vmap) have no plain memory.
class Torch {
 public:
  /// Null until the program has loaded torch, and for unsupported versions.
  static const Torch* find() {
    static Torch* found = nullptr;
    static bool failed = false;
    if (found || failed) return found;
    PyObject* torch = loaded("torch");
    // Missing while torch is being imported, another class in a mode that creates other tensors.
    Owned parameter = attribute(attribute(torch, "nn").get(), "Parameter");
    Owned tensor = attribute(torch, "Tensor"), plain;
    if (tensor && parameter) plain = Owned(PyObject_CallMethod(torch, "empty", "i", 0));
    if (!plain || reinterpret_cast<PyObject*>(Py_TYPE(plain.get())) != tensor.get())
      return PyErr_Clear(), nullptr;
    auto* made = new Torch;
    made->tensor_ = std::move(tensor), made->parameter_ = std::move(parameter);
    if (made->connect(plain.get()))
      found = made;
    else
      delete made, failed = true;
    return found;
  }

  bool is_own(PyObject* object) const {
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
    return type == tensor_.get() || type == parameter_.get();
  }

  bool describe_array(PyObject* object, ForeignArray& out) const {
    Handle handle = reinterpret_cast<char*>(object) + offset_;
    if (is_borrowed(object) || word_at(word_at(handle)) != dense_ || is_negated(handle))
      return false;
    int32_t dtype = 0, kind = 0, device = 0;
    int64_t rank = 0, *shape = nullptr, *strides = nullptr;
    if (dtype_(handle, &dtype) || kind_(handle, &kind) || device_(handle, &device) ||
        rank_(handle, &rank))
      return false;
    if (dtype < 0 || dtype >= int(dtypes_.size()) || !dtypes_[size_t(dtype)]) return false;
    if (!memory_of(kind, &out.memory)) return false;
    if (sizes_(handle, &shape) || strides_(handle, &strides) || data_(handle, &out.data))
      return false;
    out.dtype = *dtypes_[size_t(dtype)];
    out.rank = int32_t(rank);
    out.shape = shape, out.strides = strides;
    out.unit = 1;
    out.writable = out.torch = true;
    out.device = out.memory == Memory::host ? -1 : device;
    return true;
  }

  bool cuda_stream(int device, void** out) const { return stream_ && !stream_(device, out); }

 private:
  using Handle = void*;
  template <class T> using Getter = int32_t (*)(Handle, T*);
  using Constant = int32_t (*)();

  template <class F> static bool function(void* library, const char* name, F& out) {
    out = reinterpret_cast<F>(dlsym(library, name));
    return out != nullptr;
  }

  static bool constant(void* library, const char* name, int32_t& out) {
    Constant number = nullptr;
    if (!function(library, name, number)) return false;
    out = number();
    return true;
  }

  /// torch_musa's tensors are on the device type privateuse1.
  bool memory_of(int32_t kind, Memory* out) const {
    if (kind == cpu_)
      *out = Memory::host;
    else if (kind == cuda_)
      *out = Memory::cuda;
    else if (kind == other_ && loaded("torch_musa"))
      *out = Memory::musa;
    else
      return false;
    return true;
  }

  static const void* word_at(const void* place) {
    const void* out = nullptr;
    std::memcpy(&out, place, sizeof out);
    return out;
  }

  bool connect(PyObject* plain) {
    void* library = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
    if (!library || !functions(library) || !find_offset(plain) || !find_negation(plain))
      return false;
    constant(library, "aoti_torch_device_type_privateuse1", other_);  // missing in older versions
    if (void* cuda = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD))
      function(cuda, "aoti_torch_get_current_cuda_stream", stream_);
    for (int i = 0; i <= int(DType::f64); ++i) {
      Constant number = nullptr;
      auto type = static_cast<DType>(i);
      const std::string name = std::string("aoti_torch_dtype_") + tilelang_name(type);
      if (!function(library, name.c_str(), number)) continue;  // an older torch
      if (int32_t code = number(); code >= 0 && code < int(dtypes_.size()))
        dtypes_[size_t(code)] = type;
    }
    return true;
  }

  bool functions(void* library) {
    return function(library, "aoti_torch_get_data_ptr", data_) &&
           function(library, "aoti_torch_get_dim", rank_) &&
           function(library, "aoti_torch_get_sizes", sizes_) &&
           function(library, "aoti_torch_get_strides", strides_) &&
           function(library, "aoti_torch_get_dtype", dtype_) &&
           function(library, "aoti_torch_get_device_type", kind_) &&
           function(library, "aoti_torch_get_device_index", device_) &&
           constant(library, "aoti_torch_device_type_cpu", cpu_) &&
           constant(library, "aoti_torch_device_type_cuda", cuda_);
  }

  /// A Python object restored by a weak reference may have given its tensor to C++ code and only
  /// borrow it: the flag is stored before the pointer (c10::MaybeOwned).
  bool is_borrowed(PyObject* object) const {
    return offset_ > sizeof(PyObject) && reinterpret_cast<const char*>(object)[sizeof(PyObject)];
  }

  bool find_offset(PyObject* object) {
    Owned number = attribute(object, "_cdata");
    const void* tensor = number ? PyLong_AsVoidPtr(number.get()) : nullptr;
    if (!tensor) return PyErr_Clear(), false;
    dense_ = word_at(tensor);
    for (offset_ = sizeof(PyObject); offset_ < 6 * sizeof(void*); offset_ += sizeof(void*))
      if (word_at(reinterpret_cast<const char*>(object) + offset_) == tensor) return true;
    return false;
  }

  /// A tensor with the negative bit has the negated values of its memory. The bit is one of the
  /// dispatch keys, a word of the tensor's implementation.
  bool is_negated(Handle handle) const { return (keys_word(word_at(handle)) & negated_) != 0; }

  bool find_negation(PyObject* plain) {
    PyObject* torch = loaded("torch");
    Owned negate = attribute(torch, "_neg_view");
    if (!negate) return true;  // a version without such tensors
    Owned negated(PyObject_CallFunctionObjArgs(negate.get(), plain, nullptr));
    const uintptr_t keys = keys_of(plain), more = negated ? keys_of(negated.get()) : 0;
    negated_ = keys ^ more;
    if ((negated_ & (negated_ - 1)) != 0) return PyErr_Clear(), false;  // not one bit
    for (keys_offset_ = 0; keys && more && keys_offset_ < 24 * sizeof(void*);
         keys_offset_ += sizeof(void*))
      if (keys_word(implementation(plain)) == keys &&
          keys_word(implementation(negated.get())) == more)
        return true;
    return PyErr_Clear(), false;
  }

  const void* implementation(PyObject* tensor) const {
    return word_at(reinterpret_cast<const char*>(tensor) + offset_);
  }
  uintptr_t keys_word(const void* tensor) const {
    return reinterpret_cast<uintptr_t>(word_at(static_cast<const char*>(tensor) + keys_offset_));
  }

  /// torch._C._dispatch_keys(tensor).raw_repr(); 0 on failure.
  static uintptr_t keys_of(PyObject* tensor) {
    Owned keys(PyObject_CallMethod(loaded("torch._C"), "_dispatch_keys", "O", tensor));
    Owned raw(keys ? PyObject_CallMethod(keys.get(), "raw_repr", nullptr) : nullptr);
    return raw ? PyLong_AsUnsignedLongLong(raw.get()) : 0;
  }

  Owned tensor_, parameter_;  // the classes
  size_t offset_ = 0, keys_offset_ = 0;
  uintptr_t negated_ = 0;  // the bit among the keys
  const void* dense_ = nullptr;
  Getter<void*> data_ = nullptr;
  Getter<int64_t> rank_ = nullptr;
  Getter<int64_t*> sizes_ = nullptr, strides_ = nullptr;
  Getter<int32_t> dtype_ = nullptr, kind_ = nullptr, device_ = nullptr;
  int32_t (*stream_)(int32_t, void**) = nullptr;
  int32_t cpu_ = -1, cuda_ = -1, other_ = -1;
  std::array<std::optional<DType>, 64> dtypes_;
};

// ---- new arrays

Owned shape_tuple(const int64_t* shape, int32_t rank) {
  Owned out(PyTuple_New(rank));
  for (int32_t i = 0; out && i < rank; ++i)
    PyTuple_SetItem(out.get(), i, PyLong_FromLongLong(shape[i]));
  return out;
}

void poison(const ForeignArray& array) {
  int64_t count = 1;
  for (int32_t i = 0; i < array.rank; ++i) count *= array.shape[i];
  auto fill = [&](auto bits) {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(static_cast<char*>(array.data) + i * int64_t(sizeof bits), &bits, sizeof bits);
  };
  const bool number = is_float(array.dtype);
  const uint64_t nan =
      number ? encode_float(array.dtype, std::numeric_limits<double>::quiet_NaN()) : 0;
  if (!number)
    std::memset(array.data, array.dtype == DType::bool_ ? 1 : 0xA5,
                size_t(count * bytes(array.dtype)));
  else if (bytes(array.dtype) == 8)
    fill(nan);
  else if (bytes(array.dtype) == 4)
    fill(uint32_t(nan));
  else if (bytes(array.dtype) == 2)
    fill(uint16_t(nan));
  else
    fill(uint8_t(nan));
}

/// module.empty(shape, dtype=dtype[, device=device])
Owned empty(PyObject* module, PyObject* shape, PyObject* dtype, PyObject* device) {
  Owned function = attribute(module, "empty");
  if (!function || !shape || !dtype) return {};
  Owned values(PyTuple_Pack(1, shape)), named(PyDict_New());
  if (!values || !named || PyDict_SetItemString(named.get(), "dtype", dtype) < 0 ||
      (device && PyDict_SetItemString(named.get(), "device", device) < 0))
    return PyErr_Clear(), Owned();
  Owned made(PyObject_Call(function.get(), values.get(), named.get()));
  if (!made) PyErr_Clear();
  return made;
}

}  // namespace

bool describe_array(PyObject* object, ForeignArray& out) {
  if (Py_TYPE(object) == numpy_class()) return describe_numpy(object, out);
  const Torch* torch = Torch::find();
  return torch && torch->is_own(object) && torch->describe_array(object, out);
}

bool cuda_stream_of_torch(int device, void** out) {
  const Torch* torch = Torch::find();
  return torch && torch->cuda_stream(device, out);
}

bool torch_is_loaded() { return loaded("torch") != nullptr; }

Owned poisoned_array(bool of_torch, DType dtype, const int64_t* shape, int32_t rank) {
  PyObject* module = loaded(of_torch ? "torch" : "numpy");
  if (!module) return {};
  const bool numpy_bool = !of_torch && dtype == DType::bool_;
  Owned kind = attribute(module, numpy_bool ? "bool_" : tilelang_name(dtype));
  Owned made = empty(module, shape_tuple(shape, rank).get(), kind.get(), nullptr);
  ForeignArray array;
  if (!made || !describe_array(made.get(), array) || array.dtype != dtype) return {};
  poison(array);
  return made;
}

const char* name_of(Memory gpu) { return gpu == Memory::musa ? "musa" : "cuda"; }

Owned gpu_tensor(Memory memory, int device, DType dtype, const int64_t* shape, int32_t rank) {
  PyObject* module = loaded("torch");
  if (!module) return {};
  Owned kind = attribute(module, tilelang_name(dtype));
  Owned where(PyUnicode_FromFormat("%s:%d", name_of(memory), device));
  return empty(module, shape_tuple(shape, rank).get(), kind.get(), where.get());
}

}  // namespace tilelab::python
