# SPDX-License-Identifier: Apache-2.0
"""GELU of x + bias, with a bias for each element of the last dimension: one pass over memory in place of two.

The gradient of x is dy times the slope of GELU at x + bias; that of the bias is its sum over all rows."""

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from ..reductions.sum import sum
from . import gelu as formula

TILE = 1024


@jit
def bias_gelu_kernel(dtype, N):
    n, wide = T.dynamic("n"), arrays.wide(dtype)

    @T.prim_func
    def bias_gelu(X: T.Tensor((n,), dtype), B: T.Tensor((N,), dtype), Y: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    Y[b * TILE + i] = value(T.cast(X[b * TILE + i], wide) + B[(b * TILE + i) % N])

    return bias_gelu


@jit
def bias_gelu_backward_kernel(dtype, N):
    n, wide = T.dynamic("n"), arrays.wide(dtype)

    @T.prim_func
    def bias_gelu_gradient(X: T.Tensor((n,), dtype), B: T.Tensor((N,), dtype), dY: T.Tensor((n,), dtype), dX: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, TILE), threads=128) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    dX[b * TILE + i] = formula.slope(T.cast(X[b * TILE + i], wide) + B[(b * TILE + i) % N]) * dY[b * TILE + i]

    return bias_gelu_gradient


def value(x):
    return x * (0.5 + 0.5 * T.erf(x * formula.SQRT_HALF))


@operator(autocast="widest", arguments="bias[N]; x[..., N]")
def bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    """gelu(x + bias) for x (..., N) and bias (N)."""
    y = arrays.like(x)
    n = arrays.count(x.shape)
    launch(bias_gelu_kernel, arrays.reshape(arrays.contiguous(x), n), arrays.contiguous(bias), arrays.reshape(y, n),
           dtype=arrays.dtype_of(x), N=bias.shape[0])
    return y


@operator
def bias_gelu_backward(x: Tensor, bias: Tensor, dy: Tensor) -> Tensor:
    """The gradient of x."""
    dx = arrays.like(x)
    n = arrays.count(x.shape)
    launch(bias_gelu_backward_kernel, arrays.reshape(arrays.contiguous(x), n), arrays.contiguous(bias), arrays.reshape(arrays.contiguous(dy), n),
           arrays.reshape(dx, n), dtype=arrays.dtype_of(x), N=bias.shape[0])
    return dx


@bias_gelu.specification
def specification(x, bias):
    return formula.specification(x + bias)


@bias_gelu.examples
def examples(draw, n):
    yield (draw(7 * n, 33 * n), draw(33 * n)), {}


@bias_gelu.gradient("x", "bias")
def gradient(saved, dy):
    dx = bias_gelu_backward(saved.x, saved.bias, dy)
    return {"x": dx, "bias": sum(arrays.as_rows(dx), 0)}
