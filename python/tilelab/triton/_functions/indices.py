# SPDX-License-Identifier: Apache-2.0
"""Functions that move elements: reshape, broadcast, transpose, join, split, gather."""

import math

from .. import _semantics as semantics
from .._errors import fail
from .._graph import Tensor
from .._types import int32
from .registry import axis_of, builtin, shape_of


def _listed(t, first):
    """f(x, 1, 2) and f(x, (1, 2)) alike."""
    if len(first) == 1 and isinstance(first[0], (tuple, list)):
        return tuple(t.as_static(one, "a dimension") for one in first[0])
    return tuple(t.as_static(one, "a dimension") for one in first)


@builtin(method=True)
def broadcast_to(t, input, *shape):
    """Repeats along dimensions of extent 1."""
    return semantics.broadcast_to(t.builder, semantics.tensor(t.builder, input), shape_of(t, _listed(t, shape)))


@builtin()
def broadcast(t, input, other):
    """Two operands with their common shape."""
    a, b = semantics.tensor(t.builder, input), semantics.tensor(t.builder, other)
    shape = semantics.broadcast_shape(a.shape, b.shape, "tl.broadcast")
    return semantics.broadcast_to(t.builder, a, shape), semantics.broadcast_to(t.builder, b, shape)


@builtin(method=True)
def expand_dims(t, input, axis):
    """Inserts dimensions of extent 1."""
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    return semantics.expand_dims(t.builder, semantics.tensor(t.builder, input), [t.as_static(a, "a dimension") for a in axes])


@builtin("reshape view", method=True)
def reshape(t, input, *shape, can_reorder=False):
    """The same elements in row-major order with another shape."""
    shape = _listed(t, shape)
    if -1 in shape:
        known = math.prod(one for one in shape if one != -1)
        shape = tuple(input.op.size // known if one == -1 else one for one in shape)
    return semantics.reshape(t.builder, input, shape_of(t, shape) if shape else ())


@builtin(method=True)
def item(t, x):
    """The only element of a block, as a scalar."""
    return semantics.reshape(t.builder, x, ())


@builtin(method=True)
def ravel(t, x, can_reorder=False):
    """All elements in one dimension."""
    return semantics.reshape(t.builder, x, (x.op.size,))


@builtin("trans permute", method=True)
def permute(t, input, *dims):
    """Reorders dimensions; exchanges the last two without an order."""
    order = _listed(t, dims)
    if not order:
        rank = len(input.shape)
        if rank < 2:
            fail("a block with fewer than 2 dimensions is transposed", "insert a dimension: x[:, None]")
        order = (*range(rank - 2), rank - 1, rank - 2)
    return semantics.permute(t.builder, input, order)


@builtin(method=True)
def squeeze(t, x, dim):
    """Removes a dimension of extent 1."""
    axis = axis_of(x, t.as_static(dim, "a dimension"))
    if x.shape[axis] != 1:
        fail(f"dimension {axis} of {list(x.shape)} is removed", "its extent has to be 1")
    return semantics.reshape(t.builder, x, x.shape[:axis] + x.shape[axis + 1:])


@builtin(method=True)
def unsqueeze(t, x, dim):
    """Inserts a dimension of extent 1."""
    return semantics.expand_dims(t.builder, x, [t.as_static(dim, "a dimension")])


@builtin("flip", method=True)
def flip(t, x, dim=None):
    """Reverses a dimension."""
    axis = axis_of(x, -1 if dim is None else dim)
    return semantics.remap(t.builder, x, x.shape, "flip", axis=axis)


def part(t, x, axis, first, length):
    """Elements first to first + length - 1 of a dimension; clamped to those that exist."""
    shape = tuple(length if a == axis else e for a, e in enumerate(x.shape))
    return semantics.remap(t.builder, x, shape, "part", axis=axis, first=first)


def index_along(t, shape, axis):
    """The index of each element along a dimension, with extent 1 in the others."""
    made = Tensor(t.builder.op("arange", shape=(shape[axis],), dtype=int32, start=0, end=shape[axis]))
    return semantics.reshape(t.builder, made, tuple(e if a == axis else 1 for a, e in enumerate(shape)))


@builtin()
def cat(t, input, other, can_reorder=False, dim=0):
    """One block after the other."""
    axis, n = axis_of(input, dim), input.shape[dim]
    total = n + other.shape[axis]
    shape = tuple(total if a == axis else e for a, e in enumerate(input.shape))
    first = semantics.binary(t.builder, "<", index_along(t, shape, axis), n)
    return semantics.where(t.builder, first, part(t, input, axis, 0, total), part(t, other, axis, -n, total))


@builtin(method=True)
def join(t, a, b):
    """Two blocks as the items of a new last dimension."""
    a, b = broadcast(t, a, b)
    axis = len(a.shape)
    second = index_along(t, (*a.shape, 2), axis)
    return semantics.where(t.builder, semantics.binary(t.builder, "==", second, 0), semantics.expand_dims(t.builder, a, [axis]),
                           semantics.expand_dims(t.builder, b, [axis]))


@builtin(method=True)
def split(t, a):
    """The two items of the last dimension, which has extent 2."""
    axis = len(a.shape) - 1
    if axis < 0 or a.shape[axis] != 2:
        fail(f"tl.split of a block of shape {list(a.shape)}", "its last dimension has the extent 2")
    return tuple(semantics.reshape(t.builder, part(t, a, axis, i, 1), a.shape[:axis]) for i in range(2))


@builtin()
def interleave(t, a, b):
    """The elements of two blocks alternately along the last dimension."""
    joined = join(t, a, b)
    shape = joined.shape[:-2] + (2 * joined.shape[-2],) if len(joined.shape) > 1 else joined.shape
    return semantics.reshape(t.builder, joined, shape)


@builtin(method=True)
def gather(t, src, index, axis):
    """src at other indices along a dimension."""
    axis = axis_of(src, t.as_static(axis, "a dimension"))
    return Tensor(t.builder.op("gather", [src.op, index.op], index.shape, src.op.dtype, axis=axis))


@builtin()
def swizzle2d(t, i, j, size_i, size_j, size_g):
    """Renumbers a row-major index by groups of size_g rows."""
    def op(name, a, b):
        return t.binary(name, a, b)

    ij = op("+", op("*", i, size_j), j)
    size_gj = op("*", size_g, size_j)
    group = op("//", ij, size_gj)
    off_i = op("*", group, size_g)
    left = op("-", size_i, off_i)
    size = t.call(min, (left, size_g), {})
    ij = op("%", ij, size_gj)
    return op("+", off_i, op("%", ij, size)), op("//", ij, size)
