# SPDX-License-Identifier: Apache-2.0
"""Zero-copy access to arrays of any library: NumPy, torch (imported only when needed), DLPack and the array interfaces."""

import operator
import sys

from .. import _core
from .._compiler import dtypes
from .._compiler.errors import ArgumentError, DiagnosedError
from .._compiler.layouts import row_major
from .._compiler.messages import message

_POISON_BYTE = 0xA5
_POISON_OF = {"float8_e4m3fnuz": 0x80, "float8_e5m2fnuz": 0x80, "float8_e8m0fnu": 0xFF, "float4_e2m1fn": _POISON_BYTE}
# Type characters of the array interface: numbers have a width; types that kernels can't take are named for messages.
_NUMBERS = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
_WORDS = {"b": "bool", "O": "object (Python objects)", "S": "bytes", "U": "str", "M": "datetime64", "m": "timedelta64",
          "V": "a structured type"}


class View:
    """An array's memory. `item`: bytes of an element. `steps`: its strides in units of `unit` bytes; None if row-major.
    `device` is "cpu", "cuda:N", "cuda:worker:N" or "musa:N"."""

    __slots__ = ("dtype", "item", "address", "shape", "steps", "unit", "device", "writable", "kind", "keep")

    def __init__(self, dtype, item, address, shape, steps, unit, device="cpu", writable=True, kind="numpy", keep=None):
        if steps is None:
            steps, unit = row_major(shape), item
        self.dtype, self.item, self.address, self.shape, self.steps, self.unit = dtype, item, address or 0, tuple(shape), steps, unit
        self.device, self.writable, self.kind, self.keep = device, writable, kind, keep

    @property
    def strides(self):
        """In elements; of a layout that core accepts."""
        return tuple(step * self.unit // self.item for step in self.steps)

    def nbytes(self, size):
        if 0 in self.shape:
            return 0
        return size * (1 + sum((n - 1) * abs(s) for n, s in zip(self.shape, self.strides)))


def view(array):
    """The View of an array; None for other values. Raises ArgumentError if the array does not give access to its memory."""
    try:
        return _view(array)
    except DiagnosedError:  # a lost array of a GPU
        raise
    except Exception as error:  # of the array's library, or of what an interface contains
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        if isinstance(error, KeyError):
            why = f"its interface has no {why}"
        help = "pass a plain copy: numpy.array(x), or x.detach().clone() of torch"
        if _is_transformed(array):
            help = 'a kernel cannot see through vmap, grad or jacrev of torch.func; use op = kernel.as_torch_op("my::name", backward=...)'
        raise ArgumentError(message("argument-unreadable", type(array).__name__, why, help=help)) from None


def _is_transformed(array):
    """Whether a tensor is inside of a transform of torch.func."""
    functorch = getattr(sys.modules.get("torch._C"), "_functorch", None)
    return functorch is not None and type(array).__module__ == "torch" and functorch.is_functorch_wrapped_tensor(array)


def _view(array):
    module = type(array).__module__.partition(".")[0]
    if module == "torch" and hasattr(array, "data_ptr"):
        if array.is_neg():
            raise ValueError("its negative bit is set, so its memory has other values; .resolve_neg() makes a tensor of its values")
        return View(str(array.dtype).rpartition(".")[2], array.element_size(), array.data_ptr(), array.shape, array.stride(),
                    array.element_size(), _device_of(array.device), True, "torch", array)
    if (interface := getattr(array, "__cuda_array_interface__", None)) is not None:
        return _on_gpu(array, interface)
    interface = getattr(array, "array_interface", None)
    if interface is not None and module == "tilelab":
        return _from_interface(array, interface, array.device, "device")
    if (interface := getattr(array, "__array_interface__", None)) is not None:
        return _from_interface(array, interface if module == "numpy" else _checked(interface))
    if hasattr(array, "__dlpack__"):
        if hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] in (2, 12):
            return _by_dlpack(array)
        import numpy

        made = numpy.from_dlpack(array)
        out = _from_interface(made, made.__array_interface__)
        out.keep = (array, made)
        return out
    return None


def _checked(interface):
    """The interface of another library; raises where it describes no array."""
    shape, strides = interface["shape"], interface.get("strides")
    if strides is not None and len(strides) != len(shape):
        raise ValueError(f"its interface has {len(shape)} extents and {len(strides)} strides")
    if any(not low <= operator.index(number) < 2**63 for numbers, low in ((interface["data"][:1], 0), (shape, 0), (strides or (), -2**63))
           for number in numbers):
        raise ValueError("a number of its interface is negative or exceeds 63 bits")
    return interface


def _on_gpu(array, interface):
    """The View of an array with __cuda_array_interface__; foreign libraries do not give the GPU's index."""
    device = f"cuda:{getattr(array, 'device_number', 0)}"
    if "typestr" not in interface:
        return View("", 1, 0, (), (), 1, device)
    _checked(interface)
    if interface.get("stream") not in (None, 1):  # 1: the default stream
        _core.gpu.synchronize("cuda", int(device[5:]), interface["stream"])
    return _from_interface(array, interface, device, "device")


def _by_dlpack(array):
    from .._gpu import devices, dlpack

    kind, number = array.__dlpack_device__()
    gpu = devices.Gpu(dlpack.VENDORS[kind], number)
    dtype, item, address, shape, strides, keep = dlpack.unpack(array, devices.stream(gpu))
    return View(dtype, item, address, shape, strides, item, str(gpu), True, "device", keep)


def _device_of(device):
    """torch's device name, with its index."""
    return device.type if device.type == "cpu" else f"{device.type}:{device.index or 0}"


def _from_interface(array, interface, device="cpu", kind="numpy"):
    spelled = interface["typestr"]
    order, letter, size = spelled[0], spelled[1], int(spelled[2:].partition("[")[0] or 0) or 1  # [unit of time]; no characters
    name = _WORDS.get(letter) or f"{_NUMBERS.get(letter, letter)}{size * 8}"
    if order == ">":
        name = f"big-endian {name}"
    declared = getattr(array, "dtype", None)
    if letter == "V" and declared is not None:  # bfloat16 and float8 of tilelab or ml_dtypes
        name = dtypes.name_of(declared) or declared.name
    address, read_only = interface["data"]
    return View(name, size, address, interface["shape"], interface.get("strides"), 1, device, not read_only, kind, array)


def empty(shape, dtype, kind, gpu=None):
    """A new poisoned array: NaN, or 0xA5 in every byte, so that unwritten elements show. On a GPU that would take too long."""
    if gpu is not None and kind != "numpy" and not (kind == "torch" and gpu.in_worker):
        from .._gpu.array import empty_on

        return empty_on(gpu, shape, dtype, kind)
    if kind == "torch":
        import torch

        made = torch.empty(shape, dtype=dtypes.dtype(dtype).as_torch(), device="cpu")
        if dtype[:6] in ("float8", "float4"):
            made.view(torch.uint8).fill_(_POISON_OF.get(dtype, 0x7F))
        elif made.is_floating_point():
            made.fill_(float("nan"))
        elif dtype == "bool":
            made.fill_(True)
        else:
            made.view(torch.uint8).fill_(_POISON_BYTE) if made.dim() else made.fill_(-91)
        return made
    import numpy

    try:
        made = numpy.empty(shape, dtypes.dtype(dtype).as_numpy())
    except TypeError:
        raise ArgumentError(f"NumPy has no {dtype}; import torch, or pass an output") from None
    if made.dtype.kind == "f":
        made.fill(numpy.nan)
    elif made.dtype.kind == "b":
        made.fill(True)
    elif dtype == "bfloat16":
        made.reshape(-1).view(numpy.uint16).fill(0x7FC0)
    else:
        made.reshape(-1).view(numpy.uint8).fill(_POISON_OF.get(dtype, 0x7F if dtype[:6] == "float8" else _POISON_BYTE))
    return made


def library(views):
    """The library of the outputs: torch's if an argument is torch's, or there are none and torch is loaded."""
    for kind in ("torch", "device"):
        if any(v.kind == kind for v in views):
            return kind
    return "numpy" if views or "torch" not in sys.modules else "torch"
