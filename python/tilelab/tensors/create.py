# SPDX-License-Identifier: Apache-2.0
"""New tensors, on the current device. A shape is a tuple, or integers."""

import operator

import numpy

from .._compiler.dtypes import dtype as language_dtype
from .._compiler.dtypes import name_of
from .._gpu.array import DeviceArray, empty_on, to_device
from .host import Tensor, numpy_dtype, of_array
from .library import gpu, torch_or_none

_random = numpy.random.default_rng()


def _shape(shape):
    if len(shape) == 1 and not hasattr(shape[0], "__index__"):
        shape = shape[0]
    return tuple(map(operator.index, shape))


def _made(of_torch, of_numpy, dtype, device):
    """A tensor from a function of torch, called with torch's dtype and device, or from one that returns NumPy's array."""
    torch = torch_or_none()
    name = dtype if dtype is None else language_dtype(dtype)
    if torch is not None:
        if device is None and (found := gpu()) is not None:
            device = str(found)
        return of_torch(torch, dtype=None if name is None else name.as_torch(), device=device)
    array = of_array(of_numpy())
    if name is not None:
        array = array.to(name)
    found = gpu() if device is None else device
    return array if found is None or str(found) == "cpu" else to_device(array, found)


def empty(*shape, dtype="float32", device=None):
    """A tensor whose elements are undefined until something writes them.

    `shape`: a tuple or integers. `dtype`: tl.float16, "bfloat16", a dtype of torch or NumPy. `device`: current_device() unless given."""
    shape = _shape(shape)
    if torch_or_none() is None and device is None and (found := gpu()) is not None:
        return empty_on(found, shape, language_dtype(dtype), "device")
    return _made(lambda torch, **given: torch.empty(shape, **given),
                 lambda: numpy.empty(shape, numpy_dtype(dtype)), dtype, device)


def full(shape, value, dtype=None, device=None):
    """A tensor in which every element is `value`; its dtype is that of the value (float32, int64, bool) unless given."""
    shape = _shape((shape,))
    if dtype is None:
        dtype = "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float32"
    return _made(lambda torch, **given: torch.full(shape, value, **given), lambda: numpy.full(shape, value), dtype, device)


def zeros(*shape, dtype="float32", device=None):
    """A tensor of zeros."""
    return full(_shape(shape), 0, dtype, device)


def ones(*shape, dtype="float32", device=None):
    """A tensor of ones."""
    return full(_shape(shape), 1, dtype, device)


def arange(start, end=None, step=1, dtype=None, device=None):
    """The numbers from `start` (0 if one number is given) up to and without `end`, by `step`: int64, or float32 if one is a float."""
    if end is None:
        start, end = 0, start
    if dtype is None:
        dtype = "float32" if any(isinstance(n, float) for n in (start, end, step)) else "int64"
    return _made(lambda torch, **given: torch.arange(start, end, step, **given), lambda: numpy.arange(start, end, step), dtype, device)


def rand(*shape, dtype="float32", device=None):
    """Uniform random numbers in [0, 1)."""
    shape = _shape(shape)
    return _made(lambda torch, **given: torch.rand(shape, **given), lambda: _random.random(shape), dtype, device)


def randn(*shape, dtype="float32", device=None):
    """Random numbers of the standard normal distribution."""
    shape = _shape(shape)
    return _made(lambda torch, **given: torch.randn(shape, **given), lambda: _random.standard_normal(shape), dtype, device)


def randint(low, high, size, dtype="int64", device=None):
    """Random integers in [low, high)."""
    size = _shape((size,))
    return _made(lambda torch, **given: torch.randint(low, high, size, **given), lambda: _random.integers(low, high, size), dtype, device)


def manual_seed(seed):
    """Makes the random numbers of this process repeatable."""
    global _random
    _random = numpy.random.default_rng(seed)
    if (torch := torch_or_none()) is not None:
        torch.manual_seed(seed)


def tensor(values, dtype=None, device=None):
    """A tensor of a list, of numbers or of another library's array; always a copy."""
    if dtype is None and not hasattr(values, "dtype") and numpy.asarray(values).dtype == numpy.float64:
        dtype = "float32"
    return _made(lambda torch, **given: torch.as_tensor(values, **given).clone(), lambda: numpy.array(values), dtype, device)


def _like(make):
    """make(shape, dtype, device) for the shape, dtype and device of a tensor."""
    def like(x, *values, dtype=None, device=None):
        if dtype is None:
            dtype = name_of(x.dtype)
        if device is None:
            device = str(getattr(x, "device", "cpu"))
        return make(tuple(x.shape), *values, dtype=dtype, device=device)

    like.__name__ = like.__qualname__ = f"{make.__name__}_like"
    like.__doc__ = f"{make.__name__} with the shape, dtype and device of the tensor `x`."
    return like


empty_like, zeros_like, ones_like = _like(empty), _like(zeros), _like(ones)
rand_like, randn_like, full_like = _like(rand), _like(randn), _like(full)

__all__ = ["DeviceArray", "Tensor", "arange", "empty", "empty_like", "full", "full_like", "manual_seed", "ones", "ones_like", "rand",
           "rand_like", "randint", "randn", "randn_like", "tensor", "zeros", "zeros_like"]
