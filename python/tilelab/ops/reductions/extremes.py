# SPDX-License-Identifier: Apache-2.0
"""The gradient of max and min: dy / count for each of the `count` elements that equal the result."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .kernels import split

INNER = 32


@jit
def extreme_backward_kernel(dtype, rows):
    """A block has INNER columns (B) of one a, and counts before it writes."""
    A, N, B, wide = T.dynamic("A"), T.dynamic("N"), T.dynamic("B"), arrays.wide(dtype)

    @T.prim_func
    def extreme_backward(X: T.Tensor((A, N, B), dtype), Y: T.Tensor((A, B), dtype), dY: T.Tensor((A, B), dtype),
                         dX: T.Tensor((A, N, B), dtype)):
        with T.Kernel(T.ceildiv(B, INNER), A, threads=128) as (b, a):
            same = T.alloc_fragment((rows, INNER), wide)
            count = T.alloc_fragment((INNER,), wide)
            T.clear(count)
            for k in T.serial(T.ceildiv(N, rows)):
                for i, j in T.Parallel(rows, INNER):
                    inside = (k * rows + i < N) & (b * INNER + j < B)
                    same[i, j] = T.if_then_else(inside & (X[a, k * rows + i, b * INNER + j] == Y[a, b * INNER + j]), 1, 0)
                T.reduce_sum(same, count, dim=0, clear=False)
            for k in T.serial(T.ceildiv(N, rows)):
                for i, j in T.Parallel(rows, INNER):
                    if (k * rows + i < N) & (b * INNER + j < B):
                        is_one = X[a, k * rows + i, b * INNER + j] == Y[a, b * INNER + j]
                        dX[a, k * rows + i, b * INNER + j] = T.if_then_else(is_one, T.cast(dY[a, b * INNER + j], wide) / count[j], 0)

    return extreme_backward


@operator
def share(x: Tensor, y: Tensor, dy: Tensor, axis: int | None) -> Tensor:
    """The gradient of x for the extreme elements y along the axis."""
    dx = arrays.like(x)
    A, N, B = (1, arrays.count(x.shape), 1) if axis is None else split(x.shape, axis)
    launch(extreme_backward_kernel, arrays.reshape(arrays.contiguous(x), A, N, B), arrays.reshape(y, A, B),
           arrays.reshape(arrays.contiguous(dy), A, B), arrays.reshape(dx, A, N, B), dtype=arrays.dtype_of(x), rows=64)
    return dx
