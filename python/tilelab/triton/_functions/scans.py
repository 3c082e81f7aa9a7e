# SPDX-License-Identifier: Apache-2.0
"""Scans and sorting: in log2(n) steps, each of which combines elements at a distance."""

from .. import _semantics as semantics, _types
from .._errors import fail
from .._graph import Tensor
from .indices import index_along, part
from .reductions import _summed
from .registry import axis_of, builtin


def _scanned(t, values, axis, combine, reverse):
    """Combines each element with all before it: distances 1, 2, 4, ... (Hillis and Steele)."""
    b = t.builder
    extent = values[0].shape[axis]
    if reverse:
        values = [semantics.remap(b, v, v.shape, "flip", axis=axis) for v in values]
    distance = 1
    while distance < extent:
        before = [semantics.remap(b, v, v.shape, "shift", axis=axis, by=distance) for v in values]
        made = combine(before, values)
        inside = semantics.binary(b, ">=", index_along(t, values[0].shape, axis), distance)
        values = [semantics.where(b, inside, semantics.cast(b, m, v.op.dtype), v) for m, v in zip(made, values)]
        distance *= 2
    if reverse:
        values = [semantics.remap(b, v, v.shape, "flip", axis=axis) for v in values]
    return values


@builtin(method=True)
def associative_scan(t, input, axis, combine_fn, reverse=False):
    """Combines each element with all before it by an associative function; several blocks at once as a tuple."""
    function = getattr(combine_fn, "block_function", combine_fn)
    many = isinstance(input, tuple)
    values = list(input) if many else [input]

    def combine(left, right):
        made = t.inlined(function, (*left, *right), {})
        return made if isinstance(made, tuple) else (made,)

    made = _scanned(t, values, axis_of(values[0], t.as_static(axis, "the dimension of a scan")), combine, bool(reverse))
    return tuple(made) if many else made[0]


def _running(t, input, axis, reverse, dtype, name):
    value = semantics.tensor(t.builder, input)
    if not value.shape:
        fail("a scan of a scalar", "scans take blocks")
    value = semantics.cast(t.builder, value, dtype or _summed(value.op.dtype))

    def combine(left, right):
        return (semantics.binary(t.builder, name, left[0], right[0]),)

    return _scanned(t, [value], axis_of(value, t.as_static(axis, "the dimension of a scan")), combine, bool(reverse))[0]


@builtin(method=True)
def cumsum(t, input, axis=0, reverse=False, dtype=None):
    """Running sums along a dimension."""
    value = semantics.tensor(t.builder, input)
    wanted = _types.as_dtype(dtype) if dtype is not None else _summed(value.op.dtype)
    if value.shape and wanted.primitive_bitwidth >= 32:
        axis = axis_of(value, t.as_static(axis, "the dimension of a scan"))
        value = semantics.cast(t.builder, value, wanted)
        return Tensor(t.builder.op("scan", [value.op], value.shape, wanted, axis=axis, reverse=bool(reverse)))
    return _running(t, input, axis, reverse, wanted, "+")


@builtin(method=True)
def cumprod(t, input, axis=0, reverse=False, dtype=None):
    """Running products along a dimension."""
    return _running(t, input, axis, reverse, None if dtype is None else _types.as_dtype(dtype), "*")


@builtin(method=True)
def sort(t, x, dim=None, descending=False):
    """Sorts along the last dimension (a bitonic network): its extent is a power of 2."""
    axis = axis_of(x, -1 if dim is None else t.as_static(dim, "a dimension"))
    extent, b = x.shape[axis], t.builder
    if extent & (extent - 1):
        fail(f"tl.sort of {extent} elements", "the extent is a power of 2")
    places = index_along(t, x.shape, axis)
    down = bool(t.as_static(descending, "descending"))
    block = 2
    while block <= extent:
        distance = block // 2
        while distance:
            other = semantics.remap(b, x, x.shape, "exchange", axis=axis, by=distance)
            upper = semantics.binary(b, "!=", semantics.binary(b, "&", places, distance), 0)
            falls = semantics.binary(b, "!=", semantics.binary(b, "&", places, block), 0) if block < extent else None
            large = upper if falls is None else semantics.binary(b, "!=", semantics.cast(b, upper, _i32()), semantics.cast(b, falls, _i32()))
            if down:
                large = semantics.unary(b, "not", large)
            x = semantics.where(b, large, semantics.math_call(b, "max", [x, other]), semantics.math_call(b, "min", [x, other]))
            distance //= 2
        block *= 2
    return x


@builtin(method=True)
def topk(t, x, k, dim=None, descending=True):
    """The k largest elements along the last dimension in descending order, or the smallest ones in ascending order."""
    axis = axis_of(x, -1 if dim is None else dim)
    return part(t, sort(t, x, axis, t.as_static(descending, "descending")), axis, 0, t.as_static(k, "k"))


def _i32():
    from .._types import int32

    return int32
