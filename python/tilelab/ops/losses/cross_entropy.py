# SPDX-License-Identifier: Apache-2.0
"""Cross entropy of logits (M, V) and target classes (M): the mean of lse(row) - row[target] over the rows that are not ignored.

A block reads a row in tiles, once, with the running maximum and sum of softmax.py. Further results are for the gradient: lse of each row
and the number of rows that count. The gradient of a row is dloss / count (softmax(row) - one at the target)."""

import numpy

from ... import language as T
from .. import arrays
from ..elementwise.arithmetic import div
from ..launch import jit, launch
from ..operator import Tensor, operator
from ..reductions.sum import sum
from .softmax import add_tile, tile_of


@jit
def cross_entropy_kernel(V, dtype, index, ignore, rows, cols, threads):
    M, wide, tiles = T.dynamic("M"), arrays.wide(dtype), -(-V // cols)

    @T.prim_func
    def cross_entropy(X: T.Tensor((M, V), dtype), C: T.Tensor((M,), index), L: T.Tensor((M,), wide), E: T.Tensor((M,), wide),
                      counted: T.Tensor((M,), wide)):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as b:
            x = T.alloc_fragment((rows, cols), wide)
            top = T.alloc_fragment((rows,), wide)
            old = T.alloc_fragment((rows,), wide)
            total = T.alloc_fragment((rows,), wide)
            part = T.alloc_fragment((rows,), wide)
            T.fill(top, T.min_value(wide))
            T.clear(total)
            for k in T.serial(tiles):
                add_tile(X, b, k, x, x, top, old, part, total)
            for i in T.Parallel(rows):
                if b * rows + i < M:
                    target = C[b * rows + i]
                    E[b * rows + i] = top[i] + T.log(total[i])
                    counted[b * rows + i] = T.if_then_else(target == ignore, 0, 1)
                    L[b * rows + i] = T.if_then_else(target == ignore, 0, top[i] + T.log(total[i]) - T.if_then_else(
                        (target >= 0) & (target < V), X[b * rows + i, target], -T.infinity(wide)))

    return cross_entropy


@jit
def cross_entropy_backward_kernel(V, dtype, index, ignore):
    M, wide = T.dynamic("M"), arrays.wide(dtype)

    @T.prim_func
    def cross_entropy_backward(X: T.Tensor((M, V), dtype), C: T.Tensor((M,), index), E: T.Tensor((M,), wide), count: T.Tensor((1,), wide),
                               dL: T.Tensor((1,), wide), dX: T.Tensor((M, V), dtype)):
        with T.Kernel(M, T.ceildiv(V, 1024), threads=128) as (i, b):
            for j in T.Parallel(1024):
                if b * 1024 + j < V:
                    at_target = T.if_then_else(C[i] == b * 1024 + j, 1, 0)
                    slope = T.exp(T.cast(X[i, b * 1024 + j], wide) - E[i]) - at_target
                    dX[i, b * 1024 + j] = T.if_then_else(C[i] == ignore, 0, slope * (dL[0] / count[0]))

    return cross_entropy_backward


@operator(public=1, arguments="logits[M, classes]; target[M]: int")
def cross_entropy(logits: Tensor, target: Tensor, ignore_index: int = -100) -> tuple[Tensor, Tensor, Tensor]:
    """The mean loss, of shape (), in float32, or in float64 for logits in float64. Rows with the target `ignore_index` do not count."""
    M, V = logits.shape
    dtype, wide = arrays.dtype_of(logits), arrays.wide(arrays.dtype_of(logits))
    arrays.check_indices("cross_entropy", "target", target, V, ignore_index)
    losses, lse, counted = (arrays.empty((M,), wide, logits) for _ in range(3))
    launch(cross_entropy_kernel, arrays.contiguous(logits), arrays.contiguous(target), losses, lse, counted, V=V, dtype=dtype,
           index=arrays.dtype_of(target), ignore=ignore_index, **tile_of(V))
    count = sum.function(counted)
    return div.function(sum.function(losses), count), lse, count


@operator
def cross_entropy_backward(logits: Tensor, target: Tensor, lse: Tensor, count: Tensor, dloss: Tensor, ignore_index: int) -> Tensor:
    """The gradient of the logits."""
    dx = arrays.like(logits)
    launch(cross_entropy_backward_kernel, arrays.contiguous(logits), arrays.contiguous(target), lse, arrays.reshape(count, 1),
           arrays.reshape(dloss, 1), dx, V=logits.shape[1], dtype=arrays.dtype_of(logits), index=arrays.dtype_of(target),
           ignore=ignore_index)
    return dx


@cross_entropy.specification
def specification(logits, target, ignore_index=-100):
    top = logits.max(1, keepdims=True)
    lse = top[:, 0] + numpy.log(numpy.exp(logits - top).sum(1))
    losses = lse - logits[numpy.arange(len(target)), numpy.maximum(target, 0)]
    return losses[target != ignore_index].mean()


@cross_entropy.examples
def examples(draw, n):
    target = draw.integers(0, 50 * n, 7 * n)
    target[1] = -100
    yield (draw(7 * n, 50 * n), target), {}
    yield (draw(3, 5000), draw.integers(0, 5000, 3, dtype="int32")), {}


@cross_entropy.gradient("logits", "target", "result1", "result2")
def gradient(saved, dloss):
    dx = cross_entropy_backward(saved.logits, saved.target, saved.result1, saved.result2, dloss, saved.ignore_index)
    return {"logits": dx}
