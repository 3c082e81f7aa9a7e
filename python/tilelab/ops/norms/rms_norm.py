# SPDX-License-Identifier: Apache-2.0
"""RMSNorm: y = x / sqrt(mean(x²) + eps) weight, for each row of x (..., N) (Zhang and Sennrich, arXiv 1910.07467).

A block has whole rows in registers, so that x is read once. The second result, r = 1 / sqrt(mean(x²) + eps), is for the gradients:

    dx = r (weight dy - x r² mean(weight dy x))        dweight = sum of dy x r over the rows

Blocks of the backward kernel loop over rows, and keep the sum for dweight in registers; a second kernel adds the sums of all blocks."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .rows import added, backward_tile_of, parts_of, tile_of


@jit
def rms_norm_kernel(N, dtype, eps, rows, cols, threads):
    M, wide = T.dynamic("M"), arrays.wide(dtype)

    @T.prim_func
    def rms_norm(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype), R: T.Tensor((M,), wide)):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as b:
            x = T.alloc_fragment((rows, cols), wide)
            squares = T.alloc_fragment((rows, cols), wide)
            r = T.alloc_fragment((rows,), wide)
            T.copy(X[b * rows:(b + 1) * rows, 0:cols], x)
            for i, j in T.Parallel(rows, cols):
                squares[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(squares, r, dim=1)
            for i in T.Parallel(rows):
                r[i] = 1 / T.sqrt(r[i] / N + eps)
            for i, j in T.Parallel(rows, cols):
                if (b * rows + i < M) & (j < N):
                    Y[b * rows + i, j] = x[i, j] * r[i] * W[j]
            for i in T.Parallel(rows):
                if b * rows + i < M:
                    R[b * rows + i] = r[i]

    return rms_norm


@jit
def rms_norm_backward_kernel(N, dtype, more, rows, cols, threads):
    """`more`: dX also has D, the gradient of x from elsewhere. Short rows are loaded together, which hides the latency of their loads."""
    M, P, wide = T.dynamic("M"), T.dynamic("P"), arrays.wide(dtype)

    @T.prim_func
    def rms_norm_backward(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), R: T.Tensor((M,), wide), dY: T.Tensor((M, N), dtype),
                          D: T.Tensor((M, N) if more else (1,), dtype), dX: T.Tensor((M, N), dtype), S: T.Tensor((1, P, N), wide)):
        with T.Kernel(P, threads=threads) as p:
            x = T.alloc_fragment((rows, cols), wide)
            g = T.alloc_fragment((rows, cols), wide)
            dot = T.alloc_fragment((rows, cols), wide)
            r = T.alloc_fragment((rows,), wide)
            mean = T.alloc_fragment((rows,), wide)
            dw = T.alloc_fragment((rows, cols), wide)
            total = T.alloc_fragment((cols,), wide)
            T.clear(dw)
            for k in T.serial(T.ceildiv(T.ceildiv(M, rows) - p, P)):
                first = (p + k * P) * rows
                T.copy(X[first:first + rows, 0:cols], x)
                T.copy(dY[first:first + rows, 0:cols], g)
                T.copy(R[first:first + rows], r)
                for i, j in T.Parallel(rows, cols):
                    x[i, j] *= r[i]
                    dw[i, j] += g[i, j] * x[i, j]
                    g[i, j] *= T.if_then_else(j < N, T.cast(W[j], wide), 0)
                    dot[i, j] = g[i, j] * x[i, j]
                T.reduce_sum(dot, mean, dim=1)
                for i, j in T.Parallel(rows, cols):
                    if (first + i < M) & (j < N):
                        dx = (g[i, j] - x[i, j] * (mean[i] / N)) * r[i]
                        dX[first + i, j] = dx + T.cast(D[first + i, j], wide) if more else dx
            T.reduce_sum(dw, total, dim=0)
            for j in T.Parallel(cols):
                if j < N:
                    S[0, p, j] = total[j]

    return rms_norm_backward


@operator(public=1, autocast="widest", arguments="weight[N]; x[..., N]")
def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    """Each row of x divided by its root mean square, times `weight`."""
    N = x.shape[-1]
    M = arrays.count(x.shape[:-1])
    y, r = arrays.like(x), arrays.empty((M,), arrays.wide(arrays.dtype_of(x)), x)
    launch(rms_norm_kernel, arrays.reshape(arrays.contiguous(x), M, N), weight, arrays.reshape(y, M, N), r,
           N=N, dtype=arrays.dtype_of(x), eps=eps, **tile_of(N))
    return y, r


@operator
def rms_norm_backward(x: Tensor, weight: Tensor, r: Tensor, dy: Tensor, more: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """The gradients of x and of the weight; `more` is added to that of x."""
    N = x.shape[-1]
    M = arrays.count(x.shape[:-1])
    tile = backward_tile_of(N)
    dx, parts = arrays.like(x), arrays.empty((1, parts_of(-(-M // tile["rows"])), N), arrays.wide(arrays.dtype_of(x)), x)
    launch(rms_norm_backward_kernel, arrays.reshape(arrays.contiguous(x), M, N), weight, r,
           arrays.reshape(arrays.contiguous(dy), M, N), arrays.empty((1,), arrays.dtype_of(x), x) if more is None else
           arrays.reshape(arrays.contiguous(more), M, N), arrays.reshape(dx, M, N), parts, N=N, dtype=arrays.dtype_of(x), more=more is not None,
           **tile)
    return dx, arrays.reshape(added(parts, arrays.dtype_of(weight)), N)


@rms_norm.specification
def specification(x, weight, eps=1e-6):
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


@rms_norm.examples
def examples(draw, n):
    yield (draw(3, 5 * n, 70 * n), draw(70 * n)), {}
    yield (draw(2 * n, 1500), draw(1500), 0.1), {}


@rms_norm.gradient("x", "weight", "result1")
def gradient(saved, dy):
    dx, dweight = rms_norm_backward(saved.x, saved.weight, saved.result1, dy)
    return {"x": dx, "weight": dweight}
