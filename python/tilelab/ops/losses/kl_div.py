# SPDX-License-Identifier: Apache-2.0
"""Kullback-Leibler divergence of predicted log-probabilities x from target probabilities t, both (rows, classes): the mean over the rows of
sum of t (log t - x), with 0 log 0 = 0.

A block sums one row. The gradient of x is -t dloss / rows; the target has none."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch
from ..operator import Tensor, operator
from ..reductions.mean import mean


@jit
def kl_div_kernel(dtype, cols):
    M, N, wide = T.dynamic("M"), T.dynamic("N"), arrays.wide(dtype)

    @T.prim_func
    def kl_div(X: T.Tensor((M, N), dtype), P: T.Tensor((M, N), dtype), L: T.Tensor((M,), wide)):
        with T.Kernel(M, threads=128) as m:
            x = T.alloc_fragment((cols,), wide)
            total = T.alloc_fragment((1,), wide)
            T.clear(total)
            for k in T.serial(T.ceildiv(N, cols)):
                for j in T.Parallel(cols):
                    p = T.if_then_else(k * cols + j < N, T.cast(P[m, k * cols + j], wide), 0)
                    x[j] = T.if_then_else(p == 0, 0, p * (T.log(T.if_then_else(p == 0, 1, p)) - X[m, k * cols + j]))
                T.reduce_sum(x, total, dim=0, clear=False)
            L[m] = total[0]

    return kl_div


@jit
def kl_div_backward_kernel(dtype, wide):
    n = T.dynamic("n")

    @T.prim_func
    def kl_div_backward(P: T.Tensor((n,), dtype), dL: T.Tensor((1,), wide), dX: T.Tensor((n,), dtype), rows: T.int64):
        with T.Kernel(T.ceildiv(n, 1024), threads=128) as b:
            for i in T.Parallel(1024):
                if b * 1024 + i < n:
                    dX[b * 1024 + i] = -T.cast(P[b * 1024 + i], wide) * (dL[0] / T.cast(rows, wide))

    return kl_div_backward


@operator(autocast="widest", arguments="x[M, N]; target[M, N]")
def kl_div(x: Tensor, target: Tensor) -> Tensor:
    """The mean divergence, of shape (), in float32, or float64 for x in float64."""
    M, N = x.shape
    dtype = arrays.dtype_of(x)
    losses = arrays.empty((M,), arrays.wide(dtype), x)
    launch(kl_div_kernel, arrays.contiguous(x), arrays.contiguous(target), losses, dtype=dtype, cols=block(N, 1024))
    return mean.function(losses)


@operator
def kl_div_backward(target: Tensor, dloss: Tensor) -> Tensor:
    """The gradient of x."""
    dx = arrays.like(target)
    n = arrays.count(target.shape)
    launch(kl_div_backward_kernel, arrays.reshape(arrays.contiguous(target), n), arrays.reshape(dloss, 1), arrays.reshape(dx, n),
           target.shape[0], dtype=arrays.dtype_of(target), wide=arrays.wide(arrays.dtype_of(target)))
    return dx


@kl_div.specification
def specification(x, target):
    logs = numpy.log(numpy.where(target > 0, target, 1))
    return numpy.where(target > 0, target * (logs - x), 0).sum(1).mean()


@kl_div.examples
def examples(draw, n):
    target = abs(draw(7 * n, 40 * n))
    target[:, 1] = 0
    yield (draw(7 * n, 40 * n), target / 40), {}


@kl_div.gradient("target", fixed=("target",))
def gradient(saved, dloss):
    return {"x": kl_div_backward(saved.target, dloss)}
