# SPDX-License-Identifier: Apache-2.0
"""Reductions. Sums, maxima, minima and bitwise operations are operations of the program; others combine halves of the block."""

from .. import _semantics as semantics, _types
from .._errors import fail
from .._graph import Tensor
from .._types import float32, int32
from .indices import index_along, part
from .registry import axis_of, builtin

# tl's name: the operation, and whether it is for integers.
_ROWS = {"sum": ("sum", False), "max": ("max", False), "min": ("min", False), "xor_sum": ("bitxor", True), "reduce_or": ("bitor", True)}
_NAMED = {"_sum_combine": "sum", "_elementwise_max": "max", "_elementwise_min": "min", "_xor_combine": "bitxor", "_or_combine": "bitor"}


def reduced(t, value, axis, operation):
    """One reduction along a dimension. Narrow floats are reduced in float32, bool and narrow integers in int32."""
    b, dtype = t.builder, value.op.dtype
    if dtype.is_bool() and operation == "sum":  # sums of int1 wrap around
        operation = "bitxor"
    if dtype in (_types.float16, _types.bfloat16) or dtype.is_fp8():
        value = semantics.cast(b, value, float32)
    elif dtype.is_bool() or dtype.primitive_bitwidth < 32:
        value = semantics.cast(b, value, int32 if dtype.kind != "uint" else _types.uint32)
    shape = value.shape[:axis] + value.shape[axis + 1:]
    made = Tensor(b.op("reduce", [value.op], shape, value.op.dtype, axis=axis, operation=operation))
    return semantics.cast(b, made, dtype)


def _summed(dtype):
    """The dtype of a sum of integers."""
    if dtype.is_bool() or dtype.kind == "int" and dtype.primitive_bitwidth < 32:
        return int32
    return _types.uint32 if dtype.kind == "uint" and dtype.primitive_bitwidth < 32 else dtype


def along(t, value, axis, keep_dims, one):
    """Applies a reduction of one dimension: along `axis`, or over all dimensions."""
    rank = len(value.shape)
    if axis is None:
        flat = semantics.reshape(t.builder, value, (value.op.size,)) if rank != 1 else value
        made = one(flat, 0)
        many = isinstance(made, tuple)
        out = tuple(_kept(t, m, (1,) * rank, keep_dims) for m in (made if many else (made,)))
        return out if many else out[0]
    axis = axis_of(value, t.as_static(axis, "the dimension of a reduction"))
    made = one(value, axis)
    shape = tuple(1 if a == axis else e for a, e in enumerate(value.shape))
    if isinstance(made, tuple):
        return tuple(_kept(t, m, shape, keep_dims) for m in made)
    return _kept(t, made, shape, keep_dims)


def _kept(t, value, shape, keep_dims):
    return semantics.reshape(t.builder, value, shape) if keep_dims else value


def _block(t, value, name):
    value = semantics.tensor(t.builder, value)
    if not value.shape:
        fail(f"tl.{name} of a scalar", "reductions take blocks")
    return value


def _over_all(t, value, operation):
    """A reduction of all dimensions, one after the other."""
    while value.shape:
        value = reduced(t, value, len(value.shape) - 1, operation)
    return value


def _reduction(name, operation, integers):
    def function(t, input, axis=None, keep_dims=False, dtype=None):
        value = _block(t, input, name)
        if integers and value.op.dtype.is_floating():
            fail(f"tl.{name} of {value.op.dtype}", f"tl.{name} takes integers")
        wanted = _types.as_dtype(dtype) if dtype is not None else _summed(value.op.dtype) if name == "sum" else value.op.dtype
        value = semantics.cast(t.builder, value, wanted)
        if axis is None:
            return _kept(t, _over_all(t, value, operation), (1,) * len(value.shape), keep_dims)
        return along(t, value, axis, keep_dims, lambda v, a: reduced(t, v, a, operation))

    function.__doc__ = f"tl.{name} along a dimension, or over all."
    return function


for _name in ("sum", "xor_sum", "reduce_or"):
    builtin(_name, method=True)(_reduction(_name, *_ROWS[_name]))


def _extremum(name):
    plain = _reduction(name, *_ROWS[name])

    def function(t, input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False, propagate_nan=None):
        value = _block(t, input, name)
        if not return_indices:
            if value.op.dtype.primitive_bitwidth < 32:
                value = semantics.cast(t.builder, value, float32 if value.op.dtype.is_floating() else int32)
            return plain(t, value, axis, keep_dims)
        return along(t, value, axis, keep_dims, lambda v, a: _with_index(t, v, a, name, return_indices_tie_break_left))

    function.__doc__ = f"The {name}imum along a dimension, or over all, of narrow numbers in float32 or int32; NaN is ignored."
    return function


def _with_index(t, value, axis, name, left=True):
    """(extremum, the index of its first or last occurrence)."""
    b = t.builder
    best = reduced(t, value, axis, name)
    places = index_along(t, value.shape, axis)
    hit = semantics.binary(b, "==", value, semantics.expand_dims(b, best, [axis]))
    absent = value.shape[axis] if left else -1
    chosen = semantics.where(b, hit, places, absent)
    index = reduced(t, chosen, axis, "min" if left else "max")
    return best, semantics.math_call(b, "min", [index, value.shape[axis] - 1]) if left else semantics.math_call(b, "max", [index, 0])


for _name in ("max", "min"):
    builtin(_name, method=True)(_extremum(_name))


def _argument(name):
    def function(t, input, axis=None, tie_break_left=True, keep_dims=False):
        value = _block(t, input, "arg" + name)
        return along(t, value, axis, keep_dims, lambda v, a: _with_index(t, v, a, name, tie_break_left)[1])

    function.__doc__ = f"The index of the {name}imum along a dimension, or over all."
    return function


for _name in ("max", "min"):
    builtin("arg" + _name, method=True)(_argument(_name))


@builtin(method=True)
def reduce(t, input, axis, combine_fn, keep_dims=False):
    """Combines the elements along a dimension, or of all, by a function of @triton.jit; several blocks at once as a tuple."""
    function = getattr(combine_fn, "block_function", combine_fn)
    many = isinstance(input, tuple)
    values = [_block(t, one, "reduce") for one in (input if many else (input,))]
    if not many and (operation := _NAMED.get(getattr(function, "__name__", ""))):
        return along(t, values[0], axis, keep_dims, lambda v, a: reduced(t, v, a, operation))
    if axis is None:
        values = [semantics.reshape(t.builder, v, (v.op.size,)) for v in values]
    place = 0 if axis is None else axis_of(values[0], t.as_static(axis, "the dimension of a reduction"))
    while (extent := values[0].shape[place]) > 1:
        values = _halved(t, values, place, extent, function)
    shape = tuple(1 if a == place else e for a, e in enumerate(values[0].shape))
    final = shape if keep_dims else shape[:place] + shape[place + 1:]
    out = tuple(semantics.reshape(t.builder, v, final) for v in values)
    return out if many else out[0]


def _halved(t, values, axis, extent, function):
    """Combines the elements of the lower half with those of the upper half."""
    half = (extent + 1) // 2
    lower = [part(t, v, axis, 0, half) for v in values]
    upper = [part(t, v, axis, half, half) for v in values]
    made = t.inlined(function, (*lower, *upper), {})
    made = made if isinstance(made, tuple) else (made,)
    if extent % 2:
        inside = semantics.binary(t.builder, "<", index_along(t, made[0].shape, axis), extent - half)
        made = tuple(semantics.where(t.builder, inside, m, low) for m, low in zip(made, lower))
    return [semantics.cast(t.builder, m, v.op.dtype) for m, v in zip(made, values)]


@builtin(method=True)
def histogram(t, input, num_bins, mask=None):
    """The number of elements equal to 0, 1, ... num_bins - 1."""
    b, bins = t.builder, t.as_static(num_bins, "num_bins")
    wide = semantics.expand_dims(b, input, [1])
    hit = semantics.binary(b, "==", wide, index_along(t, (1, bins), 1))
    if mask is not None:
        hit = semantics.logical(b, "and", hit, semantics.expand_dims(b, mask, [1]))
    return reduced(t, semantics.cast(b, hit, int32), 0, "sum")

