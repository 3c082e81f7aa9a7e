# SPDX-License-Identifier: Apache-2.0
"""Softmax: y = exp(x - max x) / sum of exp(x - max x), along an axis, and its logarithm.

A block reads its rows in tiles. The maximum so far and the sum of exponentials relative to it are updated for each tile (Milakov and
Gimelshein, arXiv 1805.02867); a second pass writes the result. A row of one tile stays in registers.

The gradient is dx = y (dy - sum(y dy))."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch, per_target
from ..operator import Tensor, operator

TILE = 4096


@per_target
def tile_of(N):
    cols = block(N, TILE)
    return dict(rows=max(1, 1024 // cols), cols=cols, threads=max(128, cols // 16))


def add_tile(X, b, k, x, e, top, old, part, total, finite=False):
    """Loads tile (b, k) of X into x. Updates the maximum so far, `top`, and the sum of exponentials relative to it, `total`; e: those
    of the tile. `finite`: relative to a finite number, since exp(inf - inf) is NaN."""
    (M, N), (rows, cols), wide = X.shape, x.shape, x.dtype
    for i, j in T.Parallel(rows, cols):
        x[i, j] = T.if_then_else((b * rows + i < M) & (k * cols + j < N), T.cast(X[b * rows + i, k * cols + j], wide), -T.infinity(wide))
    T.copy(top, old)
    T.reduce_max(x, top, dim=1, clear=False)
    if finite:
        for i in T.Parallel(rows):
            top[i] = T.min(top[i], T.max_value(wide))
    for i, j in T.Parallel(rows, cols):
        e[i, j] = T.exp(x[i, j] - top[i])
    T.reduce_sum(e, part, dim=1)
    for i in T.Parallel(rows):
        total[i] = total[i] * T.exp(old[i] - top[i]) + part[i]


@jit
def softmax_kernel(N, dtype, log, rows, cols, threads):
    """`log`: the logarithm of the result."""
    M, wide, tiles = T.dynamic("M"), arrays.wide(dtype), -(-N // cols)

    @T.prim_func
    def softmax(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as b:
            x = T.alloc_fragment((rows, cols), wide)
            e = T.alloc_fragment((rows, cols), wide)
            top = T.alloc_fragment((rows,), wide)
            old = T.alloc_fragment((rows,), wide)
            total = T.alloc_fragment((rows,), wide)
            part = T.alloc_fragment((rows,), wide)
            T.fill(top, T.min_value(wide))
            T.clear(total)
            for k in T.serial(tiles):
                add_tile(X, b, k, x, e, top, old, part, total)
            for k in T.serial(tiles):
                for i, j in T.Parallel(rows, cols):
                    if (b * rows + i < M) & (k * cols + j < N):
                        value = x[i, j] if tiles == 1 else T.cast(X[b * rows + i, k * cols + j], wide)
                        Y[b * rows + i, k * cols + j] = value - top[i] - T.log(total[i]) if log else T.exp(value - top[i]) / total[i]

    return softmax


@jit
def softmax_backward_kernel(N, dtype, log, rows, cols, threads):
    """dX = Y (dY - sum(Y dY)); for the logarithm dX = dY - exp(Y) sum(dY)."""
    M, wide, tiles = T.dynamic("M"), arrays.wide(dtype), -(-N // cols)

    @T.prim_func
    def softmax_backward(Y: T.Tensor((M, N), dtype), dY: T.Tensor((M, N), dtype), dX: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, rows), threads=threads) as b:
            x = T.alloc_fragment((rows, cols), wide)
            total = T.alloc_fragment((rows,), wide)
            T.clear(total)
            for k in T.serial(tiles):
                for i, j in T.Parallel(rows, cols):
                    inside = (b * rows + i < M) & (k * cols + j < N)
                    dy = T.cast(dY[b * rows + i, k * cols + j], wide)
                    x[i, j] = T.if_then_else(inside, dy if log else dy * Y[b * rows + i, k * cols + j], 0)
                T.reduce_sum(x, total, dim=1, clear=False)
            for k in T.serial(tiles):
                for i, j in T.Parallel(rows, cols):
                    if (b * rows + i < M) & (k * cols + j < N):
                        y = T.cast(Y[b * rows + i, k * cols + j], wide)
                        dy = T.cast(dY[b * rows + i, k * cols + j], wide)
                        dX[b * rows + i, k * cols + j] = dy - T.exp(y) * total[i] if log else y * (dy - total[i])

    return softmax_backward


def forward(x, axis, log):
    rows, back = arrays.axis_last(x, axis)
    y = arrays.like(rows)
    launch(softmax_kernel, rows, y, N=rows.shape[1], dtype=arrays.dtype_of(x), log=log, **tile_of(rows.shape[1]))
    return back(y)


@operator
def softmax(x: Tensor, axis: int = -1) -> Tensor:
    """Positive numbers along `axis` with the sum 1, in the ratio of exp(x)."""
    return forward(x, axis, False)


@operator
def softmax_backward(y: Tensor, dy: Tensor, axis: int, log: bool) -> Tensor:
    """The gradient of x for the result `y`."""
    rows, back = arrays.axis_last(y, axis)
    dx = arrays.like(rows)
    launch(softmax_backward_kernel, rows, arrays.axis_last(dy, axis)[0], dx, N=rows.shape[1], dtype=arrays.dtype_of(y), log=log,
           **tile_of(rows.shape[1]))
    return back(dx)


@softmax.specification
def specification(x, axis=-1):
    e = numpy.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


@softmax.examples
def examples(draw, n):
    yield (draw(5 * n, 70 * n),), {}
    yield (draw(2, 9 * n, 5), 1), {}
    yield (draw(n, 5000) * 3,), {}


@softmax.gradient("result")
def gradient(saved, dy):
    return softmax_backward(saved.result, dy, saved.axis, False)


@operator
def log_softmax(x: Tensor, axis: int = -1) -> Tensor:
    """log(softmax(x, axis)), exact where softmax underflows. The gradient is dx = dy - exp(y) sum(dy)."""
    return forward(x, axis, True)


@log_softmax.specification
def logarithm(x, axis=-1):
    x = x - x.max(axis, keepdims=True)
    return x - numpy.log(numpy.exp(x).sum(axis, keepdims=True))


log_softmax.examples(examples)


@log_softmax.gradient("result")
def gradient_of_logarithm(saved, dy):
    return softmax_backward(saved.result, dy, saved.axis, True)
