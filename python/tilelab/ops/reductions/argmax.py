# SPDX-License-Identifier: Apache-2.0
"""Index of the largest or smallest element along an axis, the first one of equal elements, as int64.

A block reads its rows in tiles. For each tile it finds the maximum, then the smallest index that has it; a tile with a larger maximum than
all before replaces both. A NaN counts as the largest."""

import numpy

from ... import language as T
from .. import arrays
from ..formulas import ordered
from ..launch import block, jit, launch
from ..operator import FLOATS, Tensor, operator
from .kernels import kept_shape, read_once


@jit
def arg_kernel(dtype, smallest, streams, rows, cols):
    """Of the keys of formulas.py, so that the first NaN comes before all numbers."""
    M, N, wide = T.dynamic("M"), T.dynamic("N"), arrays.wide(dtype)
    unsigned = f"uint{arrays.bytes_of(wide) * 8}"

    @T.prim_func
    def arg(X: T.Tensor((M, N), dtype), Y: T.Tensor((M,), "int64")):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
            read_once(X, streams)
            key = T.alloc_fragment((rows, cols), unsigned)
            at = T.alloc_fragment((rows, cols), "int32")
            top = T.alloc_fragment((rows,), unsigned)
            best = T.alloc_fragment((rows,), unsigned)
            first = T.alloc_fragment((rows,), "int32")
            index = T.alloc_fragment((rows,), "int32")
            T.clear(best)
            T.clear(index)
            for k in T.serial(T.ceildiv(N, cols)):
                for i, j in T.Parallel(rows, cols):
                    inside = (b * rows + i < M) & (k * cols + j < N)
                    key[i, j] = T.if_then_else(inside, ordered(T.cast(X[b * rows + i, k * cols + j], wide), wide, smallest), 0)
                T.reduce_max(key, top, dim=1)
                for i, j in T.Parallel(rows, cols):
                    at[i, j] = T.if_then_else(key[i, j] == top[i], k * cols + j, 2147483647)
                T.reduce_min(at, first, dim=1)
                for i in T.Parallel(rows):
                    index[i] = T.if_then_else(top[i] > best[i], first[i], index[i])
                    best[i] = T.max(best[i], top[i])
            for i in T.Parallel(rows):
                if b * rows + i < M:
                    Y[b * rows + i] = T.cast(index[i], "int64")

    return arg


def find(x, axis, keepdim, smallest):
    """The indices of the extremes along the axis."""
    arrays.need_elements(x, axis, "argmin" if smallest else "argmax")
    rows, _ = arrays.axis_last(x, axis)
    cols = block(rows.shape[1], 1024)
    made = arrays.empty((rows.shape[0],), "int64", x)
    launch(arg_kernel, rows, made, dtype=arrays.dtype_of(x), smallest=smallest, streams=arrays.exceeds_cache(rows), rows=max(1, 1024 // cols), cols=cols)
    return arrays.reshape(made, *kept_shape(x.shape, axis, keepdim))


@operator(dtypes=(*FLOATS, "int32"))
def argmax(x: Tensor, axis: int = -1, keepdim: bool = False) -> Tensor:
    """The index of the first largest element along `axis`."""
    return find(x, axis, keepdim, False)


@argmax.specification
def specification(x, axis=-1, keepdim=False):
    return x.argmax(axis, keepdims=keepdim)


@argmax.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n),), {}
    yield (draw(3, 4 * n, 5), 1), {"keepdim": True}
    yield (draw(2, 2500 * n),), {}


@operator(dtypes=(*FLOATS, "int32"))
def argmin(x: Tensor, axis: int = -1, keepdim: bool = False) -> Tensor:
    """The index of the first smallest element along `axis`."""
    return find(x, axis, keepdim, True)


argmin.specification(lambda x, axis=-1, keepdim=False: x.argmin(axis, keepdims=keepdim))
argmin.examples(examples)
