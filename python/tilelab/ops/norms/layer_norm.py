# SPDX-License-Identifier: Apache-2.0
"""LayerNorm: y = (x - mean) r weight + bias, with r = 1 / sqrt(variance + eps), for each row of x (..., N) (Ba et al., arXiv 1607.06450).

A block has whole rows in registers: the mean, then the mean of the squared differences from it, which does not cancel. Further results,
mean and r, are for the gradients. With h = (x - mean) r and g = weight dy:

    dx = r (g - mean(g) - h mean(g h))        dweight = sum of dy h        dbias = sum of dy"""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .rows import added, parts_of, tile_of


@jit
def layer_norm_kernel(N, dtype, eps, rows, cols, threads):
    M, wide = T.dynamic("M"), arrays.wide(dtype)

    @T.prim_func
    def layer_norm(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype), Y: T.Tensor((M, N), dtype),
                   U: T.Tensor((M,), wide), R: T.Tensor((M,), wide)):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as b:
            x = T.alloc_fragment((rows, cols), wide)
            squares = T.alloc_fragment((rows, cols), wide)
            mean = T.alloc_fragment((rows,), wide)
            r = T.alloc_fragment((rows,), wide)
            T.copy(X[b * rows:(b + 1) * rows, 0:cols], x)
            T.reduce_sum(x, mean, dim=1)
            for i in T.Parallel(rows):
                mean[i] /= N
            for i, j in T.Parallel(rows, cols):
                squares[i, j] = T.if_then_else(j < N, (x[i, j] - mean[i]) * (x[i, j] - mean[i]), 0)
            T.reduce_sum(squares, r, dim=1)
            for i in T.Parallel(rows):
                r[i] = 1 / T.sqrt(r[i] / N + eps)
            for i, j in T.Parallel(rows, cols):
                if (b * rows + i < M) & (j < N):
                    Y[b * rows + i, j] = (x[i, j] - mean[i]) * r[i] * W[j] + B[j]
            for i in T.Parallel(rows):
                if b * rows + i < M:
                    U[b * rows + i] = mean[i]
                    R[b * rows + i] = r[i]

    return layer_norm


@jit
def layer_norm_backward_kernel(N, dtype, cols, threads):
    M, P, wide = T.dynamic("M"), T.dynamic("P"), arrays.wide(dtype)

    @T.prim_func
    def layer_norm_backward(X: T.Tensor((M, N), dtype), W: T.Tensor((N,), dtype), U: T.Tensor((M,), wide), R: T.Tensor((M,), wide),
                            dY: T.Tensor((M, N), dtype), dX: T.Tensor((M, N), dtype), S: T.Tensor((2, P, N), wide)):
        with T.Kernel(P, threads=threads) as p:
            h = T.alloc_fragment((cols,), wide)
            g = T.alloc_fragment((cols,), wide)
            dot = T.alloc_fragment((cols,), wide)
            mean = T.alloc_fragment((1,), wide)
            mean_dot = T.alloc_fragment((1,), wide)
            dw = T.alloc_fragment((cols,), wide)
            db = T.alloc_fragment((cols,), wide)
            T.clear(dw)
            T.clear(db)
            for k in T.serial(T.ceildiv(M - p, P)):
                for j in T.Parallel(cols):
                    h[j] = T.if_then_else(j < N, (T.cast(X[p + k * P, j], wide) - U[p + k * P]) * R[p + k * P], 0)
                    g[j] = T.if_then_else(j < N, T.cast(dY[p + k * P, j], wide), 0)
                    dw[j] += g[j] * h[j]
                    db[j] += g[j]
                    g[j] *= T.if_then_else(j < N, T.cast(W[j], wide), 0)
                    dot[j] = g[j] * h[j]
                T.reduce_sum(g, mean, dim=0)
                T.reduce_sum(dot, mean_dot, dim=0)
                for j in T.Parallel(cols):
                    if j < N:
                        dX[p + k * P, j] = (g[j] - mean[0] / N - h[j] * (mean_dot[0] / N)) * R[p + k * P]
            for j in T.Parallel(cols):
                if j < N:
                    S[0, p, j] = dw[j]
                    S[1, p, j] = db[j]

    return layer_norm_backward


@operator(public=1, autocast="widest", arguments="weight[N]; x[..., N]; bias[N]")
def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> tuple[Tensor, Tensor, Tensor]:
    """Each row of x with mean 0 and variance 1, times `weight`, plus `bias`."""
    N = x.shape[-1]
    M = arrays.count(x.shape[:-1])
    wide = arrays.wide(arrays.dtype_of(x))
    y, mean, r = arrays.like(x), arrays.empty((M,), wide, x), arrays.empty((M,), wide, x)
    launch(layer_norm_kernel, arrays.reshape(arrays.contiguous(x), M, N), weight, bias, arrays.reshape(y, M, N), mean, r,
           N=N, dtype=arrays.dtype_of(x), eps=eps, **tile_of(N))
    return y, mean, r


@operator
def layer_norm_backward(x: Tensor, weight: Tensor, mean: Tensor, r: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    """The gradient of x, and those of the weight and of the bias as (2, N)."""
    N = x.shape[-1]
    M = arrays.count(x.shape[:-1])
    dtype = arrays.dtype_of(x)
    dx, parts = arrays.like(x), arrays.empty((2, parts_of(M), N), arrays.wide(dtype), x)
    tile = tile_of(N)
    launch(layer_norm_backward_kernel, arrays.reshape(arrays.contiguous(x), M, N), weight, mean, r,
           arrays.reshape(arrays.contiguous(dy), M, N), arrays.reshape(dx, M, N), parts, N=N, dtype=dtype, cols=tile["cols"],
           threads=tile["threads"])
    return dx, added(parts, dtype)


@layer_norm.specification
def specification(x, weight, bias, eps=1e-5):
    centred = x - x.mean(-1, keepdims=True)
    return centred / numpy.sqrt((centred * centred).mean(-1, keepdims=True) + eps) * weight + bias


@layer_norm.examples
def examples(draw, n):
    yield (draw(3, 5 * n, 70 * n), draw(70 * n), draw(70 * n)), {}
    yield (draw(2 * n, 1500), draw(1500), draw(1500), 0.1), {}


@layer_norm.gradient("x", "weight", "result1", "result2")
def gradient(saved, dy):
    dx, sums = layer_norm_backward(saved.x, saved.weight, saved.result1, saved.result2, dy)
    return {"x": dx, "weight": sums[0], "bias": sums[1]}
