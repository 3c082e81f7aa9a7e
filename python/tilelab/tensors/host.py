# SPDX-License-Identifier: Apache-2.0
"""tilelab's own tensors, where torch is not installed: NumPy's arrays in host memory, with the few methods that programs for torch use."""

import numpy

from .._compiler.narrow_floats import computed, converted, is_narrow
from .._compiler.dtypes import dtype as language_dtype
from .._compiler.dtypes import name_of
from .._compiler.errors import ArgumentError


def numpy_dtype(dtype):
    """NumPy's dtype of any spelling: T.float16, "bfloat16", numpy.float32."""
    name = language_dtype(dtype)
    try:
        return name.as_numpy()
    except TypeError:
        raise ArgumentError(f"NumPy has no {name}: install torch, or ml_dtypes for NumPy's arrays of it") from None


NARROW = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


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

    def astype(self, dtype, *arguments, **given):
        """NumPy's; bfloat16 and float8 are as of to()."""
        if name_of(dtype) not in NARROW:
            return super().astype(dtype, *arguments, **given)
        return of_array(super().astype("float32", *arguments, **given)).to(dtype)

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
        return of_array(numpy.ascontiguousarray(self))


# NumPy's functions that return views.
_VIEWS = {"broadcast_to", "expand_dims", "flip", "moveaxis", "ravel", "reshape", "rollaxis", "squeeze", "swapaxes", "transpose"}


class NarrowTensor(Tensor):
    """A tensor of bfloat16 or float8. NumPy's functions compute it in float32; the result is of the same dtype unless an argument is an
    array of wider floats."""

    def __array_ufunc__(self, function, method, *inputs, out=None, **given):
        made = computed(getattr(function, method), inputs, given)
        if out is None:
            return _tensors(made, every=True)
        results = made if isinstance(made, tuple) else (made,)
        for target, result in zip(out, results):
            if target is not None:
                target[...] = of_array(result) if is_narrow(target.dtype) else converted(numpy.asarray(result), target.dtype)
        results = tuple(_tensors(result, every=True) if target is None else target for target, result in zip(out, results))
        return results if isinstance(made, tuple) else results[0]

    def __array_function__(self, function, types, arguments, given):
        if function.__name__ in _VIEWS:
            return _tensors(super().__array_function__(function, types, arguments, given))
        return _tensors(computed(function, arguments, given))

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        from .._gpu import dlpack

        if copy:
            return self.copy().__dlpack__()
        return dlpack.pack_host(self.view(numpy.ndarray).view(f"uint{8 * self.itemsize}"), name_of(self.dtype))

    def __eq__(self, other):
        return numpy.equal(self, other)

    def __ne__(self, other):
        return numpy.not_equal(self, other)

    __hash__ = None

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __bool__(self):
        return bool(self.float().numpy())

    def sort(self, *arguments, **given):
        self[...] = numpy.sort(self, *arguments, **given)

    def partition(self, *arguments, **given):
        self[...] = numpy.partition(self, *arguments, **given)

    def fill(self, value):
        self[...] = value

    def astype(self, dtype, copy=True):
        made = self.to(dtype)
        return made.copy() if copy and made is self else made

    def __getitem__(self, index):
        found = super().__getitem__(index)
        return converted(numpy.array(found, self.dtype), numpy.dtype("float32"))[()] if isinstance(found, numpy.void) else found

    def __setitem__(self, index, value):
        super().__setitem__(index, converted(numpy.asarray(value), self.dtype).view(numpy.ndarray))

    def __repr__(self):
        return f"Tensor({str(self)}, dtype={name_of(self.dtype)})"

    def __str__(self):
        return str(self.float().numpy())

    def tolist(self):
        return self.float().tolist()

    def item(self, *index):
        return self.float().item(*index)


def _tensors(made, every=False):
    """A result of computed() with arrays as tensors: narrow ones, or every one."""
    if isinstance(made, (list, tuple)):
        return getattr(type(made), "_make", type(made))(_tensors(one, every) for one in made)
    return of_array(made) if type(made) is numpy.ndarray and (every or is_narrow(made.dtype)) else made


def _function(name):
    """NumPy's function as a method: those of arrays compare and add bytes."""
    return lambda self, *arguments, **given: getattr(numpy, name)(self, *arguments, **given)


for _name in ("all", "any", "argmax", "argmin", "argpartition", "argsort", "cumprod", "cumsum", "dot", "max", "mean", "min", "nonzero", "prod", "put",
              "searchsorted", "std", "sum", "trace", "var"):
    setattr(NarrowTensor, _name, _function(_name))


def of_array(array):
    """A Tensor of an array's memory."""
    array = numpy.asarray(array)
    return array.view(NarrowTensor if is_narrow(array.dtype) else Tensor)
