# SPDX-License-Identifier: Apache-2.0
"""The k largest elements of each row with their indices, in descending order; the first one of equal elements comes first, and NaN
before all numbers.

A block has the keys of a row in registers (formulas.py) and takes the maximum k times, as argmax.py does: good for small k, such as the
experts of a token. The key of a taken element becomes 0, which no number has. The gradient of the values goes to the taken elements."""

import numpy

from ... import language as T
from .. import arrays
from ..formulas import ordered
from ..launch import block, jit, launch
from ..operator import FLOATS, Tensor, operator


@jit
def topk_kernel(N, K, dtype, rows, cols, threads):
    M, wide = T.dynamic("M"), arrays.wide(dtype)
    unsigned = f"uint{arrays.bytes_of(wide) * 8}"

    @T.prim_func
    def topk(X: T.Tensor((M, N), dtype), V: T.Tensor((M, K), dtype), I: T.Tensor((M, K), "int64")):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as b:
            key = T.alloc_fragment((rows, cols), unsigned)
            at = T.alloc_fragment((rows, cols), "int32")
            top = T.alloc_fragment((rows,), unsigned)
            first = T.alloc_fragment((rows,), "int32")
            for i, j in T.Parallel(rows, cols):
                key[i, j] = T.if_then_else((b * rows + i < M) & (j < N), ordered(T.cast(X[b * rows + i, j], wide), wide), 0)
            for k in T.serial(K):
                T.reduce_max(key, top, dim=1)
                for i, j in T.Parallel(rows, cols):
                    at[i, j] = T.if_then_else(key[i, j] == top[i], j, 2147483647)
                T.reduce_min(at, first, dim=1)
                for i in T.Parallel(rows):
                    if b * rows + i < M:
                        V[b * rows + i, k] = X[b * rows + i, first[i]]
                        I[b * rows + i, k] = T.cast(first[i], "int64")
                for i, j in T.Parallel(rows, cols):
                    key[i, j] = T.if_then_else(j == first[i], 0, key[i, j])

    return topk


@jit
def topk_backward_kernel(N, K, dtype):
    """dX = dV at the indices, else 0."""
    M = T.dynamic("M")

    @T.prim_func
    def topk_backward(dV: T.Tensor((M, K), dtype), I: T.Tensor((M, K), "int64"), dX: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=128) as m:
            for j in T.Parallel(N):
                dX[m, j] = 0
            T.sync_threads()
            for k in T.Parallel(K):
                dX[m, I[m, k]] = dV[m, k]

    return topk_backward


@operator(arguments="x[..., N]; where k >= 0; where k <= N; where N <= 16384")
def topk(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """(values, indices) of the k largest elements along the last dimension, of at most 16384 elements."""
    N = x.shape[-1]
    M = arrays.count(x.shape[:-1])
    values = arrays.empty((*x.shape[:-1], k), arrays.dtype_of(x), x)
    indices = arrays.empty((*x.shape[:-1], k), "int64", x)
    cols = block(N, 16384)
    launch(topk_kernel, arrays.reshape(arrays.contiguous(x), M, N), arrays.reshape(values, M, k), arrays.reshape(indices, M, k), N=N, K=k,
           dtype=arrays.dtype_of(x), rows=max(1, 512 // cols), cols=cols, threads=max(128, cols // 32))
    return values, indices


@operator
def topk_backward(dvalues: Tensor, indices: Tensor, n: int) -> Tensor:
    """The gradient of x, of n columns."""
    k = dvalues.shape[-1]
    M = arrays.count(dvalues.shape[:-1])
    dx = arrays.empty((*dvalues.shape[:-1], n), arrays.dtype_of(dvalues), dvalues)
    launch(topk_backward_kernel, arrays.reshape(arrays.contiguous(dvalues), M, k), arrays.reshape(indices, M, k), arrays.reshape(dx, M, n),
           N=n, K=k, dtype=arrays.dtype_of(dvalues))
    return dx


@topk.specification
def specification(x, k):
    nan = numpy.isnan(x)
    indices = numpy.lexsort((numpy.where(nan, 0, -x), ~nan))[..., :k]
    return numpy.take_along_axis(x, indices, -1), indices


@topk.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), 2 * n), {}
    yield (draw(2, 3, 700), 3), {}


@topk.gradient("x", "result1")
def gradient(saved, dvalues, dindices=None):
    return topk_backward(dvalues, saved.result1, saved.x.shape[-1])
