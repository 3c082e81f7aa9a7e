# SPDX-License-Identifier: Apache-2.0
"""Gather: the elements of x at an index of each result along an axis, y[a, i, b] = x[a, index[a, i, b], b] for the dimensions a before and b
after the axis (torch.gather, numpy.take_along_axis).

The gradient adds dy to the elements that were read, by atomic additions to zeros: the kernel of scatter_add.py."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import FLOATS, Tensor, operator
from ..reductions.kernels import split

TILE = 1024


@jit
def gather_kernel(dtype, index):
    A, N, M, B = (T.dynamic(name) for name in ("A", "N", "M", "B"))

    @T.prim_func
    def gather(X: T.Tensor((A, N, B), dtype), J: T.Tensor((A, M, B), index), Y: T.Tensor((A, M, B), dtype)):
        with T.Kernel(T.ceildiv(M * B, TILE), A, threads=128) as (t, a):
            for i in T.Parallel(TILE):
                e = t * TILE + i
                if e < M * B:
                    Y[a, e // B, e % B] = X[a, J[a, e // B, e % B], e % B]

    return gather


@jit
def scatter_add_kernel(dtype, index):
    A, N, M, B = (T.dynamic(name) for name in ("A", "N", "M", "B"))

    @T.prim_func
    def scatter_add(S: T.Tensor((A, M, B), dtype), J: T.Tensor((A, M, B), index), Y: T.Tensor((A, N, B), arrays.wide(dtype))):
        with T.Kernel(T.ceildiv(M * B, TILE), A, threads=128) as (t, a):
            for i in T.Parallel(TILE):
                e = t * TILE + i
                if e < M * B:
                    T.atomic_add(Y[a, J[a, e // B, e % B], e % B], T.cast(S[a, e // B, e % B], arrays.wide(dtype)))

    return scatter_add


def check_index(name, x, index, axis):
    """Refuses an index that differs from x in another dimension than the axis."""
    axis %= len(x.shape)
    if len(index.shape) != len(x.shape) or any(a != b for k, (a, b) in enumerate(zip(x.shape, index.shape)) if k != axis):
        arrays.refuse_shape(f"{name} along axis {axis} of {tuple(x.shape)} with an index {tuple(index.shape)}",
                            "the index has the shape of the tensor, except along the axis")
    arrays.check_indices(name, "index", index, x.shape[axis])


def scattered(y, index, source, axis):
    """Adds to y, in the wide dtype, which it returns."""
    (A, N, B), M = split(y.shape, axis), index.shape[axis]
    source, index = (arrays.reshape(arrays.contiguous(v), A, M, B) for v in (source, index))
    launch(scatter_add_kernel, source, index, arrays.reshape(y, A, N, B), dtype=arrays.dtype_of(source), index=arrays.dtype_of(index))
    return y


@operator(dtypes=(*FLOATS, "int32"), arguments="x: any; index: int")
def gather(x: Tensor, index: Tensor, axis: int = -1) -> Tensor:
    """The elements of x, of the shape of `index`, int32 or int64, which has the shape of x except along `axis`."""
    check_index("gather", x, index, axis)
    (A, N, B), M = split(x.shape, axis), index.shape[axis]
    y = arrays.empty(index.shape, arrays.dtype_of(x), x)
    launch(gather_kernel, arrays.reshape(arrays.contiguous(x), A, N, B), arrays.reshape(arrays.contiguous(index), A, M, B), arrays.reshape(y, A, M, B),
           dtype=arrays.dtype_of(x), index=arrays.dtype_of(index))
    return y


@operator
def gather_backward(x: Tensor, index: Tensor, dy: Tensor, axis: int) -> Tensor:
    """The gradient of x, which gives the shape only."""
    wide = arrays.wide(arrays.dtype_of(dy))
    return arrays.cast(scattered(arrays.zeros(x.shape, wide, x), index, dy, axis), arrays.dtype_of(dy))


@gather.specification
def specification(x, index, axis=-1):
    return numpy.take_along_axis(x, index, axis)


@gather.examples
def examples(draw, n):
    yield (draw(3, 20 * n, 7), draw.integers(0, 20 * n, 3, 9 * n, 7), 1), {}
    yield (draw(4 * n, 30), draw.integers(0, 30, 4 * n, 50, dtype="int32")), {}


@gather.gradient("x", "index")
def gradient(saved, dy):
    return {"x": gather_backward(saved.x, saved.index, dy, saved.axis)}
