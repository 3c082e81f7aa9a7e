# SPDX-License-Identifier: Apache-2.0
"""The gradient of a sum or mean: each element of a row gets the gradient of the row's result, for a mean divided by the count."""

import numpy

from ... import language as T
from .. import arrays
from ..launch import jit, launch
from ..operator import Tensor, operator
from .kernels import split

TILE = 1024


@jit
def spread_kernel(dtype, divided):
    """Y[a, n, b] = X[a, b], or X[a, b] / N"""
    A, N, B = T.dynamic("A"), T.dynamic("N"), T.dynamic("B")

    @T.prim_func
    def spread(X: T.Tensor((A, B), dtype), Y: T.Tensor((A, N, B), dtype)):
        with T.Kernel(T.ceildiv(N * B, TILE), A, threads=128) as (t, a):
            for i in T.Parallel(TILE):
                j = t * TILE + i
                if j < N * B:
                    Y[a, j // B, j % B] = X[a, j % B] / N if divided else X[a, j % B]

    return spread


@operator
def spread(dy: Tensor, x: Tensor, axis: int | None = None, divided: bool = False) -> Tensor:
    """A tensor of the shape of `x` with the elements of `dy` repeated along the axis."""
    made = arrays.like(x)
    A, N, B = (1, arrays.count(x.shape), 1) if axis is None else split(x.shape, axis)
    launch(spread_kernel, arrays.reshape(arrays.contiguous(dy), A, B), arrays.reshape(made, A, N, B), dtype=arrays.dtype_of(x), divided=divided)
    return made


@spread.specification
def specification(dy, x, axis=None, divided=False):
    dy = numpy.broadcast_to(dy if axis is None else numpy.expand_dims(dy, axis), x.shape)
    return dy / (x.size if axis is None else x.shape[axis]) if divided else dy


@spread.examples
def examples(draw, n):
    yield (draw(3, 5 * n), draw(3, 7 * n, 5 * n), 1), {"divided": True}
    yield (draw(), draw(3, 7 * n)), {}
