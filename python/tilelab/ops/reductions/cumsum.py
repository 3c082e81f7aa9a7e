# SPDX-License-Identifier: Apache-2.0
"""Cumulative sum along an axis: y[i] = x[0] + ... + x[i]; with `reverse` y[i] = x[i] + ... + x[n - 1].

A block scans its rows in tiles and carries the sum of the tiles before; sums of integers are int64. The gradient is the cumulative sum in the other direction."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch
from ..operator import FLOATS, Tensor, operator
from .kernels import summed


@jit
def cumsum_kernel(dtype, result, reverse, rows, cols):
    M, N, wide = T.dynamic("M"), T.dynamic("N"), summed(dtype)

    @T.prim_func
    def cumsum(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), result)):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
            x = T.alloc_fragment((rows, cols), wide)
            s = T.alloc_fragment((rows, cols), wide)
            total = T.alloc_fragment((rows,), wide)
            carry = T.alloc_fragment((rows,), wide)
            T.clear(carry)
            tiles = T.ceildiv(N, cols)
            for t in T.serial(tiles):
                first = (tiles - 1 - t if reverse else t) * cols
                for i, j in T.Parallel(rows, cols):
                    inside = (b * rows + i < M) & (first + j < N)
                    x[i, j] = T.if_then_else(inside, T.cast(X[b * rows + i, first + j], wide), 0)
                T.reduce_sum(x, total, dim=1)
                T.cumsum(x, s, dim=1, reverse=reverse)
                for i, j in T.Parallel(rows, cols):
                    if (b * rows + i < M) & (first + j < N):
                        Y[b * rows + i, first + j] = s[i, j] + carry[i]
                for i in T.Parallel(rows):
                    carry[i] += total[i]

    return cumsum


@operator(dtypes=(*FLOATS, "int32"))
def cumsum(x: Tensor, axis: int = -1, reverse: bool = False) -> Tensor:
    """The sum of all elements up to each one along `axis`, or from each one on with `reverse`."""
    rows, back = arrays.axis_last(x, axis)
    dtype = arrays.dtype_of(x)
    result = dtype if "float" in dtype else "int64"
    y = arrays.like(rows, result)
    cols = block(rows.shape[1], 512)
    launch(cumsum_kernel, rows, y, dtype=dtype, result=result, reverse=reverse, rows=max(1, 512 // cols), cols=cols)
    return back(y)


@cumsum.specification
def specification(x, axis=-1, reverse=False):
    return numpy.flip(numpy.flip(x, axis).cumsum(axis), axis) if reverse else x.cumsum(axis)


@cumsum.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n),), {}
    yield (draw(3, 4 * n, 5), 1), {"reverse": True}
    yield (draw(2, 300 * n),), {"reverse": True}


@cumsum.gradient()
def gradient(saved, dy):
    return cumsum(dy, saved.axis, not saved.reverse)
