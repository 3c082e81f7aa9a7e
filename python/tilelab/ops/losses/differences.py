# SPDX-License-Identifier: Apache-2.0
"""Losses of two tensors: the mean of formula(d) for d = x - y. A block sums every `parts`th tile in registers, a second kernel sums the blocks,
and no difference is stored. The gradient of x is slope(d) dy / n, that of y its negative.

Where the shapes differ, the loss is made of the elementwise operators, which broadcast, and of mean."""

import numpy

from ... import language as T
from .. import arrays
from ..elementwise.arithmetic import sub
from ..elementwise.functions import abs, sign, square
from ..elementwise.kernels import THREADS, TILE, unary
from ..formulas import larger, smaller
from ..launch import jit, launch, named, runs
from ..operator import Tensor, operator
from ..reductions.kernels import PART, combined, last_kernel, parts_of, read_once, unchanged
from ..reductions.mean import divided, mean


@jit
def pair_kernel(formula, dtype, wide, delta, streams, cols):
    """P[b] = sum of formula(X - Y) over the tiles of block b"""
    n, parts = T.dynamic("n"), T.dynamic("parts")

    @T.prim_func
    def pair_sum(X: T.Tensor((n,), dtype), Y: T.Tensor((n,), dtype), P: T.Tensor((parts,), wide)):
        with T.Kernel(parts, threads=128) as b:
            read_once(X, streams)
            read_once(Y, streams)
            sums = T.alloc_fragment((cols,), wide)
            total = T.alloc_fragment((1,), wide)
            T.clear(sums)
            for k in T.serial(T.ceildiv(n, cols * parts)):
                for j in T.Parallel(cols):
                    i = (k * parts + b) * cols + j
                    sums[j] += T.if_then_else(i < n, formula(T.cast(X[i], wide) - T.cast(Y[i], wide), delta), 0)
            T.reduce_sum(sums, total, dim=0)
            P[b] = total[0]

    return pair_sum


@jit
def pair_backward_kernel(slope, dtype, wide, delta):
    """dX = slope(X - Y) G / n and dY = -dX"""
    n = T.dynamic("n")

    @T.prim_func
    def pair_backward(X: T.Tensor((n,), dtype), Y: T.Tensor((n,), dtype), G: T.Tensor((1,), dtype), dX: T.Tensor((n,), dtype),
                      dY: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, TILE), threads=THREADS) as b:
            for j in T.Parallel(TILE):
                i = b * TILE + j
                if i < n:
                    g = slope(T.cast(X[i], wide) - T.cast(Y[i], wide), delta) * (T.cast(G[0], wide) / T.cast(n, wide))
                    dX[i] = g
                    dY[i] = -g

    return pair_backward


def pair_loss(name, formula, slope, formula_of, delta=0.0):
    """The operator name(x, y, delta) for tensors of equal shapes. `formula_of`: the formula in NumPy."""
    forward, last, backward = (named(kernel, f"{name}{suffix}") for kernel, suffix in (
        (pair_kernel, "_kernel"), (last_kernel, "_sum_kernel"), (pair_backward_kernel, "_backward_kernel")))

    def call(x: Tensor, y: Tensor, delta: float = delta) -> Tensor:
        dtype, made = arrays.dtype_of(x), arrays.empty((), arrays.dtype_of(x), x)
        if runs():
            n, wide = arrays.count(x.shape), arrays.wide(dtype)
            partial = arrays.empty((parts_of(n),), wide, x)
            launch(forward, *map(arrays.elements, (x, y)), partial, formula=formula, dtype=dtype, wide=wide, delta=delta, streams=arrays.exceeds_cache(x), cols=PART)
            combined(last, partial, made, n, kind="sum", before=unchanged, after=divided, wide=wide, result=dtype)
        return made

    def call_backward(x: Tensor, y: Tensor, dy: Tensor, delta: float) -> tuple[Tensor, Tensor]:
        of_x, of_y, dtype = arrays.like(x), arrays.like(y), arrays.dtype_of(x)
        launch(backward, *map(arrays.elements, (x, y, dy, of_x, of_y)), slope=slope, dtype=dtype, wide=arrays.wide(dtype), delta=delta)
        return of_x, of_y

    made = operator(_renamed(call, name, "The mean of the loss of each difference x - y, of shape ()."))
    gradients = operator(_renamed(call_backward, f"{name}_backward", "The gradients of x and y."))

    @made.specification
    def _(x, y, delta=delta):
        return formula_of(x - y, delta).mean()

    @made.examples
    def _(draw, n):
        yield (draw(5 * n, 300 * n), draw(5 * n, 300 * n)), {}
        yield (draw(1100, 1001 * n), draw(1100, 1001 * n)) if draw.dtype == "float16" and n == 1 else (draw(3), draw(3)), {}

    @made.gradient("x", "y")
    def _(saved, dy):
        of_x, of_y = gradients(saved.x, saved.y, dy, saved.delta)
        return {"x": of_x, "y": of_y}

    return made


def _renamed(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def mean_loss(pairs, of_difference, x, y, *given):
    """The mean of of_difference(x - y, *given): in one pass where the shapes are equal."""
    return pairs(x, y, *given) if tuple(x.shape) == tuple(y.shape) else mean(of_difference(sub(x, y), *given))


def examples_of_pairs(draw, n):
    yield (draw(5 * n, 30 * n), draw(5 * n, 30 * n)), {}
    yield (draw(5 * n, 30 * n), draw(30 * n)), {}


mse_pairs = pair_loss("mse_pairs", lambda d, _: d * d, lambda d, _: 2 * d, lambda d, _: d * d)


@operator(composite=True, arguments="x: any; y: like x")
def mse_loss(x: Tensor, y: Tensor) -> Tensor:
    """The mean of (x - y)², of shape (). The gradient of x is 2 (x - y) dy / n, that of y its negative."""
    return mean_loss(mse_pairs, square, x, y)


mse_loss.specification(lambda x, y: ((x - y) ** 2).mean())
mse_loss.examples(examples_of_pairs)
l1_pairs = pair_loss("l1_pairs", lambda d, _: T.abs(d), lambda d, _: sign(d), lambda d, _: numpy.abs(d))


@operator(composite=True, arguments="x: any; y: like x")
def l1_loss(x: Tensor, y: Tensor) -> Tensor:
    """The mean of |x - y|, of shape (). The gradient of x is sign(x - y) dy / n, that of y its negative."""
    return mean_loss(l1_pairs, abs, x, y)


l1_loss.specification(lambda x, y: numpy.abs(x - y).mean())
l1_loss.examples(examples_of_pairs)


def slope_of_huber(d, delta):
    return smaller(larger(d, -delta), delta)


def huber_of(x, delta):
    return numpy.where(numpy.abs(x) <= delta, 0.5 * x * x, delta * (numpy.abs(x) - 0.5 * delta))


@unary(huber_of, slope_of_huber, constants=(("delta", 1.0),))
def huber(d, delta):
    """The loss of each difference."""
    return T.if_then_else(T.abs(d) <= delta, 0.5 * d * d, delta * (T.abs(d) - 0.5 * delta))


huber_pairs = pair_loss("huber_pairs", huber.formula, slope_of_huber, huber_of, 1.0)


@operator(composite=True, arguments="x[...]; y: like x; where delta > 0")
def huber_loss(x: Tensor, y: Tensor, delta: float = 1.0) -> Tensor:
    """The mean of d² / 2 where |d| <= delta, else delta (|d| - delta / 2), with d = x - y; of shape (). The gradient of x is
    min(max(d, -delta), delta) dy / n, that of y its negative."""
    return mean_loss(huber_pairs, huber, x, y, delta)


@huber_loss.specification
def specification(x, y, delta=1.0):
    return huber_of(x - y, delta).mean()


@huber_loss.examples
def examples(draw, n):
    yield (draw(5 * n, 30 * n), draw(5 * n, 30 * n)), {"delta": 0.7}
