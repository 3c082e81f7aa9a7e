# SPDX-License-Identifier: Apache-2.0
"""The memory of an argument: an array with one dimension, from the first element on."""

import math

from .._compiler.dtypes import dtype as tile_dtype
from .._compiler.errors import UsageError
from .._kernel import arrays


LARGEST = 2**31 - 2**16 - 1  # elements of a tensor whose extent is an int32


class Storage:
    """`array`: one dimension; `dtype`: of an element; `begin`, `end`: addresses."""

    __slots__ = ("array", "dtype", "begin", "end")

    def __init__(self, array, dtype, begin, end):
        self.array, self.dtype, self.begin, self.end = array, dtype, begin, end


def storage_of(value):
    """The Storage of an array, or of an object with data_ptr() around one; None for other values."""
    view = _view(value)
    if view is None:
        return _around(value)
    array = _flat(value, view)
    flat = arrays.view(array)
    return Storage(array, view.dtype, flat.address, flat.address + flat.nbytes(flat.item))


def _view(value):
    if isinstance(value, (str, bytes, int, float, complex, type, tuple, list, dict)) or value is None:
        return None
    return arrays.view(value)


def _around(value):
    """The memory of an object around an array, from the object's first element on."""
    if (found := around(value)) is None:
        return None
    whole, first = found
    view = arrays.view(part := whole[first:])
    return Storage(part, view.dtype, view.address, view.address + view.nbytes(view.item))


def around(value):
    """(memory, index of the first element) of an object with data_ptr() and dtype whose memory is part of that of its base; None for other
    values. Kernels can also reach what comes before the first element, such as by negative strides."""
    base = getattr(value, "base", None)
    base = getattr(value, "_base", None) if base is None else base
    if base is None or not hasattr(value, "data_ptr") or _view(value) is not None or (whole := storage_of(base)) is None:
        return None
    array = whole.array
    if getattr(value, "dtype", array.dtype) != array.dtype:
        array = array.view(value.dtype)
    first = (value.data_ptr() - whole.begin) // arrays.view(array).item
    return (array, first) if 0 <= first <= len(array) else None


def _flat(value, view):
    """All elements that can be reached from the first one: of torch the rest of the storage, of others those of the array."""
    if view.kind == "torch":
        import torch

        storage = value.untyped_storage().nbytes() // value.element_size()
        return torch.as_strided(value.detach(), (min(max(0, storage - value.storage_offset()), LARGEST),), (1,))
    size = 0 if 0 in view.shape else 1 + sum((n - 1) * abs(s) for n, s in zip(view.shape, view.strides))
    if len(view.shape) == 1 and view.strides == (1,):
        return value
    if size == math.prod(view.shape) or view.kind != "numpy" or min(view.strides, default=1) < 0:
        return value.reshape(-1)
    from numpy.lib.stride_tricks import as_strided

    return as_strided(value, (size,), (value.dtype.itemsize,))


def as_elements(name, array, dtype):
    """The memory of an array with one dimension as elements of another dtype, as many as it has completely."""
    view, size = arrays.view(array), dtype.itemsize
    if view.address % size or not hasattr(array, "view"):
        why = f"its address is not a multiple of {size}" if view.address % size else f"{type(array).__name__} has no view()"
        raise UsageError(f"the argument {name} cannot be converted to a pointer to {dtype}: {why}; pass a tensor of {dtype} itself")
    count = min(len(array) * view.item // size, LARGEST)
    wanted = tile_dtype(dtype.tile)
    return array[:-(-count * size // view.item)].view(wanted.as_torch() if view.kind == "torch" else wanted.as_numpy())[:count]
