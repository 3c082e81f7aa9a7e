# SPDX-License-Identifier: Apache-2.0
"""Parameters of a kernel, for code that makes its arguments."""

from .._compiler.dtypes import dtype as _dtype
from .arguments import declared_dtype


def _elements(entry):
    """An extent or stride, in elements of float4_e2m1fn: two per byte of the entry."""
    if isinstance(entry, int):
        return entry * 2
    return entry[1:-6] if entry.endswith(" // 2)") else f"({entry} * 2)"


class DeclaredBuffer:
    """A tensor of a signature as its author wrote it: dtype, shape, strides in elements (none: row-major)."""

    def __init__(self, param):
        shape, strides = list(param["shape"]), list(param["strides"])
        if param["pairs"]:
            shape[-1:] = [_elements(shape[-1])]
            strides[:-1] = map(_elements, strides[:-1])
        self.name, self.dtype = param["name"], _dtype(declared_dtype(param))
        self.shape, self.strides = shape, strides


class KernelParam:
    """dtype (equal to its name) and shape (ints; names of dynamic extents)."""

    def __init__(self, dtype, shape, name=""):
        self.dtype, self.shape, self.name = _dtype(dtype), list(shape or ()), name
        self.scalar = shape is None

    def is_scalar(self):
        return self.scalar

    def is_unsigned(self):
        return self.dtype.startswith("uint")

    def is_float8(self):
        return self.dtype.startswith("float8")

    def is_boolean(self):
        return self.dtype == "bool"

    def torch_dtype(self):
        return self.dtype.as_torch()

    def __repr__(self):
        return f"KernelParam({self.name}: {self.dtype}, {self.shape})"
