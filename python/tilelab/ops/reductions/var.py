# SPDX-License-Identifier: Apache-2.0
"""Variance along an axis, or of all elements: the mean of the squared differences from the mean, times count / (count - correction).

Two passes over a row, which do not cancel; the second one reads it from registers, or a long one from the cache. The mean is a further result,
for the gradient 2 (x - mean) dy / (count - correction). A whole tensor is reduced by many blocks, and its mean first."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import block, jit, launch, named, runs
from ..operator import Tensor, operator
from .kernels import INNER, PART, combined, kept_shape, kernels_of, last_kernel, parts_of, read_once, reduce, split, unchanged
from .mean import divided

TILE = 1024
HELD = 8192  # elements of a row in registers: 64 in each thread
MEAN = kernels_of("var_mean")
SUM = named(last_kernel, "var_sum_kernel")


@jit
def var_kernel(dtype, streams, rows, cols, held):
    """Y[a] = sum of (X[a, :] - U[a])² / divisor, with the mean U[a]; `held`: a row has at most `cols` elements, which stay in registers."""
    A, N, wide = T.dynamic("A"), T.dynamic("N"), arrays.wide(dtype)

    @T.prim_func
    def variance(X: T.Tensor((A, N), dtype), Y: T.Tensor((A,), dtype), U: T.Tensor((A,), wide), divisor: T.int64):
        with T.Kernel(T.ceildiv(A, rows), threads=128) as b:
            read_once(X, streams)
            x = T.alloc_fragment((rows, cols), wide)
            mean = T.alloc_fragment((rows,), wide)
            y = T.alloc_fragment((rows,), wide)
            if held:
                for i, j in T.Parallel(rows, cols):
                    x[i, j] = T.if_then_else((b * rows + i < A) & (j < N), T.cast(X[b * rows + i, j], wide), 0)
            else:
                add_row(X, x, b, lambda element, _: element)
            T.reduce_sum(x, mean, dim=1)
            for i in T.Parallel(rows):
                mean[i] = mean[i] / T.cast(N, wide)
            if held:
                for i, j in T.Parallel(rows, cols):
                    x[i, j] = T.if_then_else(j < N, squared(x[i, j] - mean[i]), 0)
            else:
                add_row(X, x, b, lambda element, i: squared(element - mean[i]))
            T.reduce_sum(x, y, dim=1)
            for i in T.Parallel(rows):
                if b * rows + i < A:
                    Y[b * rows + i] = y[i] / T.cast(divisor, wide)
                    U[b * rows + i] = mean[i]

    return variance


def add_row(X, sums, b, formula):
    """The sums of formula(element, row of the tile) over every cols-th element of the rows of block b."""
    (A, N), (rows, cols) = X.shape, sums.shape
    T.clear(sums)
    for k in T.serial(T.ceildiv(N, cols)):
        for i, j in T.Parallel(rows, cols):
            sums[i, j] += T.if_then_else((b * rows + i < A) & (k * cols + j < N), formula(T.cast(X[b * rows + i, k * cols + j], sums.dtype), i), 0)


@jit
def var_inner_kernel(dtype, rows):
    """Y[a, b] = sum of (X[a, :, b] - U[a, b])² / divisor, with the mean U[a, b]"""
    A, N, B, wide = T.dynamic("A"), T.dynamic("N"), T.dynamic("B"), arrays.wide(dtype)

    @T.prim_func
    def variance(X: T.Tensor((A, N, B), dtype), Y: T.Tensor((A, B), dtype), U: T.Tensor((A, B), wide), divisor: T.int64):
        with T.Kernel(A, T.ceildiv(B, INNER), threads=128) as (a, b):
            sums = T.alloc_fragment((rows, INNER), wide)
            mean = T.alloc_fragment((INNER,), wide)
            y = T.alloc_fragment((INNER,), wide)
            T.clear(sums)
            for k in T.serial(T.ceildiv(N, rows)):
                for i, j in T.Parallel(rows, INNER):
                    sums[i, j] += T.if_then_else((k * rows + i < N) & (b * INNER + j < B), T.cast(X[a, k * rows + i, b * INNER + j], wide), 0)
            T.reduce_sum(sums, mean, dim=0)
            for j in T.Parallel(INNER):
                mean[j] = mean[j] / T.cast(N, wide)
            T.clear(sums)
            for k in T.serial(T.ceildiv(N, rows)):
                for i, j in T.Parallel(rows, INNER):
                    sums[i, j] += T.if_then_else((k * rows + i < N) & (b * INNER + j < B),
                                                 squared(T.cast(X[a, k * rows + i, b * INNER + j], wide) - mean[j]), 0)
            T.reduce_sum(sums, y, dim=0)
            for j in T.Parallel(INNER):
                if b * INNER + j < B:
                    Y[a, b * INNER + j] = y[j] / T.cast(divisor, wide)
                    U[a, b * INNER + j] = mean[j]

    return variance


@jit
def var_part_kernel(dtype, cols):
    """P[b] = sum of (X - U)² over the tiles of block b"""
    n, parts, wide = T.dynamic("n"), T.dynamic("parts"), arrays.wide(dtype)

    @T.prim_func
    def partial_variance(X: T.Tensor((n,), dtype), U: T.Tensor((1,), wide), P: T.Tensor((parts,), wide)):
        with T.Kernel(parts, threads=128) as b:
            sums = T.alloc_fragment((cols,), wide)
            total = T.alloc_fragment((1,), wide)
            T.clear(sums)
            for k in T.serial(T.ceildiv(n, cols * parts)):
                for j in T.Parallel(cols):
                    i = (k * parts + b) * cols + j
                    sums[j] += T.if_then_else(i < n, squared(T.cast(X[i], wide) - U[0]), 0)
            T.reduce_sum(sums, total, dim=0)
            P[b] = total[0]

    return partial_variance


@jit
def var_backward_kernel(dtype):
    """dX[a, n, b] = 2 (X[a, n, b] - U[a, b]) dY[a, b] / divisor"""
    A, N, B, wide = T.dynamic("A"), T.dynamic("N"), T.dynamic("B"), arrays.wide(dtype)

    @T.prim_func
    def backward(X: T.Tensor((A, N, B), dtype), U: T.Tensor((A, B), wide), dY: T.Tensor((A, B), dtype), dX: T.Tensor((A, N, B), dtype),
                 divisor: T.int64):
        with T.Kernel(A, T.ceildiv(N * B, TILE), threads=128) as (a, t):
            for i in T.Parallel(TILE):
                j = t * TILE + i
                if j < N * B:
                    dX[a, j // B, j % B] = (T.cast(X[a, j // B, j % B], wide) - U[a, j % B]) * (
                        2 * T.cast(dY[a, j % B], wide) / T.cast(divisor, wide))

    return backward


def squared(d):
    return d * d


@operator(public=1)
def var(x: Tensor, axis: int | None = None, keepdim: bool = False, correction: int = 1) -> tuple[Tensor, Tensor]:
    """The variance; `correction` 1 divides by count - 1, 0 by count."""
    dtype, shape = arrays.dtype_of(x), kept_shape(x.shape, axis, keepdim)
    y, mean = arrays.empty(shape, dtype, x), arrays.empty(shape, arrays.wide(dtype), x)
    A, N, B = (1, arrays.count(x.shape), 1) if axis is None else split(x.shape, axis)
    x = arrays.reshape(arrays.contiguous(x), A, N, B)
    if not runs():
        return y, mean
    divisor = max(N - correction, 0)
    if axis is None:
        whole(x, y, mean, divisor)
    elif B == 1:
        cols = block(N, HELD if N <= HELD else TILE)
        launch(var_kernel, arrays.reshape(x, A, N), arrays.reshape(y, A), arrays.reshape(mean, A), divisor, dtype=dtype,
               streams=N <= HELD and arrays.exceeds_cache(x), rows=max(1, 1024 // cols), cols=cols, held=N <= HELD)
    else:
        launch(var_inner_kernel, x, arrays.reshape(y, A, B), arrays.reshape(mean, A, B), divisor, dtype=dtype, rows=block(N, 64))
    return y, mean


def whole(x, y, mean, divisor):
    """The variance and the mean of all elements."""
    n, dtype = arrays.count(x.shape), arrays.dtype_of(x)
    wide, flat = arrays.wide(dtype), arrays.reshape(x, arrays.count(x.shape))
    mean = arrays.reshape(mean, 1)
    reduce(MEAN, flat, None, False, "sum", after=divided, result=wide, made=mean)
    partial = arrays.empty((parts_of(n),), wide, x)
    launch(var_part_kernel, flat, mean, partial, dtype=dtype, cols=PART)
    combined(SUM, partial, y, divisor, kind="sum", before=unchanged, after=divided, wide=wide, result=dtype)


@operator
def var_backward(x: Tensor, mean: Tensor, dy: Tensor, axis: int | None, correction: int) -> Tensor:
    """The gradient of x."""
    A, N, B = (1, arrays.count(x.shape), 1) if axis is None else split(x.shape, axis)
    dx = arrays.like(x)
    launch(var_backward_kernel, arrays.reshape(arrays.contiguous(x), A, N, B), arrays.reshape(mean, A, B),
           arrays.reshape(arrays.contiguous(dy), A, B), arrays.reshape(dx, A, N, B), N - correction, dtype=arrays.dtype_of(x))
    return dx


@var.specification
def specification(x, axis=None, keepdim=False, correction=1):
    return numpy.var(x, axis=axis, keepdims=keepdim, ddof=correction)


@var.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), -1), {}
    yield (draw(3, 4 * n, 5), 1, True, 0), {}
    yield (draw(3, 700 * n),), {}


@var.gradient("x", "result1")
def gradient(saved, dy):
    return {"x": var_backward(saved.x, saved.result1, dy, saved.axis, saved.correction)}
