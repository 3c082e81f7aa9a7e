# SPDX-License-Identifier: Apache-2.0
"""tilelab's own tensors, where torch is not installed: NumPy's arrays in host memory, with the few methods that programs for torch use."""

import numpy

from .._compiler.dtypes import dtype as language_dtype
from .._compiler.errors import ArgumentError


def numpy_dtype(dtype):
    """NumPy's dtype of any spelling: T.float16, "bfloat16", numpy.float32."""
    name = language_dtype(dtype)
    try:
        return name.as_numpy()
    except TypeError:
        pass
    try:
        import ml_dtypes  # noqa: F401  registers bfloat16 and the float8 dtypes with NumPy
    except ImportError:
        raise ArgumentError(f"NumPy has no {name}: install torch, or ml_dtypes for NumPy's arrays of it") from None
    return name.as_numpy()


class Tensor(numpy.ndarray):
    """An array in host memory. Everything that NumPy does with an array works: indexing, arithmetic, printing, DLPack, the buffer protocol."""

    device = "cpu"

    def __array_finalize__(self, source):
        pass  # a view or a result of arithmetic comes from no kernel

    def numpy(self):
        """The same memory as a plain array."""
        return self.view(numpy.ndarray)

    def cpu(self):
        return self

    def to(self, target):
        """A copy with another dtype, or on another device ("cuda:1"). The tensor itself if that is its own."""
        name = str(target)
        if name.partition(":")[0] in ("cuda", "musa"):
            from .._gpu.array import to_device

            return to_device(self, name)
        return self if name == "cpu" else self.astype(numpy_dtype(target), copy=False)

    def float(self):
        return self.to("float32")

    def half(self):
        return self.to("float16")

    def numel(self):
        return self.size

    def dim(self):
        return self.ndim

    def contiguous(self):
        return numpy.ascontiguousarray(self).view(Tensor)


def of_array(array):
    """A Tensor of an array's memory."""
    return numpy.asarray(array).view(Tensor)
