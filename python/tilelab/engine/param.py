# SPDX-License-Identifier: Apache-2.0
"""What a kernel takes, for code that makes its arguments."""

from .._compiler.dtypes import dtype as _dtype


class KernelParam:
    """dtype (equal to its name) and shape (ints; names of extents that are known at run time)."""

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
