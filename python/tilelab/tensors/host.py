# SPDX-License-Identifier: Apache-2.0
"""tilelab's own tensors, where torch is not installed: NumPy's arrays in host memory, with the few methods that programs for torch use."""

import numpy

from .._compiler.narrow_floats import computed, converted
from .._compiler.dtypes import dtype as language_dtype
from .._compiler.dtypes import marked
from .._compiler.errors import ArgumentError


def numpy_dtype(dtype):
    """NumPy's dtype of any spelling: T.float16, "bfloat16", numpy.float32."""
    name = language_dtype(dtype)
    try:
        return name.as_numpy()
    except TypeError:
        raise ArgumentError(f"NumPy has no {name}: install torch, or ml_dtypes for NumPy's arrays of it") from None


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
        return self if name == "cpu" else of_array(converted(self.numpy(), numpy_dtype(target)))

    def float(self):
        """The values in float32."""
        return self.to("float32")

    def half(self):
        return self.to("float16")

    def numel(self):
        return self.size

    def dim(self):
        return self.ndim

    def contiguous(self):
        return numpy.ascontiguousarray(self).view(Tensor)


class NarrowTensor(Tensor):
    """A tensor of bfloat16 or float8 where ml_dtypes is not installed. NumPy's functions compute it in float32; the result is of the same
    dtype unless an argument is an array of wider floats."""

    def __array_ufunc__(self, function, method, *inputs, out=None, **given):
        plain = [x.view(numpy.ndarray) if isinstance(x, Tensor) else x for x in inputs]
        made = computed(lambda *values: getattr(function, method)(*values, **given), plain)
        if out is None:
            return of_array(made) if isinstance(made, numpy.ndarray) else made
        out[0][...] = of_array(made) if marked(out[0].dtype) else converted(numpy.asarray(made), out[0].dtype)
        return out[0]

    def astype(self, dtype, copy=True):
        made = self.to(dtype)
        return made.copy() if copy and made is self else made

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return converted(numpy.array(found, self.dtype), numpy.dtype("float32"))[()] if isinstance(found, numpy.void) else found

    def __setitem__(self, index, value):
        super().__setitem__(index, converted(numpy.asarray(value), self.dtype).view(numpy.ndarray))

    def __repr__(self):
        return f"Tensor({str(self)}, dtype={marked(self.dtype)})"

    def __str__(self):
        return str(self.float().numpy())

    def tolist(self):
        return self.float().tolist()

    def item(self, *index):
        return self.float().item(*index)


def of_array(array):
    """A Tensor of an array's memory."""
    array = numpy.asarray(array)
    return array.view(NarrowTensor if marked(array.dtype) else Tensor)
