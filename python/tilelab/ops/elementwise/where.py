# SPDX-License-Identifier: Apache-2.0
"""Choice: z = x where the condition is not 0, else y, for three tensors of equal shapes.

The gradients: dx is dz where the condition holds, else 0, and dy the rest. The condition has none."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .kernels import THREADS, TILE


@jit
def where_kernel(kind, dtype):
    n = T.dynamic("n")

    @T.prim_func
    def where(C: T.Tensor((n,), kind), X: T.Tensor((n,), dtype), Y: T.Tensor((n,), dtype), Z: T.Tensor((n,), dtype)):
        with T.Kernel(T.ceildiv(n, TILE), threads=THREADS) as b:
            for i in T.Parallel(TILE):
                if b * TILE + i < n:
                    Z[b * TILE + i] = T.if_then_else(C[b * TILE + i] != 0, X[b * TILE + i], Y[b * TILE + i])

    return where


@operator(autocast="widest", integers=True, arguments="condition[...]: any; x[...]: any; y[...]: like x")
def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x where the condition (int32, uint8, bool or float) is not 0, else y."""
    z = arrays.like(x)
    launch(where_kernel, *map(arrays.elements, (condition, x, y, z)), kind=arrays.dtype_of(condition), dtype=arrays.dtype_of(x))
    return z


@where.specification
def specification(condition, x, y):
    return numpy.where(condition != 0, x, y)


@where.examples
def examples(draw, n):
    for dtype in ("int32", "bool"):
        yield (draw.integers(0, 2, 5 * n, 90 * n, dtype=dtype), draw(5 * n, 90 * n), draw(5 * n, 90 * n)), {}


@where.gradient("condition")
def gradient(saved, dz):
    zero = arrays.full(dz.shape, 0, arrays.dtype_of(dz), dz)
    return {"x": where(saved.condition, dz, zero), "y": where(saved.condition, zero, dz)}
