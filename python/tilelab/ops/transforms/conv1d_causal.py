# SPDX-License-Identifier: Apache-2.0
"""Causal depthwise convolution of sequences: y[b, t, c] = bias[c] + sum over w of weight[c, w] x[b, t - W + 1 + w, c], with x = 0 before the
start. Mamba and other linear models use it with W = 4.

The gradients: dx[t] = sum over w of weight[w] dy[t + W - 1 - w], dweight[w] = sum over b, t of dy[t] x[t - W + 1 + w], dbias = the sum of
dy. A block of the kernel for dweight has 32 channels of one w, and loops over all rows."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from ..reductions.sum import sum

TILE, CHANNELS, ROWS = 1024, 32, 64


@jit
def conv1d_causal_kernel(C, W, dtype, backward):
    """`backward`: the gradient of x from that of y, without the bias."""
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)

    @T.prim_func
    def conv1d_causal(X: T.Tensor((B, S, C), dtype), F: T.Tensor((C, W), dtype), bias: T.Tensor((C,), dtype), Y: T.Tensor((B, S, C), dtype)):
        with T.Kernel(T.ceildiv(S * C, TILE), B, threads=128) as (t, b):
            total = T.alloc_fragment((TILE,), wide)
            T.clear(total)
            for w in T.serial(W):
                for i in T.Parallel(TILE):
                    c = (t * TILE + i) % C
                    s = (t * TILE + i) // C
                    u = s + W - 1 - w if backward else s - W + 1 + w
                    inside = (u >= 0) & (u < S) & (t * TILE + i < S * C)
                    total[i] += T.if_then_else(inside, T.cast(X[b, u, c], wide) * F[c, w], 0)
            for i in T.Parallel(TILE):
                if t * TILE + i < S * C:
                    c = (t * TILE + i) % C
                    Y[b, (t * TILE + i) // C, c] = total[i] if backward else total[i] + bias[c]

    return conv1d_causal


@jit
def conv1d_causal_weight_kernel(C, W, dtype):
    B, S, wide = T.dynamic("B"), T.dynamic("S"), arrays.wide(dtype)

    @T.prim_func
    def conv1d_causal_weight(X: T.Tensor((B, S, C), dtype), dY: T.Tensor((B, S, C), dtype), dF: T.Tensor((C, W), dtype)):
        with T.Kernel(T.ceildiv(C, CHANNELS), W, threads=128) as (t, w):
            part = T.alloc_fragment((ROWS, CHANNELS), wide)
            total = T.alloc_fragment((CHANNELS,), wide)
            T.clear(total)
            for r in T.serial(T.ceildiv(B * S, ROWS)):
                for i, j in T.Parallel(ROWS, CHANNELS):
                    b = (r * ROWS + i) // S
                    s = (r * ROWS + i) % S
                    u = s - W + 1 + w
                    inside = (r * ROWS + i < B * S) & (u >= 0) & (t * CHANNELS + j < C)
                    part[i, j] = T.if_then_else(inside, T.cast(dY[b, s, t * CHANNELS + j], wide) * X[b, u, t * CHANNELS + j], 0)
                T.reduce_sum(part, total, dim=0, clear=False)
            for j in T.Parallel(CHANNELS):
                if t * CHANNELS + j < C:
                    dF[t * CHANNELS + j, w] = total[j]

    return conv1d_causal_weight


@operator(autocast="narrow", arguments="weight[channels, width]; x[batch, length, channels]; bias[channels]")
def conv1d_causal(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """y like x (batch, length, channels), for weight (channels, W) and bias (channels)."""
    y = arrays.like(x)
    C, W = weight.shape
    launch(conv1d_causal_kernel, arrays.contiguous(x), arrays.contiguous(weight), bias, y, C=C, W=W, dtype=arrays.dtype_of(x), backward=False)
    return y


@operator
def conv1d_causal_backward(x: Tensor, weight: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of x and of the weight."""
    dx, dweight = arrays.like(x), arrays.like(weight)
    C, W = weight.shape
    dy, weight, dtype = arrays.contiguous(dy), arrays.contiguous(weight), arrays.dtype_of(x)
    launch(conv1d_causal_kernel, dy, weight, arrays.full((C,), 0, dtype, x), dx, C=C, W=W, dtype=dtype, backward=True)
    launch(conv1d_causal_weight_kernel, arrays.contiguous(x), dy, dweight, C=C, W=W, dtype=dtype)
    return dx, dweight


@conv1d_causal.specification
def specification(x, weight, bias):
    W = weight.shape[1]
    padded = numpy.concatenate([numpy.zeros_like(x[:, :1]).repeat(W - 1, 1), x], 1)
    return sum_of(padded[:, w:w + x.shape[1]] * weight[:, w] for w in range(W)) + bias


def sum_of(parts):
    total = 0
    for part in parts:
        total = total + part
    return total


@conv1d_causal.examples
def examples(draw, n):
    yield (draw(2, 20 * n, 9 * n), draw(9 * n, 4), draw(9 * n)), {}


@conv1d_causal.gradient("x", "weight")
def gradient(saved, dy):
    dx, dweight = conv1d_causal_backward(saved.x, saved.weight, dy)
    return {"x": dx, "weight": dweight, "bias": sum(arrays.as_rows(dy), 0)}
