# SPDX-License-Identifier: Apache-2.0
"""Gather: the elements of x at an index of each result along an axis, y[a, i, b] = x[a, index[a, i, b], b] for the dimensions a before and b
after the axis (torch.gather, numpy.take_along_axis). Results are in the order of the index: element e of (i, b) reads column e mod B.

The gradient adds dy to the elements that were read: in shared memory where the axis is the last one and short enough for it, else by atomic
additions to zeros. scatter_add.py has the same kernels."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch, runs
from ..operator import FLOATS, Tensor, operator
from ..reductions.kernels import split

TILE = 1024
ROW = 16384  # elements of a row of sums in shared memory
ENOUGH = 128  # rows, each of which a block sums


@jit
def gather_kernel(dtype, index, last):
    """`last`: the axis is the last one."""
    A, N, M = (T.dynamic(name) for name in ("A", "N", "M"))
    B = 1 if last else T.dynamic("B")

    @T.prim_func
    def gather(X: T.Tensor((A, N, B), dtype), J: T.Tensor((A, M), index), Y: T.Tensor((A, M), dtype)):
        with T.Kernel(A, T.ceildiv(M, TILE), threads=256) as (a, t):
            for i in T.Parallel(TILE, coalesced_width=16 // arrays.bytes_of(index)):  # adjacent threads read adjacent indices
                e = t * TILE + i
                if e < M:
                    Y[a, e] = X[a, J[a, e], e % B]

    return gather


@jit
def scatter_add_kernel(dtype, index):
    A, N, M, B = (T.dynamic(name) for name in ("A", "N", "M", "B"))

    @T.prim_func
    def scatter_add(S: T.Tensor((A, M), dtype), J: T.Tensor((A, M), index), Y: T.Tensor((A, N, B), arrays.wide(dtype))):
        with T.Kernel(A, T.ceildiv(M, TILE), threads=128) as (a, t):
            for i in T.Parallel(TILE):
                e = t * TILE + i
                if e < M:
                    T.atomic_add(Y[a, J[a, e], e % B], T.cast(S[a, e], arrays.wide(dtype)))

    return scatter_add


@jit
def scatter_add_rows_kernel(dtype, index, width, zero):
    """Y: the rows of X, or zeros, plus the elements of S at J, summed in shared memory."""
    A, N, M = (T.dynamic(name) for name in ("A", "N", "M"))
    wide = arrays.wide(dtype)

    @T.prim_func
    def scatter_add_rows(X: T.Tensor((A, N), dtype), S: T.Tensor((A, M), dtype), J: T.Tensor((A, M), index), Y: T.Tensor((A, N), dtype)):
        with T.Kernel(A, threads=256) as a:
            sums = T.alloc_shared((width,), wide)
            for i in T.Parallel(width):
                sums[i] = T.if_then_else((i < N) & (not zero), T.cast(X[a, T.min(i, N - 1)], wide), 0)
            for t in T.serial(T.ceildiv(M, TILE)):
                for i in T.Parallel(TILE):
                    if t * TILE + i < M:
                        T.atomic_add(sums[J[a, t * TILE + i]], T.cast(S[a, t * TILE + i], wide))
            for i in T.Parallel(width):
                if i < N:
                    Y[a, i] = sums[i]

    return scatter_add_rows


def check_index(name, x, index, axis):
    """Refuses an index that differs from x in another dimension than the axis."""
    axis %= len(x.shape)
    if len(index.shape) != len(x.shape) or any(a != b for k, (a, b) in enumerate(zip(x.shape, index.shape)) if k != axis):
        arrays.refuse_shape(f"{name} along axis {axis} of {tuple(x.shape)} with an index {tuple(index.shape)}",
                            "the index has the shape of the tensor, except along the axis")
    arrays.check_indices(name, "index", index, x.shape[axis])


def scattered(x, index, source, axis, zero=False):
    """A new array: x, or zeros like it, plus the elements of `source` at `index`."""
    (A, N, B), M, dtype = split(x.shape, axis), index.shape[axis], arrays.dtype_of(x)
    wide, kinds = arrays.wide(dtype), dict(dtype=dtype, index=arrays.dtype_of(index))
    source, index = (arrays.reshape(arrays.contiguous(v), A, M * B) for v in (source, index))
    if runs() and B == 1 and 0 < N <= ROW and wide == "float32" and (A >= ENOUGH or M <= TILE):
        y = arrays.like(x)
        launch(scatter_add_rows_kernel, arrays.reshape(arrays.contiguous(x), A, N), source, index, arrays.reshape(y, A, N), **kinds,
               width=block(N, ROW), zero=zero)
        return y
    y = arrays.zeros(x.shape, wide, x) if zero else arrays.copy(arrays.contiguous(x)) if dtype == wide else arrays.cast(arrays.contiguous(x), wide)
    launch(scatter_add_kernel, source, index, arrays.reshape(y, A, N, B), **kinds)
    return arrays.cast(y, dtype)


@operator(dtypes=(*FLOATS, "int32"), arguments="x: any; index: int")
def gather(x: Tensor, index: Tensor, axis: int = -1) -> Tensor:
    """The elements of x, of the shape of `index`, int32 or int64, which has the shape of x except along `axis`."""
    check_index("gather", x, index, axis)
    (A, N, B), M = split(x.shape, axis), index.shape[axis]
    y = arrays.empty(index.shape, arrays.dtype_of(x), x)
    launch(gather_kernel, arrays.reshape(arrays.contiguous(x), A, N, B), arrays.reshape(arrays.contiguous(index), A, M * B),
           arrays.reshape(y, A, M * B), dtype=arrays.dtype_of(x), index=arrays.dtype_of(index), last=runs() and B == 1)
    return y


@operator
def gather_backward(x: Tensor, index: Tensor, dy: Tensor, axis: int) -> Tensor:
    """The gradient of x, which gives the shape only."""
    return scattered(arrays.cast(x, arrays.dtype_of(dy)), index, dy, axis, zero=True)


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
