// SPDX-License-Identifier: Apache-2.0
// Tensors of a GPU and the C interface by which compiled code reads them (torch's
// aoti_torch/c/shim.h), under the names of torch's libraries: the call path that runs no Python
// is taken on machines that have neither a GPU nor torch.
#include <Python.h>

#include <cstdint>
#include <cstring>
#include <vector>

#define VISIBLE extern "C" __attribute__((visibility("default")))

#ifdef FAKE_TORCH_CUDA

extern "C" {
__attribute__((visibility("default"))) intptr_t fake_stream = 0x50;  // of device 0
}
VISIBLE int32_t aoti_torch_get_current_cuda_stream(int32_t device, void** stream) {
  *stream = reinterpret_cast<void*>(fake_stream + device);
  return 0;
}

#else

namespace {

const char dense = 0, sparse = 0;  // represent the implementation classes

struct Implementation {
  const void* kind = &dense;
  void* data = nullptr;
  int32_t dtype = 6, device = 0;
  std::vector<int64_t> shape, strides;
};
struct Tensor {
  PyObject_HEAD bool borrowed;  // c10::MaybeOwned
  Implementation* implementation;
};

bool read_list(PyObject* list, std::vector<int64_t>& out) {
  const Py_ssize_t n = PySequence_Size(list);
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PySequence_GetItem(list, i);
    out.push_back(item ? PyLong_AsLongLong(item) : 0);
    Py_XDECREF(item);
  }
  return !PyErr_Occurred();
}

/// Tensor(address=0, shape=(), strides=(), dtype=6, device=0, is_sparse=False)
PyObject* make(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"address", "shape",     "strides", "dtype",
                                "device",  "is_sparse", nullptr};
  unsigned long long address = 0;
  PyObject *shape = nullptr, *strides = nullptr;
  int dtype = 6, device = 0, is_sparse = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|KOOiip", const_cast<char**>(names), &address,
                                   &shape, &strides, &dtype, &device, &is_sparse))
    return nullptr;
  auto* self = reinterpret_cast<Tensor*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  self->implementation = new Implementation;
  Implementation& made = *self->implementation;
  made.kind = is_sparse ? &sparse : &dense;
  made.data = reinterpret_cast<void*>(address);
  made.dtype = dtype, made.device = device;
  if ((shape && !read_list(shape, made.shape)) || (strides && !read_list(strides, made.strides)))
    return Py_DECREF(self), nullptr;
  return reinterpret_cast<PyObject*>(self);
}

void destroy(PyObject* self) {
  delete reinterpret_cast<Tensor*>(self)->implementation;
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* cdata(PyObject* self, void*) {
  return PyLong_FromVoidPtr(reinterpret_cast<Tensor*>(self)->implementation);
}

Implementation& of(void* handle) { return **static_cast<Implementation**>(handle); }

}  // namespace

#define GETTER(name, T, value)                                  \
  VISIBLE int32_t aoti_torch_get_##name(void* handle, T* out) { \
    *out = value;                                               \
    return 0;                                                   \
  }
GETTER(data_ptr, void*, of(handle).data)
GETTER(dim, int64_t, int64_t(of(handle).shape.size()))
GETTER(sizes, int64_t*, of(handle).shape.data())
GETTER(strides, int64_t*, of(handle).strides.data())
GETTER(dtype, int32_t, of(handle).dtype)
GETTER(device_type, int32_t, (static_cast<void>(handle), 1))
GETTER(device_index, int32_t, of(handle).device)

#define NUMBER(name, value) \
  VISIBLE int32_t aoti_torch_##name() { return value; }
NUMBER(device_type_cpu, 0)
NUMBER(device_type_cuda, 1)
NUMBER(dtype_int32, 3)
NUMBER(dtype_float16, 5)
NUMBER(dtype_float32, 6)

VISIBLE PyObject* PyInit_tensors() {
  static PyGetSetDef members[] = {{"_cdata", cdata, nullptr, nullptr, nullptr}, {}};
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                                {Py_tp_getset, members},
                                {0, nullptr}};
  static PyType_Spec spec = {"torch.Tensor", sizeof(Tensor), 0, Py_TPFLAGS_DEFAULT, slots};
  static PyModuleDef definition = {
      PyModuleDef_HEAD_INIT, "tensors", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
  PyObject* module = PyModule_Create(&definition);
  if (module) PyModule_AddObject(module, "Tensor", PyType_FromSpec(&spec));
  return module;
}

#endif
