# SPDX-License-Identifier: Apache-2.0
"""Sorting of each row, ascending, with the indices: a bitonic network in shared memory (Batcher, 1968).

Stage (k, j) exchanges elements whose positions differ in bit k - j, ascending or descending by bit k + 1 of the position. Pairs (value,
index) are compared, so that equal values stay in order. Rows have at most 4096 elements. The gradient puts each element back to its index."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch
from ..operator import FLOATS, Tensor, operator

MOST = 4096


@jit
def sort_kernel(N, dtype, cols, threads):
    M, wide, steps = T.dynamic("M"), arrays.wide(dtype), cols.bit_length() - 1

    @T.prim_func
    def sort(X: T.Tensor((M, N), dtype), V: T.Tensor((M, N), dtype), I: T.Tensor((M, N), "int64")):
        with T.Kernel(M, threads=threads) as m:
            x = T.alloc_shared((cols,), wide)
            at = T.alloc_shared((cols,), "int32")
            for i in T.Parallel(cols):
                x[i] = T.if_then_else(i < N, T.cast(X[m, i], wide), T.infinity(wide) if "float" in wide else T.max_value(wide))
                at[i] = i
            for k in T.serial(steps):
                for j in T.serial(k + 1):
                    for p in T.Parallel(cols // 2):
                        distance = 1 << (k - j)
                        a = (p // distance) * 2 * distance + p % distance
                        descending = (a >> (k + 1) & 1) == 1
                        xa = x[a]
                        xb = x[a + distance]
                        ia = at[a]
                        ib = at[a + distance]
                        after = (xa > xb) | ((xa == xb) & (ia > ib))
                        swap = after != descending
                        x[a] = T.if_then_else(swap, xb, xa)
                        x[a + distance] = T.if_then_else(swap, xa, xb)
                        at[a] = T.if_then_else(swap, ib, ia)
                        at[a + distance] = T.if_then_else(swap, ia, ib)
            for i in T.Parallel(N):
                V[m, i] = x[i]
                I[m, i] = T.cast(at[i], "int64")

    return sort


@jit
def sort_backward_kernel(dtype):
    M, N = T.dynamic("M"), T.dynamic("N")

    @T.prim_func
    def sort_backward(dV: T.Tensor((M, N), dtype), I: T.Tensor((M, N), "int64"), dX: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(N, 256), M, threads=128) as (t, m):
            for i in T.Parallel(256):
                if t * 256 + i < N:
                    dX[m, I[m, t * 256 + i]] = dV[m, t * 256 + i]

    return sort_backward


@operator(dtypes=(*FLOATS, "int32"))
def sort(x: Tensor) -> tuple[Tensor, Tensor]:
    """(values, indices) of each row of x (..., N) in ascending order; stable."""
    N = x.shape[-1]
    if N > MOST:
        arrays.refuse_shape(f"rows of {N} elements, sort takes at most {MOST}", "sort parts of the rows, or use topk")
    M = arrays.count(x.shape[:-1])
    values, indices = arrays.like(x), arrays.like(x, "int64")
    cols = max(2, block(N, MOST))
    launch(sort_kernel, *(arrays.reshape(arrays.contiguous(v), M, N) for v in (x, values, indices)), N=N, dtype=arrays.dtype_of(x),
           cols=cols, threads=max(32, min(512, cols // 2)))
    return values, indices


@operator
def sort_backward(dvalues: Tensor, indices: Tensor) -> Tensor:
    """The gradient of x."""
    N = dvalues.shape[-1]
    M, dx = arrays.count(dvalues.shape[:-1]), arrays.like(dvalues)
    launch(sort_backward_kernel, *(arrays.reshape(arrays.contiguous(x), M, N) for x in (dvalues, indices, dx)), dtype=arrays.dtype_of(dx))
    return dx


@sort.specification
def specification(x):
    indices = numpy.argsort(x, -1, kind="stable")
    return numpy.take_along_axis(x, indices, -1), indices


@sort.examples
def examples(draw, n):
    yield (draw(5, 30 * n),), {}


@sort.gradient("result1")
def gradient(saved, dvalues, dindices=None):
    return sort_backward(dvalues, saved.result1)
