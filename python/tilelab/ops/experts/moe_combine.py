# SPDX-License-Identifier: Apache-2.0
"""The weighted sum of the experts' results of each token: out[t] = sum over j of weights[t, j] y[position[t k + j]].

A block computes one token. The gradients: dy[position[t k + j]] = weights[t, j] dout[t], and dweights[t, j] = the dot product of dout[t] and
that row of y."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch
from ..operator import Tensor, operator


@jit
def moe_combine_kernel(D, K, dtype):
    n, rows, wide, cols = T.dynamic("n"), T.dynamic("rows"), arrays.wide(dtype), block(D, 1024)

    @T.prim_func
    def moe_combine(Y: T.Tensor((rows, D), dtype), W: T.Tensor((n, K), dtype), P: T.Tensor((n, K), "int32"), out: T.Tensor((n, D), dtype)):
        with T.Kernel(n, T.ceildiv(D, cols), threads=128) as (t, b):
            total = T.alloc_fragment((cols,), wide)
            T.clear(total)
            for j in T.serial(K):
                for i in T.Parallel(cols):
                    if b * cols + i < D:
                        total[i] += T.cast(W[t, j], wide) * Y[P[t, j], b * cols + i]
            for i in T.Parallel(cols):
                if b * cols + i < D:
                    out[t, b * cols + i] = total[i]

    return moe_combine


@jit
def moe_combine_backward_kernel(D, K, dtype):
    n, rows, wide, cols = T.dynamic("n"), T.dynamic("rows"), arrays.wide(dtype), block(D, 1024)

    @T.prim_func
    def moe_combine_backward(Y: T.Tensor((rows, D), dtype), W: T.Tensor((n, K), dtype), P: T.Tensor((n, K), "int32"),
                             dO: T.Tensor((n, D), dtype), dY: T.Tensor((rows, D), dtype), dW: T.Tensor((n, K), dtype)):
        with T.Kernel(n, K, threads=128) as (t, j):
            dot = T.alloc_fragment((cols,), wide)
            total = T.alloc_fragment((1,), wide)
            T.clear(dot)
            for b in T.serial(T.ceildiv(D, cols)):
                for i in T.Parallel(cols):
                    if b * cols + i < D:
                        dot[i] += T.cast(dO[t, b * cols + i], wide) * Y[P[t, j], b * cols + i]
                        dY[P[t, j], b * cols + i] = T.cast(W[t, j], wide) * dO[t, b * cols + i]
            T.reduce_sum(dot, total, dim=0)
            dW[t, j] = total[0]

    return moe_combine_backward


@operator(arguments="y[rows, D]; weights[tokens, k]; position[rows] or [tokens, k]: int32; where rows == tokens * k")
def moe_combine(y: Tensor, weights: Tensor, position: Tensor) -> Tensor:
    """(tokens, D) of y (tokens k, D), sorted by expert, weights (tokens, k) and the position of moe_permutation."""
    n, K = weights.shape
    arrays.check_indices("moe_combine", "position", position, y.shape[0], -1)
    out = arrays.empty((n, y.shape[1]), arrays.dtype_of(y), y)
    launch(moe_combine_kernel, arrays.contiguous(y), arrays.contiguous(weights), arrays.reshape(position, n, K), out, D=y.shape[1], K=K,
           dtype=arrays.dtype_of(y))
    return out


@operator
def moe_combine_backward(y: Tensor, weights: Tensor, position: Tensor, dout: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of y and of the weights."""
    n, K = weights.shape
    dy, dweights = arrays.like(y), arrays.like(weights)
    launch(moe_combine_backward_kernel, arrays.contiguous(y), arrays.contiguous(weights), arrays.reshape(position, n, K),
           arrays.contiguous(dout), dy, dweights, D=y.shape[1], K=K, dtype=arrays.dtype_of(y))
    return dy, dweights


@moe_combine.specification
def specification(y, weights, position):
    return numpy.einsum("tkd,tk->td", y[position.reshape(weights.shape)], weights)


@moe_combine.examples
def examples(draw, n):
    yield (draw(14 * n, 90 * n), draw(7 * n, 2), draw.rng.permutation(14 * n).astype("int32")), {}


@moe_combine.gradient("y", "weights", "position")
def gradient(saved, dout):
    dy, dweights = moe_combine_backward(saved.y, saved.weights, saved.position, dout)
    return {"y": dy, "weights": dweights}
