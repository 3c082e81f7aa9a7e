# SPDX-License-Identifier: Apache-2.0
"""GroupNorm: the channels of x (batch, channels, ...) in groups, each normalized to mean 0 and variance 1 (Wu and He, arXiv 1803.08494),
then weight and bias of each channel.

A group is contiguous in memory: N elements, S of each channel. A block reads its group three times, after the first time from the cache:
for the mean, the variance and the result. Further results, mean and r = 1 / sqrt(variance + eps), are for the gradients. With
h = (x - mean) r and g = weight dy:

    dx = r (g - mean(g) - h mean(g h))        dweight = sum of dy h        dbias = sum of dy"""

import numpy

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch
from ..operator import Tensor, operator
from .rows import added

INNER = 1024  # elements of a tile


@jit
def group_norm_kernel(S, C, groups, dtype, eps, cols, threads):
    """A block has the group b % groups of one sample; U and R are mean and r."""
    M, N, wide = T.dynamic("M"), C // groups * S, arrays.wide(dtype)

    @T.prim_func
    def group_norm(X: T.Tensor((M, N), dtype), W: T.Tensor((C,), dtype), B: T.Tensor((C,), dtype), Y: T.Tensor((M, N), dtype),
                   U: T.Tensor((M,), wide), R: T.Tensor((M,), wide)):
        with T.Kernel(M, threads=threads) as b:
            sums = T.alloc_fragment((cols,), wide)
            mean = T.alloc_fragment((1,), wide)
            r = T.alloc_fragment((1,), wide)
            T.clear(sums)
            for k in T.serial(T.ceildiv(N, cols)):
                for j in T.Parallel(cols):
                    sums[j] += T.if_then_else(k * cols + j < N, T.cast(X[b, k * cols + j], wide), 0)
            T.reduce_sum(sums, mean, dim=0)
            mean[0] = mean[0] / N
            T.clear(sums)
            for k in T.serial(T.ceildiv(N, cols)):
                for j in T.Parallel(cols):
                    d = T.cast(X[b, k * cols + j], wide) - mean[0]
                    sums[j] += T.if_then_else(k * cols + j < N, d * d, 0)
            T.reduce_sum(sums, r, dim=0)
            r[0] = 1 / T.sqrt(r[0] / N + eps)
            for k in T.serial(T.ceildiv(N, cols)):
                for j in T.Parallel(cols):
                    if k * cols + j < N:
                        c = b % groups * (C // groups) + (k * cols + j) // S
                        Y[b, k * cols + j] = (T.cast(X[b, k * cols + j], wide) - mean[0]) * r[0] * T.cast(W[c], wide) + T.cast(B[c], wide)
            U[b] = mean[0]
            R[b] = r[0]

    return group_norm


@jit
def group_norm_sums_kernel(C, groups, dtype, cols):
    """Of each channel of each sample: the sums of dY h and of dY"""
    M, S, wide = T.dynamic("M"), T.dynamic("S"), arrays.wide(dtype)

    @T.prim_func
    def channel_sums(X: T.Tensor((M, S), dtype), U: T.Tensor((M // C * groups,), wide), R: T.Tensor((M // C * groups,), wide),
                     dY: T.Tensor((M, S), dtype), sums: T.Tensor((2, M), wide)):
        with T.Kernel(M, threads=128) as m:
            products = T.alloc_fragment((cols,), wide)
            totals = T.alloc_fragment((cols,), wide)
            p = T.alloc_fragment((1,), wide)
            q = T.alloc_fragment((1,), wide)
            T.clear(products)
            T.clear(totals)
            for k in T.serial(T.ceildiv(S, cols)):
                for j in T.Parallel(cols):
                    dy = T.if_then_else(k * cols + j < S, T.cast(dY[m, k * cols + j], wide), 0)
                    x = T.if_then_else(k * cols + j < S, T.cast(X[m, k * cols + j], wide), 0)
                    products[j] += dy * (x - U[m // (C // groups)]) * R[m // (C // groups)]
                    totals[j] += dy
            T.reduce_sum(products, p, dim=0)
            T.reduce_sum(totals, q, dim=0)
            sums[0, m] = p[0]
            sums[1, m] = q[0]

    return channel_sums


@jit
def group_norm_backward_kernel(S, C, groups, dtype, channels, cols, threads):
    """dX of a group from the sums of its channels"""
    M, N, K, wide = T.dynamic("M"), C // groups * S, C // groups, arrays.wide(dtype)

    @T.prim_func
    def group_norm_backward(X: T.Tensor((M, N), dtype), W: T.Tensor((C,), dtype), U: T.Tensor((M,), wide), R: T.Tensor((M,), wide),
                            totals: T.Tensor((2, M, K), wide), dY: T.Tensor((M, N), dtype), dX: T.Tensor((M, N), dtype)):
        with T.Kernel(M, threads=threads) as b:
            products = T.alloc_fragment((channels,), wide)
            sums = T.alloc_fragment((channels,), wide)
            dot = T.alloc_fragment((1,), wide)
            mean = T.alloc_fragment((1,), wide)
            for c in T.Parallel(channels):
                w = T.if_then_else(c < K, T.cast(W[b % groups * K + c], wide), 0)
                products[c] = T.if_then_else(c < K, w * totals[0, b, c], 0)
                sums[c] = T.if_then_else(c < K, w * totals[1, b, c], 0)
            T.reduce_sum(products, dot, dim=0)
            T.reduce_sum(sums, mean, dim=0)
            for k in T.serial(T.ceildiv(N, cols)):
                for j in T.Parallel(cols):
                    if k * cols + j < N:
                        h = (T.cast(X[b, k * cols + j], wide) - U[b]) * R[b]
                        g = T.cast(dY[b, k * cols + j], wide) * T.cast(W[b % groups * K + (k * cols + j) // S], wide)
                        dX[b, k * cols + j] = (g - mean[0] / N - h * (dot[0] / N)) * R[b]

    return group_norm_backward


def sizes(x, groups):
    """(samples times groups, elements of a group, elements of a channel)"""
    spatial = arrays.count(x.shape[2:])
    return x.shape[0] * groups, x.shape[1] // groups * spatial, spatial


def tile_of(N):
    """A thread has 8 elements of a tile."""
    cols = block(N, 4096)
    return dict(cols=cols, threads=max(32, min(512, cols // 8)))


@operator(public=1, autocast="widest", arguments="weight[C]; x[batch, C, ...]; bias[C]; where groups >= 1")
def group_norm(x: Tensor, groups: int, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> tuple[Tensor, Tensor, Tensor]:
    """Each group of channels with mean 0 and variance 1, times `weight`, plus `bias`, of each channel."""
    M, N, S = sizes(x, groups)
    if x.shape[1] % groups:
        arrays.refuse_shape(f"{x.shape[1]} channels are not a multiple of {groups} groups", "pass a number of groups that divides the channels")
    dtype = arrays.dtype_of(x)
    y, mean, r = arrays.like(x), *(arrays.empty((M,), arrays.wide(dtype), x) for _ in range(2))
    launch(group_norm_kernel, arrays.reshape(arrays.contiguous(x), M, N), weight, bias, arrays.reshape(y, M, N), mean, r, S=S, C=x.shape[1],
           groups=groups, dtype=dtype, eps=eps, **tile_of(N))
    return y, mean, r


@operator
def group_norm_backward(x: Tensor, weight: Tensor, mean: Tensor, r: Tensor, dy: Tensor, groups: int) -> tuple[Tensor, Tensor]:
    """The gradient of x, and those of the weight and of the bias as (2, channels)."""
    M, N, S = sizes(x, groups)
    samples, C, dtype = x.shape[0], x.shape[1], arrays.dtype_of(x)
    x, dy, dx = arrays.contiguous(x), arrays.contiguous(dy), arrays.like(x)
    sums = arrays.empty((2, samples, C), arrays.wide(dtype), x)
    launch(group_norm_sums_kernel, arrays.reshape(x, samples * C, S), mean, r, arrays.reshape(dy, samples * C, S),
           arrays.reshape(sums, 2, samples * C), C=C, groups=groups, dtype=dtype, cols=block(S, INNER))
    launch(group_norm_backward_kernel, arrays.reshape(x, M, N), weight, mean, r, arrays.reshape(sums, 2, M, C // groups),
           arrays.reshape(dy, M, N), arrays.reshape(dx, M, N), S=S, C=C, groups=groups, dtype=dtype,
           channels=block(C // groups, 1 << 16), **tile_of(N))
    return dx, added(sums, dtype)


@group_norm.specification
def specification(x, groups, weight, bias, eps=1e-5):
    rows = x.reshape(x.shape[0], groups, -1)
    centred = rows - rows.mean(-1, keepdims=True)
    rows = centred / numpy.sqrt((centred * centred).mean(-1, keepdims=True) + eps)
    shape = (1, x.shape[1], *[1] * (x.ndim - 2))
    return rows.reshape(x.shape) * weight.reshape(shape) + bias.reshape(shape)


@group_norm.examples
def examples(draw, n):
    yield (draw(2, 6, 5, 3 * n), 3, draw(6), draw(6)), {}


@group_norm.gradient("x", "weight", "result1", "result2")
def gradient(saved, dy):
    dx, sums = group_norm_backward(saved.x, saved.weight, saved.result1, saved.result2, dy, saved.groups)
    return {"x": dx, "weight": sums[0], "bias": sums[1]}
