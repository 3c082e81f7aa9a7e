# SPDX-License-Identifier: Apache-2.0
"""Arrays on a GPU without torch."""

import math
import sys

from .. import _core
from .._compiler import dtypes
from .._compiler.errors import UsageError
from .._compiler.messages import message
from . import devices
from .array_protocol import DeviceArrayProtocol


class DeviceArray(DeviceArrayProtocol):
    """Row-major elements in GPU memory. `to_device(array)` and `array.numpy()` copy; other libraries read `__cuda_array_interface__` or
    DLPack. Indexing by leading integers and slices gives a view."""

    def __init__(self, shape, dtype, device=None):
        self.shape, self.dtype = tuple(int(n) for n in shape), dtypes.dtype(dtype).as_numpy()
        self.gpu = _gpu_of(device)
        self.device, self.device_number = str(self.gpu), self.gpu.number
        self._memory, self._offset = _core.gpu.memory(*self.gpu, self.dtype.itemsize * math.prod(self.shape)), 0

    def _part(self, shape, offset):
        """A view of the memory from byte `offset` of this array on."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.shape, made._offset = tuple(int(n) for n in shape), self._offset + offset
        return made

    def _copied(self, array):
        """A copy of a NumPy array on this array's GPU."""
        return to_device(array, self.gpu)

    @property
    def nbytes(self):
        return self.dtype.itemsize * math.prod(self.shape)

    @property
    def array_interface(self):
        """The contents of `__cuda_array_interface__`, for any vendor's GPU."""
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._memory.address + self._offset, False), "version": 3, "strides": None}

    @property
    def __cuda_array_interface__(self):
        if self.gpu.vendor != "cuda":
            raise AttributeError(f"this array is on {self.device}")
        return self.array_interface

    @property
    def lost(self):
        """Whether the worker process that owned its memory has ended (%device cuda:worker)."""
        return self._memory.lost

    def numpy(self):
        """A copy in host memory."""
        import numpy

        if self.nbytes == self._memory.bytes:
            made = numpy.empty(self.shape, self.dtype)
            self._memory.copy_out(made.ctypes.data, self.nbytes)
            return made
        whole = numpy.empty(self._memory.bytes, "uint8")  # the driver copies from the start of an allocation
        self._memory.copy_out(whole.ctypes.data, whole.nbytes)
        return whole[self._offset:self._offset + self.nbytes].view(self.dtype).reshape(self.shape).copy()

    def copy(self):
        return to_device(self.numpy(), self.gpu)

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("NumPy cannot access an array of a GPU without a copy")
        made = self.numpy()
        return made if dtype is None else made.astype(dtype)

    def __repr__(self):
        return f"DeviceArray({list(self.shape)}, {self.dtype}, {self.device}{', lost' if self.lost else ''})"


def _gpu_of(device):
    """The Gpu of a device name, of an index on the chosen vendor, or the chosen one for None."""
    if isinstance(device, devices.Gpu):
        return device
    if isinstance(device, str):
        if (named := devices.gpu(device)) is None:
            raise UsageError(message("device-absent", device, "it cannot hold an array", help='use a device with separate memory: '
                                     '"cuda", "cuda:1", "musa", ...'))
        return named
    found = devices.chosen() or devices.Gpu("cuda", 0)  # its use reports what is missing
    return found if device is None else devices.Gpu(found.vendor, int(device))


def to_device(array, device=None):
    """A copy of a NumPy array, or of a torch tensor in host memory, on the chosen GPU or on `device`."""
    import numpy

    if hasattr(array, "detach"):
        array = array.detach()
    array = numpy.ascontiguousarray(array)
    made = DeviceArray(array.shape, array.dtype, device)
    made._memory.copy_in(array.ctypes.data, made.nbytes)
    return made


def on_gpu(value, gpu):
    """A host argument as one on the GPU."""
    if hasattr(value, "cuda"):
        if not gpu.in_worker:
            return value.to(str(gpu))
        try:
            return to_device(value, gpu)
        except TypeError:  # NumPy lacks the dtype: each call copies it
            return value
    return to_device(value, gpu) if hasattr(value, "shape") and value.shape else value


def in_host_memory(value):
    """The value; an array on a GPU is copied."""
    if isinstance(value, DeviceArray):
        return value.numpy()
    device = getattr(value, "device", None)
    return value.cpu() if hasattr(value, "cpu") and getattr(device, "type", "cpu") != "cpu" else value


def empty_on(gpu, shape, dtype, kind):
    """A new array on a GPU, of the same library as the other arguments."""
    if kind != "torch":
        return DeviceArray(shape, dtypes.storage(dtype), gpu)
    torch = sys.modules["torch"]
    return torch.empty(shape, dtype=dtypes.dtype(dtype).as_torch(), device=str(gpu))
