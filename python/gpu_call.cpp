// SPDX-License-Identifier: Apache-2.0
#include "python/gpu_call.h"

#include <optional>
#include <utility>

#include "core/targets/target.h"
#include "python/object.h"

namespace tilelab::python {
namespace {

class GpuCall {
 public:
  GpuCall(const Func& func, std::shared_ptr<runtime::DeviceFunction> compiled, bool as_list)
      : signature_(func),
        memory_(find_target(func.target)->family == Family::musa ? Memory::musa : Memory::cuda),
        compiled_(std::move(compiled)),
        as_list_(as_list),
        kept_(signature_) {}

  /// Null: the slow path, or a Python error.
  PyObject* run(PyObject* values) {
    if (!PyTuple_CheckExact(values)) return nullptr;
    if (in_use_) {  // a finalizer run by a new output calls the kernel
      CallArguments own(signature_);
      return run(values, own);
    }
    in_use_ = true;
    PyObject* made = run(values, kept_);
    kept_.clear();
    in_use_ = false;
    return made;
  }

 private:
  PyObject* run(PyObject* values, CallArguments& given) {
    const TupleItems items(values);
    if (!signature_.take(items.first(), items.size(), memory_, given) || given.device() < 0)
      return nullptr;
    if (signature_.overlap(given) && !std::exchange(overlap_reported_, true)) return nullptr;
    uintptr_t stream = 0;
    if (!find_stream(given.device(), &stream) || !signature_.make_outputs(given)) return nullptr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto in = reinterpret_cast<runtime::Stream>(stream);
    std::optional<runtime::Failure> failure;
    if (!compiled_->repeat(given.device(), given.all(), in, &failure)) return nullptr;
    if (!failure) return given.returned(as_list_);
    set_error(*failure);
    return nullptr;
  }

  /// torch's current stream, from its C interface.
  bool find_stream(int device, uintptr_t* stream) const {
    void* address = nullptr;
    if (memory_ == Memory::cuda && cuda_stream_of_torch(device, &address)) {
      *stream = reinterpret_cast<uintptr_t>(address);
      return true;
    }
    Owned found(memory_ == Memory::cuda ? cuda_stream(device) : musa_stream(device));
    if (found) *stream = PyLong_AsSize_t(found.get());
    if (!PyErr_Occurred()) return true;
    PyErr_Clear();
    return false;
  }

  static PyObject* cuda_stream(int device) {
    static PyObject* ask = nullptr;
    if (!ask) {
      Owned torch(PyImport_ImportModule("torch._C"));
      if (torch) ask = PyObject_GetAttrString(torch.get(), "_cuda_getCurrentRawStream");
    }
    Owned number(ask ? PyLong_FromLong(device) : nullptr);
    return number ? PyObject_CallFunctionObjArgs(ask, number.get(), nullptr) : nullptr;
  }

  static PyObject* musa_stream(int device) {
    Owned module(PyImport_ImportModule("torch.musa"));
    Owned stream(module ? PyObject_CallMethod(module.get(), "current_stream", "i", device)
                        : nullptr);
    return stream ? PyObject_GetAttrString(stream.get(), "musa_stream") : nullptr;
  }

  CallSignature signature_;
  Memory memory_;
  std::shared_ptr<runtime::DeviceFunction> compiled_;
  bool as_list_;
  bool in_use_ = false;
  bool overlap_reported_ = false;  // by the slow path
  CallArguments kept_;
};

constexpr const char* kCapsule = "tilelab.gpu_call";

PyObject* call(PyObject* self, PyObject* values) {
  auto* call = static_cast<GpuCall*>(PyCapsule_GetPointer(self, kCapsule));
  PyObject* made = call ? call->run(values) : nullptr;
  if (made || PyErr_Occurred()) return made;
  Py_RETURN_NOTIMPLEMENTED;
}

void forget(PyObject* capsule) {
  delete static_cast<GpuCall*>(PyCapsule_GetPointer(capsule, kCapsule));
}

}  // namespace

PyObject* gpu_call(const Func& func, std::shared_ptr<runtime::DeviceFunction> compiled,
                   bool as_list) {
  static PyMethodDef method{"gpu_call", &call, METH_O, nullptr};
  Owned capsule(PyCapsule_New(new GpuCall(func, std::move(compiled), as_list), kCapsule, &forget));
  return capsule ? PyCFunction_New(&method, capsule.get()) : nullptr;
}

}  // namespace tilelab::python
