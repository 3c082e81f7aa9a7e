# SPDX-License-Identifier: Apache-2.0
"""Arrays that expose their address only by DLPack."""

import ctypes

VENDORS = {2: "cuda", 12: "musa"}  # DLPack device types; 12 is kDLExtDev
_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}
_FLOATS8 = {10: "float8_e4m3", 11: "float8_e4m3fnuz", 12: "float8_e5m2", 13: "float8_e5m2fnuz", 14: "float8_e8m0fnu"}
_PAIR = (17, 4, 2)  # code, bits and lanes of float4_e2m1fn, two per byte


class _Tensor(ctypes.Structure):
    """DLTensor: a capsule holds the address of one, followed by more fields."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


def _dtype(tensor):
    if (tensor.code, tensor.bits, tensor.lanes) == _PAIR:
        return "float4_e2m1fn_x2"
    if tensor.code in _FLOATS8:
        return _FLOATS8[tensor.code]
    name = _CODES.get(tensor.code, f"code {tensor.code} of ") + ("" if tensor.code == 6 else str(tensor.bits))
    return name if tensor.lanes == 1 else f"{name}x{tensor.lanes}"


def _tensor(capsule):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return _Tensor.from_address(pointer(capsule, b"dltensor"))


def unpack(array, stream):
    """(dtype, bytes of an element, address, shape, strides in elements or None, owner) of an array on a GPU; synchronizes its pending work with `stream`."""
    if array.__dlpack_device__()[0] == 2:
        capsule = array.__dlpack__(stream=stream or 1)  # 1: the default stream
    else:
        capsule = array.__dlpack__()  # DLPack numbers the streams of CUDA only
    tensor = _tensor(capsule)
    shape = [tensor.shape[i] for i in range(tensor.rank)]
    strides = [tensor.strides[i] for i in range(tensor.rank)] if tensor.strides else None
    return _dtype(tensor), max(tensor.bits * tensor.lanes // 8, 1), (tensor.data or 0) + tensor.offset, shape, strides, (array, capsule)


# --- the other direction: an array of ours for other libraries -------------------------------------


class _Managed(ctypes.Structure):
    """DLManagedTensor: a tensor, and a function that its consumer calls when it no longer needs it."""


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
_exported = {}  # address of a _Managed: what it refers to


@_Deleter
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


def device_type(gpu):
    """DLPack's number of a vendor. BufferError for memory of a worker process, which other libraries cannot access."""
    found = [number for number, vendor in VENDORS.items() if vendor == gpu.vendor]
    if not found:
        raise BufferError(f"an array on {gpu} is in the memory of another process; copy it with .numpy()")
    return found[0]


def pack_host(bits, name):
    """A capsule with the memory of an array in host memory of this dtype, which NumPy does not export; `bits`: it as integers."""
    capsule = bits.__dlpack__()
    tensor = _tensor(capsule)
    tensor.code, tensor.bits = _code(name), 8 * bits.itemsize
    return capsule


def pack(array, stream=None):
    """A capsule with the array's memory. Work that is pending on the default stream ends first, unless the consumer passes -1."""
    from .. import _core

    kind = device_type(array.gpu)
    if stream != -1:
        _core.gpu.synchronize(array.gpu.vendor, array.gpu.number, 0)
    shape = (ctypes.c_int64 * len(array.shape))(*array.shape)
    managed = _Managed(_Tensor(array.array_interface["data"][0], kind, array.gpu.number, len(array.shape), _code(array.dtype.name),
                               array.dtype.itemsize * 8, 1, shape, None, 0), None, _delete)
    _exported[ctypes.addressof(managed)] = managed, shape, array
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(managed), b"dltensor", None)


def _code(name):
    """DLPack's code of a dtype's kind."""
    found = [code for code, known in _FLOATS8.items() if name in (known, f"{known}fn")]
    return found[0] if found else next(code for code, prefix in sorted(_CODES.items(), reverse=True) if name.startswith(prefix))
