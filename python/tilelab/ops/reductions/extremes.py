# SPDX-License-Identifier: Apache-2.0
"""The gradient of max and min: dy / count for each of the `count` elements that equal the result."""

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch
from ..operator import Tensor, operator
from .kernels import split

TILE = 2048  # elements


def is_same(x, y):
    return (x == y) | ((x != x) & (y != y))


@jit
def extreme_backward_kernel(dtype, rows, columns):
    """A block has some columns (B) of one a, and counts before it writes."""
    A, N, B, wide = T.dynamic("A"), T.dynamic("N"), T.dynamic("B"), arrays.wide(dtype)

    @T.prim_func
    def extreme_backward(X: T.Tensor((A, N, B), dtype), Y: T.Tensor((A, B), dtype), dY: T.Tensor((A, B), dtype),
                         dX: T.Tensor((A, N, B), dtype)):
        with T.Kernel(A, T.ceildiv(B, columns), threads=128) as (a, b):
            same = T.alloc_fragment((rows, columns), wide)
            count = T.alloc_fragment((columns,), wide)
            T.clear(count)
            for k in T.serial(T.ceildiv(N, rows)):
                for i, j in T.Parallel(rows, columns):
                    inside = (k * rows + i < N) & (b * columns + j < B)
                    same[i, j] = T.if_then_else(inside & is_same(X[a, k * rows + i, b * columns + j], Y[a, b * columns + j]), 1, 0)
                T.reduce_sum(same, count, dim=0, clear=False)
            for k in T.serial(T.ceildiv(N, rows)):
                for i, j in T.Parallel(rows, columns):
                    if (k * rows + i < N) & (b * columns + j < B):
                        is_one = is_same(X[a, k * rows + i, b * columns + j], Y[a, b * columns + j])
                        dX[a, k * rows + i, b * columns + j] = T.if_then_else(is_one, T.cast(dY[a, b * columns + j], wide) / count[j], 0)

    return extreme_backward


@operator
def share(x: Tensor, y: Tensor, dy: Tensor, axis: int | None) -> Tensor:
    """The gradient of x for the extreme elements y along the axis."""
    dx = arrays.like(x)
    A, N, B = (1, arrays.count(x.shape), 1) if axis is None else split(x.shape, axis)
    columns = block(B, 32)
    launch(extreme_backward_kernel, arrays.reshape(arrays.contiguous(x), A, N, B), arrays.reshape(y, A, B),
           arrays.reshape(arrays.contiguous(dy), A, B), arrays.reshape(dx, A, N, B), dtype=arrays.dtype_of(x), rows=TILE // columns, columns=columns)
    return dx
