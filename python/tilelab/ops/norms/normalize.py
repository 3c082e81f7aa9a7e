# SPDX-License-Identifier: Apache-2.0
"""Rows of length 1: y = x / length, with length = max(norm(x), eps), along an axis.

A block reads its rows twice, the second time from the cache. The lengths are a further result, for the gradient: with d = sum of y dy,

    dx = (dy - y d) / length, or dy / length where length = eps"""

import numpy

from ... import language as T
from .. import arrays
from ..formulas import larger
from ..launch import block, jit, launch
from ..operator import Tensor, operator


@jit
def normalize_kernel(dtype, rows, cols, eps):
    """Y[m, :] = X[m, :] / L[m]"""
    M, N, wide = T.dynamic("M"), T.dynamic("N"), arrays.wide(dtype)

    @T.prim_func
    def normalize(X: T.Tensor((M, N), dtype), Y: T.Tensor((M, N), dtype), L: T.Tensor((M,), wide)):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
            squares = T.alloc_fragment((rows, cols), wide)
            length = T.alloc_fragment((rows,), wide)
            T.clear(squares)
            for k in T.serial(T.ceildiv(N, cols)):
                for i, j in T.Parallel(rows, cols):
                    x = T.if_then_else((b * rows + i < M) & (k * cols + j < N), T.cast(X[b * rows + i, k * cols + j], wide), 0)
                    squares[i, j] += x * x
            T.reduce_sum(squares, length, dim=1)
            for i in T.Parallel(rows):
                length[i] = larger(T.sqrt(length[i]), eps)
            for k in T.serial(T.ceildiv(N, cols)):
                for i, j in T.Parallel(rows, cols):
                    if (b * rows + i < M) & (k * cols + j < N):
                        Y[b * rows + i, k * cols + j] = T.cast(X[b * rows + i, k * cols + j], wide) / length[i]
            for i in T.Parallel(rows):
                if b * rows + i < M:
                    L[b * rows + i] = length[i]

    return normalize


@jit
def normalize_backward_kernel(dtype, rows, cols, eps):
    """dX[m, :] = (dY[m, :] - Y[m, :] sum(Y[m, :] dY[m, :])) / L[m]"""
    M, N, wide = T.dynamic("M"), T.dynamic("N"), arrays.wide(dtype)

    @T.prim_func
    def backward(X: T.Tensor((M, N), dtype), L: T.Tensor((M,), wide), dY: T.Tensor((M, N), dtype), dX: T.Tensor((M, N), dtype)):
        with T.Kernel(T.ceildiv(M, rows), threads=128) as b:
            products = T.alloc_fragment((rows, cols), wide)
            dot = T.alloc_fragment((rows,), wide)
            r = T.alloc_fragment((rows,), wide)
            T.clear(products)
            for k in T.serial(T.ceildiv(N, cols)):
                for i, j in T.Parallel(rows, cols):
                    products[i, j] += T.if_then_else(
                        (b * rows + i < M) & (k * cols + j < N),
                        T.cast(X[b * rows + i, k * cols + j], wide) * T.cast(dY[b * rows + i, k * cols + j], wide), 0)
            T.reduce_sum(products, dot, dim=1)
            for i in T.Parallel(rows):
                length = T.if_then_else(b * rows + i < M, L[b * rows + i], 1)
                r[i] = 1 / length
                dot[i] = T.if_then_else(length > T.cast(eps, wide), dot[i] * r[i] * r[i], 0)
            for k in T.serial(T.ceildiv(N, cols)):
                for i, j in T.Parallel(rows, cols):
                    if (b * rows + i < M) & (k * cols + j < N):
                        dX[b * rows + i, k * cols + j] = (T.cast(dY[b * rows + i, k * cols + j], wide) -
                                                          T.cast(X[b * rows + i, k * cols + j], wide) * dot[i]) * r[i]

    return backward


def tile_of(N):
    cols = block(N, 1024)
    return dict(rows=max(1, 1024 // cols), cols=cols)


@operator(public=1)
def normalize(x: Tensor, axis: int = -1, eps: float = 1e-6) -> tuple[Tensor, Tensor]:
    """x divided by its Euclidean norm along `axis`."""
    rows, back = arrays.axis_last(x, axis)
    dtype = arrays.dtype_of(x)
    y, length = arrays.like(rows), arrays.empty(rows.shape[:1], arrays.wide(dtype), x)
    launch(normalize_kernel, rows, y, length, dtype=dtype, eps=eps, **tile_of(rows.shape[1]))
    return back(y), length


@operator
def normalize_backward(x: Tensor, length: Tensor, dy: Tensor, axis: int, eps: float) -> Tensor:
    """The gradient of x."""
    rows, back = arrays.axis_last(x, axis)
    dx = arrays.like(rows)
    launch(normalize_backward_kernel, rows, length, arrays.axis_last(dy, axis)[0], dx, dtype=arrays.dtype_of(x), eps=eps,
           **tile_of(rows.shape[1]))
    return back(dx)


@normalize.specification
def specification(x, axis=-1, eps=1e-6):
    return x / numpy.maximum(numpy.sqrt((x * x).sum(axis, keepdims=True)), eps)


@normalize.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n),), {}
    yield (draw(3, 4 * n, 5), 1), {}
    yield (draw(2, 1100 * n) / 4096, -1, 0.5), {}


@normalize.gradient("x", "result1")
def gradient(saved, dy):
    return {"x": normalize_backward(saved.x, saved.result1, dy, saved.axis, saved.eps)}
