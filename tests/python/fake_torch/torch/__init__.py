# SPDX-License-Identifier: Apache-2.0
"""As much of torch as calls of kernels on its tensors of a GPU need; the tensors are tensors.cpp's."""
import ctypes
import importlib.machinery
import importlib.util
import os
import sys
import types

_folder = os.environ["TILELAB_FAKE_TORCH"]
_loader = importlib.machinery.ExtensionFileLoader("tensors", os.path.join(_folder, "libtorch_cpu.so"))
Tensor = importlib.util.module_from_spec(importlib.util.spec_from_loader("tensors", _loader)).Tensor
if os.environ.get("FAKE_TORCH_STREAMS") != "python":
    _stream_in_c = ctypes.c_ssize_t.in_dll(ctypes.CDLL(os.path.join(_folder, "libtorch_cuda.so")), "fake_stream")
nn = types.SimpleNamespace(Parameter=type("Parameter", (), {}))
_attributes = {}  # what Python reads of a tensor, by id
_CODES = {"int32": 3, "float16": 5, "float32": 6}
int32, float16, float32 = (f"torch.{name}" for name in _CODES)


def tensor(address, shape, dtype, device=0, strides=None, **more):
    if strides is None:
        strides, step = [], 1
        for extent in reversed(shape):
            strides.insert(0, step)
            step *= extent
    made = Tensor(address, shape, strides, _CODES[dtype], device, **more)
    where = types.SimpleNamespace(type="cuda", index=device)
    _attributes[id(made)] = dict(data_ptr=address, shape=shape, stride=strides, dtype=f"torch.{dtype}", device=where,
                                 element_size=2 if dtype == "float16" else 4, is_neg=False)
    return made


for _name in ("data_ptr", "stride", "element_size", "is_neg"):
    setattr(Tensor, _name, lambda self, name=_name: _attributes[id(self)][name])
for _name in ("shape", "dtype", "device"):
    setattr(Tensor, _name, property(lambda self, name=_name: _attributes[id(self)][name]))


def empty(*_, **__):
    return Tensor()


asked = []  # the devices whose stream Python was asked for


def _stream(device):
    asked.append(device)
    return 0x60 + device


def set_stream(number):
    """The current stream of device 0, as reported to C."""
    _stream_in_c.value = number


_C = sys.modules["torch._C"] = types.ModuleType("torch._C")
_C._cuda_getCurrentRawStream = _stream
cuda = types.SimpleNamespace(is_initialized=lambda: True)
