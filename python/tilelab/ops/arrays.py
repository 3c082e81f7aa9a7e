# SPDX-License-Identifier: Apache-2.0
"""Arrays of any library, as operators need them: dtypes, new arrays, and views. Shapes may be symbols of torch.compile."""

import sys

import numpy

from .._compiler import dtypes
from .._compiler.narrow_floats import converted
from .._compiler.dtypes import marked
from .._compiler.errors import ArgumentError
from .._compiler.messages import message
from .._gpu.array import DeviceArray
from .._kernel import arrays as kernel_arrays
from ..tensors.host import Tensor, numpy_dtype, of_array
from .launch import runs

CACHE = 50 << 20  # bytes of the L2 cache of an H100 or H200
WIDE = {dtype: dtype for dtype in ("float64", "int64", "uint64", "uint32")}  # others accumulate in four bytes


def refuse_shape(problem, help):
    """Raises ArgumentError for a shape that an operator does not support."""
    raise ArgumentError(message("operator-shape", problem, help=help))


def is_torch(x):
    """Whether it is a tensor of torch, or represents one as the proxies of torch.fx do."""
    torch = sys.modules.get("torch")
    return torch is not None and (isinstance(x, torch.Tensor) or (hasattr(x, "__torch_function__") and not isinstance(x, type)))


def torch_dtype(dtype):
    """torch's dtype of a name; without a class of ours, which torch.compile could not trace."""
    return getattr(sys.modules["torch"], dtype)


def is_tensor(x):
    return isinstance(x, (numpy.ndarray, DeviceArray)) and not isinstance(x, numpy.matrix) or is_torch(x)  # a matrix stays one in any shape


_names = {}  # dtype of NumPy or torch: its name


def dtype_of(x):
    """The name of its dtype in the language: "float16", ..."""
    dtype = x.dtype
    name = _names.get(dtype)
    if name is None:
        name = dtypes.name_of(dtype)
        if is_torch(x):  # NumPy's compare equal to others that have another name
            _names[dtype] = name
    return name


def exceeds_cache(x):
    """Whether it is larger than the L2 cache of a GPU, so that the next kernel could not find all of it there. Without kernels its extents may be
    symbols."""
    return runs() and count(x.shape) * bytes_of(dtype_of(x)) > CACHE


def is_float(x):
    return "float" in dtype_of(x)


def bytes_of(dtype):
    """The bytes of an element."""
    return dtypes.dtype(dtype).bytes


def wide(dtype):
    """The dtype in which an operator accumulates: float64 for float64, float32 for narrower floats; int32 or int64."""
    return WIDE.get(dtype) or ("float32" if "float" in dtype else "int32")


def empty(shape, dtype, near):
    """A new array on the device of the array `near`, of its library; in host memory poisoned, so that unwritten elements show."""
    if is_torch(near):
        if near.is_cpu and runs():
            return kernel_arrays.empty(tuple(map(int, shape)), dtype, "torch")
        return near.new_empty(shape, dtype=torch_dtype(dtype))
    if isinstance(near, DeviceArray):
        return kernel_arrays.empty(shape, dtype, "device", near.gpu)
    numpy_dtype(dtype)
    return _near(kernel_arrays.empty(shape, dtype, "numpy"), near)


def like(x, dtype=None):
    """A new array of the shape of `x`, and of its dtype unless given."""
    return empty(x.shape, dtype or dtype_of(x), x)


def _near(made, near):
    """A NumPy array as one of the class of `near`."""
    return of_array(made) if isinstance(near, Tensor) or marked(made.dtype) else made.view(type(near))


def zeros(shape, dtype, near):
    """A new array of zeros, for kernels that add to it."""
    return full(shape, 0, dtype, near)


def full(shape, value, dtype, near):
    """A new array of equal elements, near another one."""
    if is_torch(near):
        return near.new_full(shape, value, dtype=torch_dtype(dtype))
    made = converted(numpy.full(shape, value), numpy_dtype(dtype))
    if isinstance(near, DeviceArray):
        from .._gpu.array import to_device

        return to_device(made, near.gpu)
    return _near(made, near)


def flat(x):
    """The array as one dimension, for a kernel that writes it; refused where that would be a copy."""
    if not (x.is_contiguous() if is_torch(x) else x.flags.c_contiguous if isinstance(x, numpy.ndarray) else True):
        refuse_shape("a tensor that the operator writes is not contiguous", "write a copy, and copy it back: dense = x.contiguous(); ...; x.copy_(dense)")
    return reshape(x, count(x.shape))


def elements(x):
    """The array as one dimension, row-major."""
    return reshape(contiguous(x), count(x.shape))


def contiguous(x):
    """The array, or a row-major copy of it."""
    if is_torch(x):
        return x.contiguous()
    return x if isinstance(x, DeviceArray) else _near(numpy.ascontiguousarray(x), x)


def reshape(x, *shape):
    """A row-major array of another shape; a view where the array is row-major."""
    return x.reshape(*shape) if shape else x.reshape(shape)


def as_rows(x):
    """The row-major array with all dimensions but the last as one."""
    return reshape(x, count(x.shape[:-1]), x.shape[-1])


def repeated(x, shape):
    """A view of the array in a shape to which it is broadcast."""
    return x.expand(shape) if is_torch(x) else _near(numpy.broadcast_to(x, shape), x)


def collapsed(x, *shape):
    """A row-major array with some of its dimensions as one, in this shape; the array itself where it has that rank."""
    return x if len(x.shape) == len(shape) else x.reshape(*shape)


def count(shape):
    """The number of elements of a shape."""
    total = 1
    for extent in shape:
        total = total * extent
    return total


def cast(x, dtype):
    """The array in another dtype."""
    if dtype_of(x) == dtype:
        return x
    if is_torch(x):
        return x.to(torch_dtype(dtype))
    return x.astype(numpy_dtype(dtype)) if isinstance(x, DeviceArray) else _near(converted(x.view(numpy.ndarray), numpy_dtype(dtype)), x)


def axis_of(shape, axis):
    """The index of an axis of the shape, which counts from the end where it is negative; ArgumentError outside of it."""
    rank = max(len(shape), 1)  # a tensor without dimensions has one element
    if not -rank <= axis < rank:
        refuse_shape(f"axis {axis} of a tensor of shape {tuple(shape)}", f"pass an axis from {-rank} to {rank - 1}")
    return axis % rank


def need_elements(x, axis, name):
    """Raises ArgumentError where an axis, or all of them for None, has no element to choose: the operator `name` then has no result. An extent
    that torch does not know yet is not compared, which would fix it."""
    extent = count(x.shape) if axis is None else (*x.shape, 1)[axis_of(x.shape, axis)]
    if type(extent) is int and extent == 0:
        along = "" if axis is None else f" along axis {axis}"
        refuse_shape(f"{name} of no elements{along} of a tensor of shape {tuple(x.shape)}", "pass a tensor that has elements there")


def _readable(x):
    """A tensor of integers as an array of NumPy; None where there are no values, or reading them waits for a GPU."""
    host = x.detach().numpy() if is_torch(x) and runs() and x.is_cpu else x
    return host if runs() and isinstance(host, numpy.ndarray) else None


def check_starts(operator, name, starts, extent, longest=None):
    """Raises ArgumentError unless the starts of groups of rows ascend from 0 to at most `extent`, by at most `longest`, where reading them
    does not wait for a GPU."""
    host = _readable(starts)
    if host is None or not host.size:
        return
    sizes, who = numpy.diff(host), f"operator {operator}"
    if host[0] or host[-1] > extent or sizes.min(initial=0) < 0:
        raise ArgumentError(message("operator-argument", who, name, f"ascending numbers from 0 to at most {extent}", f"{host.tolist()[:8]}",
                                    help="pass the first row of each group, and the end of the last one"))
    if longest is not None and sizes.max(initial=0) > longest:
        raise ArgumentError(message("operator-argument", who, "longest", f"at least {sizes.max()}, the rows of the longest sequence,", f"{longest}",
                                    help=f"pass longest={sizes.max()}: rows from {longest} on would not be computed"))


def check_lengths(operator, lengths, most):
    """Raises ArgumentError for a length of a sequence above `most`, or below 0, where reading lengths does not wait for a GPU."""
    host = _readable(lengths)
    outside = () if host is None else host[(host < 0) | (host > most)]
    if len(outside):
        raise ArgumentError(message("operator-argument", f"operator {operator}", "lengths", f"lengths from 0 to {most}", f"{outside[0]}",
                                    help=f"pass lengths of at most {most}, the keys of a sequence"))


def check_pages(operator, table, lengths, page, pages):
    """Raises ArgumentError for a page outside of the pool in the part of the table that the lengths use, where reading does not wait."""
    host, used = _readable(table), _readable(lengths)
    if host is not None and used is not None:
        in_use = numpy.arange(host.shape[1]) * page < used[:, None]
        check_indices(operator, "table", numpy.where(in_use, host, 0), max(pages, 1))


def check_indices(operator, name, indices, extent, ignored=None):
    """Raises ArgumentError for an index outside of the extent, as torch does, where reading indices does not wait for a GPU."""
    host = _readable(indices)
    if host is None:
        return
    outside = host[((host < 0) | (host >= extent)) & (host != ignored)] if ignored is not None else host[(host < 0) | (host >= extent)]
    if outside.size:
        raise ArgumentError(message("operator-argument", f"operator {operator}", name, f"indices from 0 to {extent - 1}", f"the index {outside[0]}",
                                    help=f"pass indices below {extent}, not counted from the end" + (f", or {ignored} for none" if ignored is not None else "")))


def axis_last(x, axis):
    """The array as rows along `axis`: (rows, a function that brings a result of equal shape back)."""
    shape = x.shape
    if not shape:  # one element
        x = reshape(x, 1)
    last, axis = len(x.shape) - 1, axis_of(x.shape, axis)
    if axis != last:
        x = x.movedim(axis, last) if is_torch(x) else numpy.moveaxis(x, axis, last)
    moved = tuple(x.shape)
    rows = reshape(contiguous(x), count(moved[:-1]), moved[-1])

    def back(result):
        if axis == last:
            return reshape(result, *shape)
        result = reshape(result, *moved)
        return contiguous(result.movedim(last, axis) if is_torch(result) else numpy.moveaxis(result, last, axis))

    return rows, back




def swap(x):
    """The array with its last two dimensions exchanged, a copy."""
    return contiguous(x.transpose(-1, -2) if is_torch(x) else x.swapaxes(-1, -2))


def copy(x):
    """A copy: results of an operator of torch must not share memory."""
    return x.clone() if is_torch(x) else x.copy()


def exchange(x):
    """The array with its first two dimensions exchanged, a copy."""
    return contiguous(x.transpose(0, 1) if is_torch(x) else x.swapaxes(0, 1))
